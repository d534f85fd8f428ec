import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { type Responder, serve } from '../../support/server.ts';

/** A valid start, and white space without an end. */
const endless: Responder = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const space = Buffer.alloc(65_536, ' ');
  let sent = 0;
  const more = (): void => {
    while (!response.destroyed && sent < 64 * 1_048_576) {
      sent += space.length;
      if (!response.write(space)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
};

const calls: readonly (readonly [name: string, call: (client: ReturnType<typeof createClient>) => Promise<unknown>])[] =
  [
    ['login', ({ authentication }) => authentication.login({ username: 'root', password: 'pw' })],
    ['identity', ({ authentication }) => authentication.identity()],
    ['createToken', ({ authentication }) => authentication.createToken({ user: 'alice' })],
    ['validate', ({ authentication }) => authentication.validate('x.y.z')],
    ['keys', ({ authentication }) => authentication.keys()],
    ['a policy', ({ authorization }) => authorization.policies.get('p')],
    ['a role', ({ authorization }) => authorization.roles.get('r')],
    ['bindings', ({ authorization }) => authorization.bindings.list('alice')],
    ['policies', ({ authorization }) => authorization.policies.list().next()],
    ['a decision', ({ authorization }) => authorization.isAllowed({ user: 'a', action: 'a:b', resource: 'c' })],
  ];

test.each(calls)('%s reads a bounded part of an answer', async (name, call) => {
  const { url } = await serve(endless);
  const client = createClient({ url, credentials: credentials.bearer('token'), retry: 0 });
  const before = process.memoryUsage().arrayBuffers;
  const failure = await failureOf(call(client));
  expect(['PARSE', 'SCHEMA']).toContain(failure.code);
  const isDecision = name === 'validate' || name === 'a decision';
  expect(failure.message).toContain(`${isDecision ? 1_048_576 : 33_554_432} bytes`);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(192 * 1_048_576);
});

/** A policy of about this many bytes. */
const policyOf = (bytes: number) => {
  const resources = Array.from({ length: bytes / 1_000 }, (_, index) => `order:${10_000 + index}-${'x'.repeat(980)}`);
  return { statements: [{ effect: 'Allow' as const, actions: ['orders:read'], resources, description: '' }] };
};

async function policiesOfMock() {
  const server = await listen(await createMock({ authentication: { mode: 'None' } }));
  onTestFinished(() => server.close());
  return createClient({ url: server.url }).authorization.policies;
}

test('a policy of 2 MB, and one of nearly 4 MiB, is written and read back', async () => {
  const policies = await policiesOfMock();
  for (const bytes of [2_000_000, 4_100_000]) {
    const policy = policyOf(bytes);
    expect((await policies.create(`of-${bytes}`, policy)).item).toMatchObject(policy);
    expect((await policies.get(`of-${bytes}`)).item).toMatchObject(policy);
    expect((await policies.update(`of-${bytes}`, policy)).item).toMatchObject(policy);
  }
});

test('a policy of more than 4 MiB is refused by the service, and not stored', async () => {
  const failure = await failureOf((await policiesOfMock()).create('large', policyOf(4_300_000)));
  expect(failure).toMatchObject({ code: 'HTTP', status: 400 });
});
