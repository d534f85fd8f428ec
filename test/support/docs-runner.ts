// Runs the modules named as arguments (the docs' examples that run), one after the other. For each module `fetch` is
// replaced with a new mock, whose services match the examples. Exits with 1 and the failures.
import assert from 'node:assert/strict';
import { createMock } from 'arango-services/mock';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const order = { id: '1', total: 9.5 };

/** The mock at the examples' `http://localhost:8529`. */
async function createPlatform() {
  const mock = await createMock({
    platform: 'next',
    users: [
      { name: 'root', password: '' },
      { name: 'alice', password: 'pw' },
    ],
    policies: {
      'read-orders': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] },
      everything,
    },
    roles: { viewer: { policies: ['read-orders'] }, admin: { policies: ['everything'] } },
    bindings: [
      { user: 'alice', role: 'viewer', scope: everything },
      { user: 'admin', role: 'admin', scope: everything },
    ],
  });
  mock.route('*', '/_db/:db/orders/*', ({ method, body }) => ({ body: method === 'GET' ? order : (body ?? {}) }));
  mock.route('GET', '/_db/:db/orders/open', () => ({ body: [order] }));
  mock.route('GET', '/_db/:db/logs', () => ({ body: 'one\ntwo\n', headers: { 'content-type': 'text/plain' } }));
  mock.route('GET', '/_db/:db/logs/export', () => ({ body: '{"id":"1"}\n{"id":"2"}\n' }));
  mock.route('GET', '/_db/:db/logs/changes', () => ({ body: 'event: saved\ndata: 1\n\n' }));
  mock.route('PUT', '/_db/:db/files/*', ({ body }) => ({ body: { length: String(body).length } }));
  return mock;
}

Object.assign(globalThis, {
  assertSame(actual: unknown, expected: unknown, place: string) {
    assert.deepStrictEqual(
      actual,
      expected,
      `${place} is not ${JSON.stringify(expected)} but ${JSON.stringify(actual)}`,
    );
  },
});

/** Calls a service as alice if an example has no credentials. */
async function createFetch(mock: Awaited<ReturnType<typeof createPlatform>>): Promise<typeof mock.fetch> {
  const token = await mock.tokens.issue({ user: 'alice' });
  return (input, init) => {
    const headers = new Headers(init?.headers);
    if (String(input).includes('/_db/') && !headers.has('authorization'))
      headers.set('authorization', `Bearer ${token}`);
    return mock.fetch(input, { ...init, headers });
  };
}

for (const file of process.argv.slice(2)) {
  await using mock = await createPlatform();
  globalThis.fetch = (await createFetch(mock)) as typeof fetch;
  Object.assign(process.env, mock.env());
  try {
    await import(file);
  } catch (error) {
    console.error(file, error);
    process.exitCode = 1;
  }
}
