// The platform that the docs' examples run over, in tests and on the site. It imports the package as built and nothing of
// Node, because the site bundles it for a page.
import { createMock, type Mock } from 'arango-services/mock';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const order = { id: '1', total: 9.5 };

/** Creates the mock at the guides' `http://localhost:8529`: two services, and alice, who may read orders. */
export async function createPlatform(): Promise<Mock> {
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

/** Creates a fetch over the mock that calls a service as alice if an example has no credentials. */
export async function fetchAsAlice(mock: Mock): Promise<typeof fetch> {
  const token = await mock.tokens.issue({ user: 'alice' });
  return (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    if (String(input instanceof Request ? input.url : input).includes('/_db/') && !headers.has('authorization'))
      headers.set('authorization', `Bearer ${token}`);
    return mock.fetch(input, { ...init, headers });
  };
}
