import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Replica, ReplicaOptions } from '../../../src/enforce/replica/index.ts';
import { type PoolKind, poolKinds } from '../../../src/policy/pool/pool-items.ts';
import { PoolService } from './support/pool-service.ts';
import { question, replicaOf } from './support/replicas.ts';
import { everywhere } from './support/scripted-pool.ts';
import { alicesService, pass } from './support/services.ts';

// A service that is restored from a backup, or replaced by another one. Uses Vitest's fake timers.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function start(service: PoolService, options: Partial<ReplicaOptions> = {}): Promise<[Replica, string[]]> {
  const replica = replicaOf({ transport: service, ...options });
  const states: string[] = [];
  replica.on('status', ({ state }) => states.push(state));
  await pass(5_000);
  expect(states).toEqual(['live']);
  return [replica, states];
}

describe('another history', () => {
  test('with lower indexes is detected by the first empty message', async () => {
    const service = new PoolService();
    const backup = service.save();
    service.write('policies', 'p', everywhere);
    service.write('roles', 'r', { policies: ['p'] });
    service.write('bindings', 'bob:r', { role: 'r', scope: everywhere });
    service.write('bindings', 'alice:r', { role: 'r', scope: everywhere });
    const [replica, states] = await start(service);
    expect(replica.isAllowed(question)).toBe(true);
    service.restore(backup);
    service.write('policies', 'p', everywhere);
    service.write('roles', 'r', { policies: ['p'] });
    service.write('bindings', 'bob:r', { role: 'r', scope: everywhere });
    await pass(10_000);
    expect(replica.isAllowed(question)).toBe(false);
    expect(replica.isAllowed({ ...question, user: 'bob' })).toBe(true);
    expect([states, replica.status.indexes.bindings]).toEqual([['live', 'stale', 'live'], 1]);
    expect(replica.status.lastError).toMatchObject({
      message: "the service does not have this copy's bindings: it has none with the index 2",
    });
  });

  test.each(['policies', 'roles', 'bindings'] as const)(
    'that is longer is detected by the repeated item: %s',
    async (kind: PoolKind) => {
      const service = alicesService();
      const [replica] = await start(service);
      // The other one has the same names, in another order, and more of them.
      const other = alicesService();
      for (const one of poolKinds) other.history[one].length = one === kind ? 0 : other.history[one].length;
      other.write(
        kind,
        'other',
        kind === 'roles' ? { policies: [] } : kind === 'policies' ? { statements: [] } : undefined,
      );
      for (let i = 0; i < 5; i++) other.write(kind, `more${i}`, undefined);
      service.restore(other.save());
      await pass(10_000);
      expect([replica.isAllowed(question), replica.live]).toEqual([false, true]);
      expect(replica.status.indexes[kind]).toBe(6);
    },
  );

  test('whose newest item has the same name and index, but other content, is detected', async () => {
    const service = alicesService();
    const [replica] = await start(service);
    const other = alicesService();
    other.history.policies[0] = { name: 'p', index: 1, item: { statements: [] } };
    service.restore(other.save());
    await pass(2_000);
    expect([replica.isAllowed(question), replica.live]).toEqual([false, true]);
    expect(replica.status.lastError?.message).toContain('index 1 is another item');
  });

  test('with the same newest items, and different ones below them, is detected by the read after a break', async () => {
    const service = alicesService();
    service.write('policies', 'no', { statements: [{ effect: 'Deny', actions: ['*'], resources: ['*'] }] });
    service.write('roles', 'r', { policies: ['p', 'no'] });
    const backup = service.save();
    service.write('policies', 'no', undefined);
    service.write('policies', 'last', everywhere);
    const [replica, states] = await start(service, { whenStale: 'refuse' });
    expect(replica.isAllowed(question)).toBe(true);
    const other = { index: 3, name: 'other', item: everywhere };
    service.restore({ ...backup, policies: [...backup.policies, other, { ...other, index: 4, name: 'last' }] });
    await pass(10_000);
    expect([replica.isAllowed(question), states]).toEqual([false, ['live']]);
  });

  test('that takes over between the read and the streams is detected without a break', async () => {
    const service = alicesService();
    service.write('bindings', 'last:r', { role: 'r', scope: everywhere });
    const other = service.save();
    // alice's grant is missing in the other history; the newest remaining item is the same.
    const replica = replicaOf({ transport: service });
    service.write('bindings', 'alice:r', undefined);
    while (service.reads < 3) await pass(1);
    await pass(2);
    expect(replica.status.state).toBe('connecting');
    service.restore(other);
    await pass(12_000);
    expect([replica.isAllowed(question), replica.live]).toEqual([true, true]);
  });

  test('that came while changes were out of range is detected', async () => {
    const service = alicesService();
    const backup = service.save();
    for (let i = 0; i < 1_100; i++) service.write('policies', 'churn', i % 2 === 0 ? { statements: [] } : undefined);
    const [replica, states] = await start(service);
    await pass(300_000);
    expect([replica.live, replica.status.rereading, states]).toEqual([true, true, ['live']]);
    service.write('bindings', 'alice:r', undefined);
    await pass(1_100);
    expect(replica.isAllowed(question)).toBe(false);
    service.restore(backup);
    await pass(600_000);
    expect([replica.live, replica.status.rereading, replica.isAllowed(question)]).toEqual([true, false, true]);
  });
});

