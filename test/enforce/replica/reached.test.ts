import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import type { Replica } from '../../../src/enforce/replica/index.ts';
import { createClient } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { formatRevision } from '../../../src/policy/model/revision.ts';
import { failureOf } from '../../support/failure.ts';
import { itemOfEachKind, liveReplica, question, replicaOf, verifiedSuperuser } from './support/replicas.ts';
import { alicesPool, deletion, everywhere, policyItem, type ScriptedPool } from './support/scripted-pool.ts';
import { pass } from './support/services.ts';

const nothing = { statements: [] };

/** The revision of a policy's write. */
const written = (index: number, item: Policy | null = nothing, name = 'p') =>
  formatRevision('policy', { index, name, item });

const changes = (pool: ScriptedPool) => pool.last('PoolPolicyChanges');

/** The outcome of a call so far. */
function outcomeOf(call: Promise<void>): { is: string } {
  const outcome = { is: 'pending' };
  call.then(
    () => {
      outcome.is = 'held';
    },
    (error) => {
      outcome.is = error.reason ?? error.code;
    },
  );
  return outcome;
}

describe('reached, in virtual time,', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function start(): Promise<{ pool: ScriptedPool; replica: Replica }> {
    const pool = alicesPool();
    const replica = replicaOf({ transport: pool });
    await pass(1);
    return { pool, replica };
  }

  test('resolves when the change is applied, not before', async () => {
    const { pool, replica } = await start();
    const reached = outcomeOf(replica.reached({ revision: written(2) }));
    await pass(500);
    changes(pool).send();
    await pass(1);
    expect([reached.is, replica.isAllowed(question)]).toEqual(['pending', true]);
    changes(pool).send(policyItem(2, 'p', nothing));
    await pass(1);
    expect([reached.is, replica.isAllowed(question)]).toEqual(['held', false]);
  });

  test('resolves at once for a write that the copy holds: a change, an item that was read, and a list of them', async () => {
    const { pool, replica } = await start();
    changes(pool).send(policyItem(2, 'q', nothing), deletion(3, 'q'));
    await pass(1);
    await replica.reached([written(1, everywhere), written(2, nothing, 'q'), written(3, null, 'q')]);
    await replica.reached(formatRevision('binding', { index: 1, user: 'alice', role: 'r', scope: everywhere }));
    await replica.reached(formatRevision('role', { index: 1, name: 'r', item: { policies: ['p'] } }));
  });

  test('waits for the first state', async () => {
    const pool = alicesPool();
    const replica = replicaOf({ transport: pool });
    const reached = outcomeOf(replica.reached(written(1, everywhere)));
    expect(reached.is).toBe('pending');
    await pass(1);
    expect(reached.is).toBe('held');
  });

  test.each([
    [1_000, 'TIMEOUT'],
    // Streams that are silent for 20 s are opened again, which confirms the copy.
    [undefined, 'OTHER_HISTORY'],
  ])('fails after the timeout of %s if the service says nothing: %s', async (timeout, is) => {
    const { replica } = await start();
    const reached = outcomeOf(replica.reached(written(2), { timeout }));
    await pass((timeout ?? 30_000) - 100);
    expect(reached.is).toBe('pending');
    await pass(200);
    expect(reached.is).toBe(is);
  });

  test('fails as another history if the service has confirmed for the whole timeout that it has no such write', async () => {
    const { pool, replica } = await start();
    const failure = failureOf(replica.reached(written(41), { timeout: 2_000 }));
    await pass(1_500);
    changes(pool).send();
    await pass(600);
    expect(await failure).toMatchObject({ code: 'REPLICA', reason: 'OTHER_HISTORY' });
    expect((await failure).message).toContain('the newest write of the policies is 1 there, not 41');
  });

  test('another write with this index is another history, once the service has confirmed it', async () => {
    const { pool, replica } = await start();
    changes(pool).send(policyItem(2, 'p', everywhere));
    await pass(1);
    const reached = [written(2, nothing), written(2, everywhere, 'q')].map((one) => outcomeOf(replica.reached(one)));
    await pass(500);
    // It may have been under way before a restore.
    changes(pool).send();
    await pass(500);
    expect(reached.map(({ is }) => is)).toEqual(['pending', 'pending']);
    changes(pool).send();
    await pass(1);
    expect(reached.map(({ is }) => is)).toEqual(['OTHER_HISTORY', 'OTHER_HISTORY']);
  });

  test('once one write of a list fails, nothing waits for the others', async () => {
    const { pool, replica } = await start();
    changes(pool).send(policyItem(2, 'p', everywhere));
    await pass(1);
    const { signal } = new AbortController();
    const reached = outcomeOf(replica.reached([written(41), written(2, nothing)], { signal }));
    await pass(1_000);
    const timers = vi.getTimerCount();
    changes(pool).send();
    await pass(1);
    expect([reached.is, getEventListeners(signal, 'abort')]).toEqual(['OTHER_HISTORY', []]);
    expect(vi.getTimerCount()).toBe(timers - 2);
  });

  test('a write after a restore is not taken for one from before it: the replica notices first', async () => {
    const { pool, replica } = await start();
    const before = Array.from({ length: 4 }, (_, i) => policyItem(i + 2, 'p', everywhere));
    changes(pool).send(...before);
    await pass(1);
    // The service is restored to index 1, and p is written again: its index 2 is another write than before.
    pool.changes.policies.clear();
    pool.state.policies = [policyItem(2, 'p', nothing)];
    const reached = outcomeOf(replica.reached(written(2, nothing)));
    await pass(1);
    expect([reached.is, replica.isAllowed(question)]).toEqual(['pending', true]);
    for (const method of ['PoolPolicyChanges', 'PoolRoleChanges', 'PoolUserRoleBindingChanges'] as const) {
      pool.last(method).fail(14);
    }
    await vi.waitFor(() => expect(reached.is).toBe('held'));
    expect(replica.isAllowed(question)).toBe(false);
  });

  test('an old write that the copy no longer knows counts once the service has confirmed the copy, and from then on', async () => {
    const pool = alicesPool();
    // 1 was overwritten before the read.
    pool.state.policies = [policyItem(7)];
    const replica = replicaOf({ transport: pool });
    await pass(1);
    const reached = outcomeOf(replica.reached(written(1)));
    await pass(1_000);
    expect(reached.is).toBe('pending');
    changes(pool).send();
    await pass(1);
    expect(reached.is).toBe('held');
    await replica.reached(written(1));
    const another = outcomeOf(replica.reached(written(2)));
    await pass(1_000);
    expect(another.is).toBe('pending');
  });

  test('a state that was read after the call confirms, too', async () => {
    const pool = alicesPool();
    pool.state.policies = [policyItem(7)];
    const replica = replicaOf({ transport: pool });
    await pass(1);
    const reached = outcomeOf(replica.reached(written(1)));
    await pass(1);
    // The streams are not accepted again, but everything is read.
    changes(pool).send(policyItem(9));
    await pass(10);
    expect([reached.is, pool.of('GetPolicy').length]).toEqual(['held', 2]);
  });

  test('the last 1 024 writes are known', async () => {
    const { pool, replica } = await start();
    for (let index = 2; index < 1_202; index += 100) {
      changes(pool).send(...Array.from({ length: 100 }, (_, i) => policyItem(index + i, `p${index + i}`, nothing)));
      await pass(1);
    }
    await replica.reached(written(178, nothing, 'p178'));
    const older = outcomeOf(replica.reached(written(177, nothing, 'p177')));
    await pass(10);
    expect(older.is).toBe('pending');
  });

  test('close rejects calls that wait, and later ones', async () => {
    const { replica } = await start();
    const waiting = failureOf(replica.reached(written(2)));
    await replica.close();
    expect(await waiting).toMatchObject({ code: 'REPLICA', reason: 'CLOSED' });
    expect(await failureOf(replica.reached(written(1, everywhere)))).toMatchObject({ reason: 'CLOSED' });
  });

  test('a signal aborts reached', async () => {
    const { replica } = await start();
    const controller = new AbortController();
    const waiting = failureOf(replica.reached(written(2), { signal: controller.signal }));
    controller.abort(new Error('enough'));
    expect(await waiting).toMatchObject({ code: 'ABORTED' });
  });

  test('a replica without a state fails with its last failure', async () => {
    const pool = alicesPool();
    pool.onOpen = (stream) => {
      stream.fail(7, 'not you');
      return true;
    };
    const replica = replicaOf({ transport: pool });
    const failure = failureOf(replica.reached(written(2), { timeout: 100 }));
    await pass(200);
    expect(await failure).toMatchObject({ code: 'REPLICA', reason: 'NOT_READY' });
  });
});

