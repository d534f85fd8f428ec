import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReplicaTransport } from '../../../src/enforce/replica/index.ts';
import type { PoolItem } from '../../../src/policy/pool/pool-items.ts';
import { question, replicaOf } from './support/replicas.ts';
import { alicesPool, bindingItem, deletion, policyItem, type ScriptedPool } from './support/scripted-pool.ts';
import { alicesService, pass } from './support/services.ts';

// Another service takes over at the worst moments, or the current one sends only a part. Uses Vitest's fake timers.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const streams = ['PoolPolicyChanges', 'PoolRoleChanges', 'PoolUserRoleBindingChanges'] as const;

/** Advances time while these streams send empty messages every two seconds. */
async function quietFor(seconds: number, pool: ScriptedPool, quiet: readonly string[] = streams): Promise<void> {
  for (let s = 0; s < seconds; s += 2) {
    await pass(2_000);
    for (const method of streams) if (quiet.includes(method)) pool.last(method).send();
  }
  await pass(1);
}

async function start(transport: ScriptedPool) {
  const replica = replicaOf({ transport });
  const states: string[] = [];
  replica.on('status', ({ state }) => states.push(state));
  await pass(1);
  return { replica, states };
}

describe('changes that were made before a stream was opened', () => {
  // Bob was added after the last read, and removed at the end.
  const past = [
    bindingItem(1),
    bindingItem(2, 'bob'),
    ...Array.from({ length: 197 }, (_, i): PoolItem => bindingItem(i + 3, 'carol')),
    deletion(200, 'bob:r'),
  ];
  const bob = { ...question, user: 'bob' };

  test('are applied together: a past state never decides', async () => {
    const pool = alicesPool();
    pool.onOpen = ({ method }) => method === 'PoolUserRoleBindingChanges';
    const { replica } = await start(pool);
    const told: unknown[] = [];
    replica.on('change', ({ names }) => told.push(names.length));
    pool.last('PoolUserRoleBindingChanges').send(...past.slice(0, 128));
    await pass(1);
    expect([replica.status.state, told]).toEqual(['connecting', []]);
    pool.last('PoolUserRoleBindingChanges').send(...past.slice(128));
    await pass(1);
    expect([replica.live, replica.isAllowed(bob), told]).toEqual([true, false, [199]]);
    expect(replica.status.indexes.bindings).toBe(200);
  });

  test('do not count until all of them came, and are requested again if a stream breaks before that', async () => {
    const pool = alicesPool();
    const { replica, states } = await start(pool);
    pool.onOpen = ({ method }) => method === 'PoolUserRoleBindingChanges';
    pool.last('PoolUserRoleBindingChanges').fail(14);
    for (let i = 0; i < 12; i++) {
      await quietFor(6, pool, ['PoolPolicyChanges', 'PoolRoleChanges']);
      pool.last('PoolUserRoleBindingChanges').send(...past.slice(0, 128));
      await pass(1);
      pool.last('PoolUserRoleBindingChanges').fail(14);
      await pass(1);
    }
    expect([states, replica.isAllowed(bob)]).toEqual([['live', 'stale'], false]);
    await pass(15_000);
    expect(pool.last('PoolUserRoleBindingChanges').start).toBe(0);
    pool.last('PoolUserRoleBindingChanges').send(...past.slice(0, 128));
    pool.last('PoolUserRoleBindingChanges').send(...past.slice(128));
    await quietFor(2, pool);
    expect([replica.live, replica.isAllowed(bob)]).toEqual([true, false]);
  });
});

test('a service that repeats the newest item and then contradicts itself is reread after pauses only', async () => {
  const pool = alicesPool();
  pool.onOpen = (stream) => {
    if (stream.method !== 'PoolPolicyChanges') return false;
    setTimeout(() => stream.send(policyItem(1)), 5);
    setTimeout(() => stream.send(policyItem(9)), 10);
    return true;
  };
  await start(pool);
  await pass(60_000);
  // At once, then after 1, 2, 4, 8, 16 and 32 s.
  expect(pool.of('GetPolicy').length).toBeGreaterThan(4);
  expect(pool.of('GetPolicy').length).toBeLessThan(10);
});