describe('after a break', () => {
  test('reads the state again once, after 0 to 5 s; a failed read is repeated after 1 s, doubled up to 15 s', async () => {
    const service = alicesService();
    const [replica, states] = await start(service);
    expect(service.reads).toBe(3);
    service.refuses = (_, isRead) => isRead;
    service.refusal = 14;
    service.cut();
    const failed: number[] = [];
    let last = replica.status.lastError?.at;
    for (let ms = 0; ms < 90_000; ms += 10) {
      await pass(10);
      const { lastError } = replica.status;
      if (lastError?.message === 'refused' && lastError.at !== last) failed.push(ms);
      last = lastError?.at;
    }
    // All three fail at once; the first of them begins after the streams were accepted, which takes a tick.
    expect(failed[0]).toBeLessThan(500 + 1_000 + 5_000 + 200);
    const waits = failed.slice(1).map((at, i) => Math.round((at - (failed[i] ?? 0)) / 1_000));
    expect(waits.slice(0, 6)).toEqual([1, 2, 4, 8, 15, 15]);
    expect(states).toEqual(['live']);
    service.refusal = undefined;
    await pass(30_000);
    expect(service.reads).toBe(6);
    await pass(600_000);
    expect(service.reads).toBe(6);
  });

  test('changes during the read count, and those that it already includes are not undone', async () => {
    const service = alicesService();
    for (let i = 0; i < 2_000; i++) service.write('bindings', `u${i}:r`, { role: 'r', scope: everywhere });
    const [replica] = await start(service);
    // The first read took longer than it would alone; reads wait until they take at most 1/200 of the time.
    await pass(600_000);
    service.cut();
    await pass(1_300);
    for (let i = 0; i < 200; i++) {
      service.write('bindings', 'alice:r', i % 2 === 0 ? undefined : { role: 'r', scope: everywhere });
      service.write('policies', 'p', i % 2 === 0 ? { statements: [] } : everywhere);
      await pass(47);
      if (i % 4 === 3) service.write('bindings', `v${i}:r`, { role: 'r', scope: everywhere });
    }
    service.write('bindings', 'alice:r', undefined);
    await pass(2_000);
    expect(service.reads).toBe(6);
    expect([replica.isAllowed(question), replica.live]).toEqual([false, true]);
    expect(replica.isAllowed({ ...question, user: 'v199' })).toBe(true);
    expect(replica.status.indexes.bindings).toBe(service.history.bindings.length);
  });

  test('a copy that could not be read again for ten minutes is stale, although its newest items agree', async () => {
    const service = alicesService();
    const [, states] = await start(service);
    service.refuses = (_, isRead) => isRead;
    service.refusal = 14;
    service.cut();
    await pass(600_000);
    expect(states).toEqual(['live']);
    await pass(130_000);
    expect(states).toEqual(['live', 'stale']);
    service.refusal = undefined;
    // The next read waits for 200 times as long as the last one really took.
    await pass(120_000);
    expect(states).toEqual(['live', 'stale', 'live']);
  });
});

test('a read that drips empty messages does not keep a frozen copy live, and is given up', async () => {
  const service = alicesService();
  const [replica, states] = await start(service);
  let dripped = 0;
  const plain = service.open.bind(service);
  service.open = async function* (call, authorization, signal) {
    if (call.changes !== undefined) return yield* plain(call, authorization, signal);
    while (!signal.aborted) {
      dripped++;
      yield [];
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  service.cut();
  await pass(6_000);
  expect(dripped).toBeGreaterThan(0);
  service.frozen = true;
  await pass(65_000);
  expect([dripped > 100, replica.live, states]).toEqual([true, false, ['live', 'stale']]);
  expect(replica.status.lastError?.code).toBe('DEADLINE_EXCEEDED');
});

test('no message before a stream is accepted keeps it live', async () => {
  const service = alicesService();
  const [, states] = await start(service);
  const plain = service.open.bind(service);
  // After the break it sends older items instead of the requested ones.
  service.open = async function* (call, authorization, signal) {
    if (call.changes === undefined) throw Object.assign(new Error('away'), { code: 14 });
    yield* plain({ ...call, changes: { ...call.changes, start: call.changes.start + 1_000 } }, authorization, signal);
  };
  service.cut();
  await pass(70_000);
  expect(states).toEqual(['live', 'stale']);
});
