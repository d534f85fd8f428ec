import { expect, onTestFinished, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { createGuard, type GuardOptions, guardOperation } from '../../../src/enforce/guard/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { createEvaluator, type Policy } from '../../../src/policy/index.ts';
import { failureOf } from '../../support/failure.ts';
import { liveReplica } from '../replica/support/replicas.ts';

const secret = 'the secret of these tests, long enough';
const allow = (action: string): Policy => ({ statements: [{ effect: 'Allow', actions: [action], resources: ['*'] }] });
const read = { action: 'orders:read', resource: 'order:7' };

async function start(options: GuardOptions = {}) {
  const mock: Mock = await createMock({
    authentication: { keys: { active: secret } },
    policies: { reader: { statements: [] } },
    roles: { viewer: { policies: ['reader'] } },
    bindings: [{ user: 'alice', role: 'viewer', scope: allow('*') }],
  });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const token = await mock.tokens.issue({ user: null });
  const { policies } = createClient({ ...mock.connection, credentials: credentials.bearer(token) }).authorization;
  const replica = await liveReplica({ transport: mockPool(mock), tokens: { secret } });
  const guard = createGuard(replica, { timeout: 60_000, ...options });
  const alices = `Bearer ${await mock.tokens.issue({ user: 'alice' })}`;
  const request = (headers: Record<string, string | string[]> = {}) => ({
    method: 'GET',
    url: '/orders/7',
    headers: { authorization: alices, ...headers },
  });
  return { mock, policies, replica, guard, request };
}

test('check and checkMany wait for the write; without it the answer would be outdated', async () => {
  const { policies, guard, request } = await start();
  for (let i = 0; i < 5; i++) {
    const { revision } = await policies.update('reader', allow('orders:read'));
    expect((await guard.check(request(), { ...read, atLeast: revision })).status).toBe(200);
    const denied = await policies.update('reader', { statements: [] });
    const many = await guard.checkMany(request(), [{ ...read, atLeast: [revision, denied.revision] }, read]);
    expect(many.items).toEqual([
      { ...read, allowed: false },
      { ...read, allowed: false },
    ]);
  }
});

test('equal questions in one tick with and without a revision do not share an answer', async () => {
  const { policies, guard, request } = await start();
  const { revision } = await policies.update('reader', allow('orders:read'));
  const asked = await Promise.all([
    guard.check(request(), read),
    guard.check(request(), { ...read, atLeast: revision }),
  ]);
  expect(asked[1]?.allowed).toBe(true);
});

test('a write that does not come in time, or is not in the history, is a 503 with its cause, never an answer', async () => {
  const { policies, replica, request } = await start();
  const { revision } = await policies.update('reader', allow('orders:read'));
  await replica.reached(revision);
  const hasty = createGuard(replica, { timeout: 50 });
  const later = await hasty.check(request(), { ...read, atLeast: revision.replace('.2.', '.9.') });
  expect(later).toMatchObject({ allowed: false, status: 503, cause: { code: 'TIMEOUT' } });
  const other = await createGuard(replica).check(request(), { ...read, atLeast: `${revision.slice(0, -2)}zz` });
  expect(other).toMatchObject({ status: 503, cause: { reason: 'OTHER_HISTORY' } });
});

test('a request without a valid token does not wait', async () => {
  const { guard } = await start({ revisionHeader: 'x-revision' });
  const headers = { authorization: 'Bearer nonsense', 'x-revision': 'v1.policy.999.a' };
  expect((await guard.check({ headers }, read)).status).toBe(401);
  expect((await guard.check({ headers: { 'x-revision': 'v1.policy.999.a' } }, read)).status).toBe(401);
});

test('a header carries revisions only if the guard names it; guardOperation honors it, too', async () => {
  const { policies, replica, guard, request } = await start();
  const beyond = { 'X-Revision': 'v1.policy.999.a' };
  expect((await guard.check(request(beyond), read)).status).toBe(403);
  const listening = createGuard(replica, { revisionHeader: 'X-Revision', timeout: 60_000 });
  const [one, two] = [
    await policies.update('reader', { statements: [] }),
    await policies.update('reader', allow('orders:read')),
  ];
  const both = request({ 'x-revision': `${one.revision} , ${two.revision}` });
  expect((await listening.check(both, read)).status).toBe(200);
  const paths = { '/orders/{id}': { get: { 'x-permission': { action: 'orders:read', resource: 'order:{id:text}' } } } };
  expect((await guardOperation(listening, { paths })(both)).status).toBe(200);
  expect((await listening.check(request({ 'x-revision': '' }), read)).status).toBe(200);
  const hasty = createGuard(replica, { revisionHeader: 'X-Revision', timeout: 50 });
  expect((await hasty.check(request(beyond), read)).status).toBe(503);
  expect((await listening.authenticate(request(beyond))).status).toBe(200);
});

test.each<[string, string | string[]]>([
  ['no revision', 'canary'],
  ['another version', 'v2.policy.1.canary'],
  ['two headers', ['v1.policy.1.a', 'v1.policy.2.a']],
  ['too many', Array.from({ length: 101 }, () => 'v1.policy.1.a').join()],
  ['a very long one', `v1.policy.1.${'canary'.repeat(10_000)}`],
])('a header with %s is a 503, because the answer could be outdated', async (_what, value) => {
  const { guard, request } = await start({ revisionHeader: 'x-revision' });
  const access = await guard.check(request({ 'x-revision': value }), read);
  expect(access).toMatchObject({ status: 503, cause: { code: 'INVALID_ARGUMENT' } });
  expect(String((access as { cause?: unknown }).cause)).not.toContain('canary');
});

test('a source that cannot wait rejects atLeast and the header', async () => {
  const authenticate = async () => ({ user: 'alice' });
  const client = createClient({ url: 'http://service.test' });
  for (const guard of [createGuard(client), createGuard(createEvaluator(), { authenticate })]) {
    const asked = { ...read, atLeast: 'v1.policy.1.a' };
    const refusal = { code: 'INVALID_ARGUMENT', field: 'atLeast' };
    expect(await failureOf(guard.check({ headers: {} }, asked))).toMatchObject(refusal);
    expect(await failureOf(guard.checkMany({ headers: {} }, [read, asked]))).toMatchObject(refusal);
  }
  const refusal = expect.objectContaining({ field: 'revisionHeader' });
  expect(() => createGuard(client, { revisionHeader: 'x-revision' })).toThrow(refusal);
});

test.each(['', 'a b', 'Authorization', 'cookie', 7])('the header %j is rejected', async (revisionHeader) => {
  const { replica } = await start();
  expect(() => createGuard(replica, { revisionHeader: revisionHeader as string })).toThrow(
    expect.objectContaining({ field: 'revisionHeader' }),
  );
});

test.each([7, 'canary', ['canary'], ['v1.policy.1.a', 7]])('atLeast %j is rejected', async (atLeast) => {
  const { guard, request } = await start();
  const failure = await failureOf(guard.check(request(), { ...read, atLeast: atLeast as string }));
  expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', field: expect.stringMatching(/^atLeast/) });
  expect(failure.message).not.toContain('canary');
});
