import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { type Authenticate, createGuard, createVerifier } from '../../../src/enforce/guard/index.ts';
import { createReplica, type ReplicaOptions } from '../../../src/enforce/replica/index.ts';
import { createClient } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import type { Fidelity } from '../../../src/policy/index.ts';
import { itemOfEachKind } from './support/replicas.ts';

const secret = 'the secret of the tests, which is long enough';
const read = { action: 'orders:read', resource: 'a' };

async function start(options: Omit<ReplicaOptions, 'transport'>, fidelity: Fidelity = 'documented') {
  const mock = await createMock({ ...itemOfEachKind, fidelity, authentication: { keys: { active: secret } } });
  const replica = createReplica({ transport: mockPool(mock), ...options });
  onTestFinished(async () => {
    await replica.close();
    await mock[Symbol.asyncDispose]();
  });
  return { mock, replica };
}

/** The error for a refused token, with its reason. */
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'REPLICA', reason: 'INVALID_TOKEN', message: expect.stringMatching(message) });

describe('the option authenticate', () => {
  test('returns the owner of a token, like a guard’s option', async () => {
    const { mock, replica } = await start({ authenticate: createVerifier({ secret }) });
    const token = await mock.tokens.issue({ user: 'alice', groups: ['viewer'] });
    expect(await replica.authenticate(token)).toEqual({ user: 'alice', roles: ['viewer'] });
    expect(await replica.authenticate(await mock.tokens.issue({ user: null }))).toEqual({ superuser: true });
    const expired = await mock.tokens.forge({ user: 'alice', expired: true });
    await expect(replica.authenticate(expired)).rejects.toEqual(invalid(/token is expired/));
    expect(replica.authenticates).toBe(true);
  });

  test('serves a guard without an option of its own', async () => {
    const authenticate: Authenticate = async () => ({ user: 'alice' });
    const { replica } = await start({ authenticate });
    await replica.ready();
    const guard = createGuard(replica);
    expect(await guard.authenticate({ authorization: 'Bearer t' })).toMatchObject({ allowed: true, user: 'alice' });
    expect((await guard.check({ authorization: 'Bearer t' }, read)).status).toBe(403);
  });

  test('is rejected beside the option tokens, and if it is not a function', async () => {
    const mock = await createMock();
    const options = { transport: mockPool(mock), tokens: { secret }, authenticate: async () => ({ user: 'alice' }) };
    expect(() => createReplica(options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        field: 'authenticate',
        message: expect.stringMatching(/tokens/),
      }),
    );
    expect(() => createReplica({ transport: mockPool(mock), authenticate: 'verifyToken' as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'authenticate' }),
    );
  });

  test('a result without an owner makes the token invalid, and no error quotes the token', async () => {
    for (const said of [{}, { valid: true, groups: [] }, { valid: true, name: 'alice', groups: [] }]) {
      // The cast: JavaScript callers may return it.
      const { replica } = await start({ authenticate: (async () => said) as unknown as Authenticate });
      await expect(replica.authenticate('t')).rejects.toEqual(invalid(/neither|expected/));
    }
    // A mistake of the service, not of its caller.
    const { replica: odd } = await start({ authenticate: (async () => undefined) as unknown as Authenticate });
    await expect(odd.authenticate('t')).rejects.toThrow(
      new TypeError('authenticate: expected an owner or a subject, got undefined'),
    );
    const quoting: Authenticate = async (token) => ({ valid: false, reason: `bad ${token}` }) as const;
    const { replica } = await start({ authenticate: quoting });
    await expect(replica.authenticate('canary-token')).rejects.toEqual(invalid(/not valid$/));
  });

  test('passes its rejection on', async () => {
    const { replica } = await start({ authenticate: () => Promise.reject(new Error('down')) });
    await expect(replica.authenticate('t')).rejects.toThrow('down');
  });
});

describe('groups without a user', () => {
  const owner = { valid: true, groups: ['viewer'] } as const;

  test('are a subject with their roles in documented fidelity', async () => {
    const { mock, replica } = await start({ tokens: { secret } });
    const token = await mock.tokens.issue({ user: null, groups: ['viewer'] });
    expect(await replica.authenticate(token)).toEqual({ roles: ['viewer'] });
    expect(await (await start({ authenticate: async () => owner })).replica.authenticate('t')).toEqual({
      roles: ['viewer'],
    });
  });

  test('in sidecar fidelity are the superuser only if the services or keys say so, never for a custom function', async () => {
    const { mock, replica } = await start({ tokens: { secret } }, 'sidecar');
    const token = await mock.tokens.issue({ user: null, groups: ['viewer'] });
    expect(await replica.authenticate(token)).toEqual({ superuser: true });
    const own = await start({ authenticate: async () => owner }, 'sidecar');
    await expect(own.replica.authenticate('t')).rejects.toEqual(invalid(/groups and no user/));
  });
});

test('tokens: { client } asks that client for each token’s owner, and never for a decision', async () => {
  const mock = await createMock(itemOfEachKind);
  const client = createClient(mock.connection);
  const validate = vi.spyOn(client.authentication, 'validate');
  const evaluate = vi.spyOn(client.authorization, 'evaluate');
  const replica = createReplica({ transport: mockPool(mock), tokens: { client } });
  await replica.ready();
  const authorization = `Bearer ${await mock.tokens.issue({ user: 'alice' })}`;
  expect((await createGuard(replica).check({ authorization }, read)).status).toBe(403);
  expect([validate.mock.calls.length, evaluate.mock.calls.length]).toEqual([1, 0]);
  const overHttp = mock.requests.map(({ path }) => path).filter((path) => path.startsWith('/_'));
  expect(overHttp).toEqual(['/_integration/authn/v1/validate']);
  await replica.close();
});

test('without the network a guard continues with createVerifier, and answers 503 with tokens: { client }', async () => {
  const mock = await createMock({ ...itemOfEachKind, authentication: { keys: { active: secret } } });
  const gone = createClient({ ...mock.connection, fetch: () => Promise.reject(new TypeError('fetch failed')) });
  const authorization = `Bearer ${await mock.tokens.issue({ user: 'alice' })}`;
  const statuses = [
    { tokens: { client: gone } },
    { tokens: { secret } },
    { authenticate: createVerifier({ secret }) },
  ].map(async (options) => {
    const replica = createReplica({ transport: mockPool(mock), ...options });
    await replica.ready();
    const { status } = await createGuard(replica).check({ authorization }, read);
    await replica.close();
    return status;
  });
  expect(await Promise.all(statuses)).toEqual([503, 403, 403]);
});
