import { describe, expect, test, vi } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { type Authenticate, createGuard } from '../../../src/enforce/guard/index.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator, type Decider } from '../../../src/policy/index.ts';
import { clientOver } from '../../client/services/support.ts';
import { state } from '../../policy/support/fixtures.ts';
import { itemOfEachKind } from '../replica/support/replicas.ts';
import { allow } from './outcomes.ts';

const mock = await createMock(itemOfEachKind);
const bearer = { authorization: 'Bearer t' };
const read = { action: 'orders:read', resource: 'a' };
const write = { action: 'orders:write', resource: 'a' };
const alice = { valid: true, user: 'alice', groups: [] } as const;

describe('the way in which a replica authenticates tokens', () => {
  test('is required when a guard is created, and the error says how to add it', async () => {
    const replica = createReplica({ transport: mockPool(mock) });
    const refusal = expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      field: 'source',
      message: expect.stringMatching(/tokens.*authenticate/),
    });
    expect(() => createGuard(replica)).toThrow(refusal);
    expect(() => createGuard(replica, { cache: { ttl: '5s' } })).toThrow(refusal);
    createGuard(replica, { authenticate: async () => alice });
    await replica.close();
  });

  test.each<[string, object]>([
    ['tokens', { tokens: { secret: 'the secret of the tests' } }],
    ['authenticate', { authenticate: async () => alice }],
  ])('may be its option %s', async (_name, options) => {
    const replica = createReplica({ transport: mockPool(mock), ...options });
    expect(replica.authenticates).toBe(true);
    createGuard(replica);
    await replica.close();
  });
});

describe('a guard over a Decider', () => {
  test('check and checkMany return the user without identify; over a client only with identify', async () => {
    const authenticate: Authenticate = async () => ({ valid: true, user: 'alice', groups: ['viewer'] });
    const guard = createGuard(createEvaluator(state), { authenticate });
    expect(await guard.check(bearer, read)).toMatchObject({ allowed: true, user: 'alice', groups: ['viewer'] });
    expect(await guard.checkMany(bearer, [read, write])).toMatchObject({ user: 'alice', groups: ['viewer'] });
    const remote = createGuard(clientOver(allow.answer).client);
    expect(await remote.check(bearer, read)).toEqual({ allowed: true, status: 200 });
  });

  test('caches the owner of a token, never a decision', async () => {
    const evaluator = createEvaluator(state);
    const authenticate = vi.fn(async () => alice);
    const evaluate = vi.fn(evaluator.evaluate.bind(evaluator));
    const decider: Decider = { evaluate, evaluateMany: (request) => evaluator.evaluateMany(request) };
    const guard = createGuard(decider, { authenticate, cache: { ttl: '1h' } });
    const allowed = async () => [
      (await guard.check(bearer, read)).allowed,
      (await guard.checkMany(bearer, [read])).allowed,
    ];
    expect(await allowed()).toEqual([true, true]);
    for (const { role } of evaluator.bindings('alice')) evaluator.deleteBinding('alice', role);
    expect(await allowed()).toEqual([false, false]);
    expect([authenticate.mock.calls.length, evaluate.mock.calls.length]).toEqual([1, 2]);
  });

  test('equal questions of one tick are still one question', async () => {
    const evaluate = vi.fn(async () => ({ allowed: true, effect: 'Allow' as const, message: '' }));
    const decider: Decider = { evaluate, evaluateMany: async () => ({ ...(await evaluate()), items: [] }) };
    const guard = createGuard(decider, { authenticate: async () => alice });
    await Promise.all([guard.check(bearer, read), guard.check(bearer, { ...read }), guard.check(bearer, write)]);
    expect(evaluate).toHaveBeenCalledTimes(2);
  });

  test('marks a superuser; an answer without a user is 401, and the cause names the missing field', async () => {
    const statusesOf = async (said: unknown) => {
      // The cast: JavaScript callers may forget a field.
      const authenticate = (async () => said) as unknown as Authenticate;
      const guard = createGuard(createEvaluator(state), { authenticate });
      const accesses = [
        await guard.check(bearer, write),
        await guard.checkMany(bearer, [write]),
        await guard.authenticate(bearer),
      ];
      return {
        statuses: accesses.map(({ status }) => status),
        causes: accesses.map((one) => one.response && one.cause),
      };
    };
    expect((await statusesOf({ valid: true, superuser: true, groups: [] })).statuses).toEqual([200, 200, 200]);
    const forgotten = await statusesOf({ valid: true, groups: [] });
    expect(forgotten.statuses).toEqual([401, 401, 401]);
    expect(forgotten.causes.map(String)).toEqual(Array(3).fill(expect.stringContaining('superuser: true')));
    expect((await statusesOf({ valid: false, reason: 'expired' })).causes).toEqual([undefined, undefined, undefined]);
  });

  test('denies the user "" (the gateway’s name of a superuser), even if the decider accepts it', async () => {
    const authenticate: Authenticate = async () => ({ valid: true, user: '', groups: ['viewer'] });
    const replica = createReplica({ transport: mockPool(mock), authenticate });
    await replica.ready();
    for (const guard of [createGuard(replica), createGuard(createEvaluator(state), { authenticate })]) {
      expect((await guard.check(bearer, read)).status).toBe(403);
      expect(await guard.checkMany(bearer, [read])).toMatchObject({ status: 200, allowed: false });
    }
    await replica.close();
  });

  test('over a client, too, an authenticate that omits the user is 401', async () => {
    const { client } = clientOver(allow.answer);
    const authenticate: Authenticate = async () => ({ valid: true, groups: [] });
    const guard = createGuard(client, { authenticate, identify: true });
    expect((await guard.check(bearer, read)).status).toBe(401);
    expect((await guard.authenticate(bearer)).status).toBe(401);
  });
});