test('a stream that stays with the old service while the others come from the new one is reopened', async () => {
  const [old, other] = [alicesService(), alicesService()];
  const connection = {};
  let now = old;
  // As behind a proxy that opens a connection for each stream.
  const transport: ReplicaTransport = {
    open: (...call) => now.open(...call),
    close: () => {
      old.close();
      other.close();
    },
    connection: () => connection,
  };
  const replica = replicaOf({ transport });
  await pass(5_000);
  expect(replica.live).toBe(true);
  now = other;
  // Only the streams of roles and bindings break: that of the policies keeps sending empty messages.
  old.refusal = 14;
  old.cutOnly = (kind) => kind !== 'policies';
  old.cut();
  await pass(20_000);
  other.write('policies', 'p', { statements: [] });
  await pass(10_000);
  expect([replica.live, replica.isAllowed(question)]).toEqual([true, false]);
});

test('a read that began before another history appeared does not confirm the state', async () => {
  const pool = alicesPool();
  const { replica, states } = await start(pool);
  let held = true;
  pool.onOpen = (stream) => {
    if (!/^Get/.test(stream.method)) return false;
    if (!held) stream.fail(14);
    return true;
  };
  pool.last('PoolRoleChanges').fail(14);
  await pass(6_000);
  expect(pool.of('GetPolicy')).toHaveLength(2);
  pool.last('PoolRoleChanges').send(bindingItem(7, 'x'));
  await pass(1);
  held = false;
  for (const [method, kind] of [
    ['GetPolicy', 'policies'],
    ['GetRole', 'roles'],
    ['GetUserRoleBinding', 'bindings'],
  ] as const) {
    pool.last(method).send(...pool.state[kind]);
    pool.last(method).end();
  }
  await quietFor(4, pool);
  expect([states, replica.live]).toEqual([['live', 'stale', 'live'], true]);
  // Every other read fails.
  await quietFor(750, pool);
  expect(states).toEqual(['live', 'stale', 'live', 'stale']);
});

test('the first break after a slow first read is followed by a read within 5 s, too', async () => {
  const pool = alicesPool();
  pool.onOpen = (stream) => {
    if (stream.method !== 'GetPolicy') return false;
    setTimeout(() => {
      stream.send(policyItem(1));
      stream.end();
    }, 3_000);
    return true;
  };
  await start(pool);
  await pass(3_100);
  await quietFor(20, pool);
  pool.last('PoolRoleChanges').fail(14);
  await quietFor(6, pool);
  expect(pool.of('GetPolicy')).toHaveLength(2);
});

test('a state whose read took more than a minute, with a break in between, is live only once confirmed', async () => {
  const pool = alicesPool();
  const { replica, states } = await start(pool);
  pool.onOpen = ({ method }) => /^Get/.test(method);
  pool.last('PoolRoleChanges').fail(14);
  await quietFor(6, pool);
  for (const method of ['GetPolicy', 'GetRole'] as const) {
    pool.last(method).send(...pool.state[method === 'GetPolicy' ? 'policies' : 'roles']);
    pool.last(method).end();
  }
  await quietFor(40, pool);
  pool.last('GetUserRoleBinding').send(bindingItem(1));
  pool.last('PoolRoleChanges').fail(14);
  await quietFor(40, pool);
  expect([states, replica.live]).toEqual([['live'], true]);
  // From now on no stream sends anything.
  pool.onOpen = () => true;
  pool.last('GetUserRoleBinding').end();
  await pass(1);
  expect([states, replica.live]).toEqual([['live', 'stale'], false]);
});

test('listeners receive the events in one order, even if one of them closes the replica', async () => {
  const replica = replicaOf({ transport: alicesPool() });
  const heard: string[] = [];
  replica.on('status', ({ state }) => {
    if (state === 'live') void replica.close();
  });
  replica.on('status', ({ state }) => heard.push(state));
  await pass(1);
  expect(heard).toEqual(['live', 'closed']);
});