test.each<[unknown, string]>([
  [undefined, 'written'],
  [{}, 'written.revision'],
  [{ index: 7 }, 'written.revision'],
  ['', 'written'],
  ['v2.policy.1.a', 'written'],
  ['v1.user.1.a', 'written'],
  ['v1.policy.0.a', 'written'],
  [`v1.policy.${'9'.repeat(16)}.a`, 'written'],
  ['v1.policy.1.A', 'written'],
  [`v1.policy.1.${'a'.repeat(8)}`, 'written'],
  ['v1.policy.1.a\n', 'written'],
  [['v1.policy.1.a', 'canary'], 'written[1]'],
])('%j is rejected, and not quoted', async (given, field) => {
  await using mock = await createMock();
  const replica = replicaOf({ transport: mockPool(mock) });
  const failure = await failureOf(replica.reached(given as string));
  expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', field });
  expect(failure.message).not.toContain('canary');
});

/** A client that may write everything, and what opens a replica of its mock. */
async function setUp(mock: Mock) {
  const superuser = await verifiedSuperuser(mock);
  const { authorization } = createClient({ ...mock.connection, credentials: superuser });
  const open = () => passing(liveReplica({ transport: mockPool(mock), credentials: superuser }));
  return { authorization, open };
}

/** Lets virtual time pass until a call has ended. */
async function passing<T>(call: Promise<T>): Promise<T> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  call.then(end, end);
  while (!hasEnded) await pass(100);
  return call;
}