describe('a request that is denied because of one item', () => {
  const guard = createGuard(createEvaluator(state), { authenticate: async () => alice });

  test('gets the 403 of refused()', async () => {
    const access = await guard.checkMany({ headers: bearer, method: 'GET' }, [read, write]);
    expect([access.allowed, access.status, access.response]).toEqual([false, 200, undefined]);
    const refused = access.refused();
    expect(refused).toMatchObject({ allowed: false, status: 403, body: { code: 7 } });
    expect(await refused.response.json()).toEqual({ code: 7, message: 'Permission denied', details: [] });
    expect(Object.keys(access)).not.toContain('refused');
    const head = await guard.checkMany({ headers: bearer, method: 'HEAD' }, [write]);
    expect(await head.refused().response.text()).toBe('');
  });

  test('gets the status of a failure if the whole failed', async () => {
    const access = await guard.checkMany({}, [read]);
    expect(access).toMatchObject({ allowed: false, status: 401, response: expect.any(Response) });
    expect(access.refused()).toBe(access);
    expect(Object.keys(access)).not.toContain('refused');
  });
});

test('every outcome of check and authenticate but Allow has a response', async () => {
  const decide = () => {
    throw new Error('down');
  };
  const failing = createGuard({ evaluate: decide, evaluateMany: decide }, { authenticate: async () => alice });
  const denying = createGuard(createEvaluator(), { authenticate: async () => alice, cookies: true });
  const nobody = createGuard(createEvaluator(), { authenticate: async () => ({ valid: false }) });
  const forged = { method: 'POST', headers: { cookie: 'X-ArangoDB-Token-JWT=t' } };
  const accesses = [
    await failing.check(bearer, read),
    await denying.check(bearer, read),
    await denying.check(forged, read),
    await denying.authenticate(forged),
    await nobody.check(bearer, read),
    await nobody.authenticate(bearer),
    await nobody.authenticate({}),
  ];
  for (const access of accesses) {
    expect(access.allowed).toBe(false);
    expect(access.response).toBeInstanceOf(Response);
    expect(access.response?.status).toBe(access.status);
  }
  expect(accesses.map(({ status }) => status)).toEqual([503, 403, 403, 403, 401, 401, 401]);
});
