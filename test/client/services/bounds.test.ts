import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { type Responder, serve } from '../../support/server.ts';
import { casesOf, isRelease } from '../../support/thorough.ts';

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

test.each(casesOf(calls))('%s reads a bounded part of an answer', async (name, call) => {
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

test('a policy of 2 MB, or of nearly 4 MiB, is written and read back', async () => {
  const policies = await policiesOfMock();
  for (const bytes of isRelease ? [2_000_000, 4_100_000] : [4_100_000]) {
    const policy = policyOf(bytes);
    expect((await policies.create(`of-${bytes}`, policy)).item).toMatchObject(policy);
    expect((await policies.get(`of-${bytes}`)).item).toMatchObject(policy);
    expect((await policies.update(`of-${bytes}`, policy)).item).toMatchObject(policy);
  }
});

test('a policy of more than 4 MiB is refused by the service, which names its limit, and not stored', async () => {
  const policies = await policiesOfMock();
  const failure = await failureOf(policies.create('large', policyOf(4_300_000)));
  expect(failure).toMatchObject({ code: 'HTTP', status: 429, grpcCode: 8 });
  expect(failure.message).toMatch(/: 429 message larger than max \(\d+ vs\. 4194304\)$/);
  expect(JSON.stringify(failure)).not.toContain('order:');
  expect(await failureOf(policies.get('large'))).toMatchObject({ status: 404 });
});

/** A service whose messages have passed the limit: `says` is the text of its error. */
const overLimit = (says: string) =>
  serve((_, response) => {
    response.writeHead(429, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 8, message: says, details: [] }));
  });

test('a question of more than 4 MiB is asked once, and so is a list whose answer is longer', async () => {
  const { url, seen } = await overLimit('grpc: received message larger than max (4300200 vs. 4194304)');
  const { authorization } = createClient({ url });
  const failure = await failureOf(authorization.isAllowed({ user: 'a', action: 'a:b', resource: 'c' }));
  expect(failure.message).toContain('message larger than max (4300200 vs. 4194304)');
  expect((await failureOf(authorization.policies.list().next())).message).toContain('(4300200 vs. 4194304)');
  expect(seen).toHaveLength(2);
});

test('of a long body nothing but the limit is shown, whatever else the service says', async () => {
  const secret = 'pass-word-of-alice';
  const policies = (says: string) =>
    overLimit(says).then(({ url }) => createClient({ url, retry: 0 }).authorization.policies);
  const policy = { statements: [{ ...policyOf(70_000).statements[0], description: secret }] };
  const reasonOf = async (says: string) =>
    (await failureOf((await policies(says)).create('p', policy as never))).message;
  expect(await reasonOf(`message larger than max (70100 vs. 65536): ${secret}`)).toMatch(/\(70100 vs\. 65536\)$/);
  expect(await reasonOf(`message larger than max (${secret} vs. 65536)`)).toMatch(/: 429$/);
  expect(await reasonOf(`a bad word: ${secret}`)).toMatch(/: 429$/);
});