describe.each(['documented', 'sidecar'] as const)('reached, over a mock in %s fidelity:', (fidelity) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('every call that writes returns a revision that the replica reaches, odd contents included', async () => {
    await using mock = await createMock({ ...itemOfEachKind, fidelity });
    const { authorization, open } = await setUp(mock);
    const { policies, roles, bindings } = authorization;
    const replica = await open();
    const statement = {
      effect: 'Allow' as const,
      actions: ['b:c', 'a:b', 'a:b'],
      resources: ['z', 'ü:*'],
      description: 'déjà "vu"',
    };
    const policy = { statements: [statement, { effect: 'Deny' as const, actions: [], resources: [] }] };
    const writes = [
      await policies.create('p ü', policy),
      await policies.update('p ü', { ...policy, description: 'd' }),
      await policies.upsert('p ü', { statements: [] }),
      await policies.get('p ü'),
      await policies.delete('p ü'),
      await roles.create('r:1', { policies: ['b', 'a', 'a'], description: 'role' }),
      await roles.upsert('r:1', { policies: [], scope: policy }),
      await roles.delete('r:1'),
      await bindings.assign({ user: 'a:b', role: 'r:1', scope: policy, allowColon: true }),
      await bindings.replaceScope({ user: 'a:b', role: 'r:1', scope: { statements: [] }, allowColon: true }),
      await bindings.remove({ user: 'a:b', role: 'r:1' }),
    ];
    for (const one of writes) await passing(replica.reached(one));
    await passing(replica.reached(writes.map(({ revision }) => revision)));
    expect(replica.status.indexes).toEqual({ policies: 5, roles: 4, bindings: 4, groupBindings: 0 });
    const upserted = await bindings.upsert({ user: 'c', role: 'r', scope: policy });
    await passing(replica.reached(upserted.revision ?? expect.unreachable()));
    const same = await bindings.upsert({ user: 'c', role: 'r', scope: policy });
    expect([same.changed, same.revision]).toEqual([false, undefined]);
    // Another replica, which reads the state: earlier versions of an item are gone, but the last writes are known.
    const late = await open();
    await passing(late.reached([...writes.slice(-1), upserted.revision ?? expect.unreachable()]));
  });
});

test('a replica of another deployment never resolves for a write', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await using one = await createMock();
  await using other = await createMock();
  const { authorization: here } = await setUp(one);
  const { authorization: there, open } = await setUp(other);
  const replica = await open();
  await there.policies.create('p', { statements: [] });
  const first = await here.policies.create('q', { statements: [] });
  expect(await passing(failureOf(replica.reached(first)))).toMatchObject({ reason: 'OTHER_HISTORY' });
  const later = await here.policies.update('q', everywhere);
  const failure = await passing(failureOf(replica.reached(later, { timeout: 2_500 })));
  expect(['REPLICA', 'TIMEOUT']).toContain(failure.code);
});
