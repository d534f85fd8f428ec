import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Replica, ReplicaChange } from '../../../src/enforce/replica/index.ts';
import type { Credentials } from '../../../src/index.ts';
import { liveReplica, question, replicaOf } from './support/replicas.ts';
import { alicesPool, bindingItem, deletion, policyItem, roleItem, type ScriptedPool } from './support/scripted-pool.ts';

// The state machine, over a transport controlled by the test. Uses Vitest's fake timers.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const nothing = { statements: [] };

async function start(more: Partial<Parameters<typeof liveReplica>[0]> = {}): Promise<[Replica, ScriptedPool]> {
  const transport = alicesPool();
  const replica = await liveReplica({ transport, ...more });
  await pass();
  return [replica, transport];
}

describe('following', () => {
  test('begins one below the index of the last item, once for each kind', async () => {
    const transport = alicesPool();
    transport.state.policies.push(policyItem(7, 'q'));
    await liveReplica({ transport });
    await pass();
    expect(transport.streams.map(({ method, start }) => [method, start])).toEqual([
      ['GetPolicy', undefined],
      ['GetRole', undefined],
      ['GetUserRoleBinding', undefined],
      ['PoolPolicyChanges', 6],
      ['PoolRoleChanges', 0],
      ['PoolUserRoleBindingChanges', 0],
    ]);
  });

  test('a change applies at once, and is emitted', async () => {
    const [replica, transport] = await start();
    const changes: ReplicaChange[] = [];
    const end = replica.on('change', (change) => changes.push(change));
    replica.on('change', () => {
      throw new Error('not our concern');
    });
    transport.last('PoolPolicyChanges').send(policyItem(2, 'q', nothing), policyItem(3, 'p', nothing));
    await pass();
    expect(replica.isAllowed(question)).toBe(false);
    end();
    transport.last('PoolPolicyChanges').send(policyItem(4));
    await pass();
    expect(replica.isAllowed(question)).toBe(true);
    expect(changes).toEqual([{ kind: 'policies', names: ['q', 'p'] }]);
    expect(replica.status).toMatchObject({ state: 'live', indexes: { policies: 4, roles: 1, bindings: 1 } });
  });

  test.each(['policy', 'role', 'binding'])('treats an item without content as a deletion: %s', async (what) => {
    const [replica, transport] = await start();
    if (what === 'policy') transport.last('PoolPolicyChanges').send(deletion(2, 'p'));
    if (what === 'role') transport.last('PoolRoleChanges').send(deletion(2, 'r'));
    if (what === 'binding') transport.last('PoolUserRoleBindingChanges').send(deletion(2, 'alice:r'));
    await pass();
    expect(replica.isAllowed(question)).toBe(false);
  });

  test('users and roles may contain colons', async () => {
    const [replica, transport] = await start();
    transport.last('PoolRoleChanges').send(roleItem(2, 'r:1'));
    transport.last('PoolUserRoleBindingChanges').send(bindingItem(2, 'a:b', 'r:1'));
    await pass();
    expect(replica.isAllowed({ ...question, user: 'a:b' })).toBe(true);
    // By the prefix of the name.
    expect(replica.isAllowed({ ...question, user: 'a' })).toBe(true);
    transport.last('PoolUserRoleBindingChanges').send(deletion(3, 'a:b:r:1'));
    await pass();
    expect(replica.isAllowed({ ...question, user: 'a:b' })).toBe(false);
    expect(replica.isAllowed({ ...question, user: 'a' })).toBe(false);
  });

  test('a change between a read and the opening of a stream applies, whatever came before the read', async () => {
    const [replica, transport] = await start();
    const stream = () => transport.last('PoolUserRoleBindingChanges');
    stream().send(bindingItem(2, 'bob'), bindingItem(3, 'carol'), deletion(4, 'bob:r'));
    await pass();
    // A full read from another server: it has the state of the first read, and one change since.
    const lost = stream();
    transport.changes.bindings.clear();
    transport.changes.bindings.set(2, deletion(2, 'alice:r'));
    transport.onOpen = ({ method }) => {
      if (method === 'PoolUserRoleBindingChanges') expect(replica.isAllowed(question)).toBe(true);
      return false;
    };
    lost.send(bindingItem(9, 'dave'));
    await pass();
    expect([transport.of('GetUserRoleBinding').length, stream().start]).toEqual([2, 0]);
    expect(replica.isAllowed(question)).toBe(false);
  });
});

describe('a broken stream', () => {
  test('is reopened from the last index, with backoff of at most 15 s; the others at once', async () => {
    const [replica, transport] = await start();
    transport.last('PoolRoleChanges').send(roleItem(2, 'other'));
    await pass();
    const waits: number[] = [];
    let openedAt = 0;
    transport.onOpen = ({ method }) => {
      if (method !== 'PoolRoleChanges') return false;
      openedAt = Date.now();
      return true;
    };
    for (let i = 1; i <= 9; i++) {
      for (const other of ['PoolPolicyChanges', 'PoolUserRoleBindingChanges'] as const) transport.last(other).send();
      const failing = transport.last('PoolRoleChanges');
      failing.fail(14, 'gone');
      // A busy machine takes a few turns until the failure has arrived: the clock stands still meanwhile.
      while (failing.open) await pass();
      await pass();
      const before = Date.now();
      while (transport.of('PoolRoleChanges').length === i) await pass(10);
      waits.push(openedAt - before);
    }
    for (const [i, wait] of waits.entries()) {
      const most = Math.min(15_000, 250 * 2 ** i);
      expect(wait, `wait ${i}`).toBeGreaterThanOrEqual(most / 2);
      expect(wait, `wait ${i}`).toBeLessThanOrEqual(most + 1);
    }
    expect(transport.last('PoolRoleChanges').start).toBe(1);
    expect([transport.of('GetRole').length, transport.of('PoolPolicyChanges').length]).toEqual([1, 10]);
    expect(transport.of('PoolPolicyChanges').map(({ open }) => open)).toEqual([...Array(9).fill(false), true]);
    expect(replica.status).toMatchObject({ state: 'live', lastError: { code: 'UNAVAILABLE', message: 'gone' } });

    transport.last('PoolRoleChanges').send(roleItem(2, 'other'));
    await pass();
    transport.last('PoolRoleChanges').end();
    await pass(260);
    expect(transport.of('PoolRoleChanges').length).toBe(11);
  });

  test('that is silent is given up after 20 s, even if the connection is alive', async () => {
    const [, transport] = await start();
    await pass(19_000);
    transport.last('PoolPolicyChanges').send();
    transport.last('PoolRoleChanges').send();
    await pass(2_000);
    expect(transport.of('PoolUserRoleBindingChanges').length).toBe(2);
    expect(transport.of('PoolUserRoleBindingChanges')[0]?.open).toBe(false);
  });

  test('during a read restarts the read', async () => {
    const transport = alicesPool();
    let times = 0;
    transport.onOpen = (stream) => {
      if (stream.method !== 'GetUserRoleBinding' || times++ > 0) return false;
      stream.send(bindingItem(1));
      stream.fail(13);
      return true;
    };
    const replica = replicaOf({ transport });
    await pass();
    expect(replica.status).toMatchObject({ state: 'connecting', lastError: { code: 'INTERNAL' } });
    await pass(250);
    expect(replica.isAllowed(question)).toBe(true);
    expect(transport.of('GetPolicy').length).toBe(2);
  });
});

test('streams over another connection than that of the read are followed by a read within 5 s', async () => {
  const transport = alicesPool();
  let connection = {};
  transport.onOpen = ({ method }) => {
    // As behind a proxy: the connection was renewed after the read.
    if (method === 'PoolPolicyChanges') connection = {};
    return false;
  };
  const replica = await liveReplica({ transport: Object.assign(transport, { connection: () => connection }) });
  await pass();
  expect(transport.of('GetPolicy')).toHaveLength(1);
  for (let s = 0; s < 5; s++) {
    await pass(1_000);
    for (const method of ['PoolPolicyChanges', 'PoolRoleChanges', 'PoolUserRoleBindingChanges'] as const)
      transport.last(method).send();
  }
  await pass();
  expect([transport.of('GetPolicy').length, replica.live]).toEqual([2, true]);
});

describe('a full read', () => {
  const ways: readonly (readonly [string, boolean, (transport: ScriptedPool) => void])[] = [
    ['after OUT_OF_RANGE', true, (transport) => transport.last('PoolPolicyChanges').fail(11, 'out of bounds')],
    ['if an index goes backwards', false, (transport) => transport.last('PoolPolicyChanges').send(policyItem(4, 'x'))],
    ['if a change is missing', false, (transport) => transport.last('PoolPolicyChanges').send(policyItem(7, 'x'))],
  ];

  test.each(ways)('begins at once %s, and replaces the state as a whole', async (_, othersGoOn, lose) => {
    const [replica, transport] = await start();
    transport.last('PoolPolicyChanges').send(policyItem(2), policyItem(3), policyItem(4), policyItem(5));
    await pass();
    transport.state.policies = [policyItem(9, 'p', nothing)];
    transport.onOpen = ({ method }) => method === 'GetRole';
    const changes: ReplicaChange[] = [];
    replica.on('change', (change) => changes.push(change));
    lose(transport);
    await pass();
    // The new policies are read, the roles are not: decisions do not change yet.
    expect(transport.of('GetPolicy').length).toBe(2);
    expect([replica.isAllowed(question), replica.status.indexes.policies]).toEqual([true, 5]);
    expect([transport.of('PoolRoleChanges')[0]?.open, replica.live]).toEqual([othersGoOn, othersGoOn]);
    transport.last('GetRole').send(roleItem(1));
    await pass();
    expect(replica.isAllowed(question)).toBe(true);
    transport.last('GetRole').end();
    await pass();
    expect([replica.isAllowed(question), replica.status.indexes.policies]).toEqual([false, 9]);
    await vi.waitFor(() => expect(changes).toEqual([{ kind: 'policies', names: ['p'] }]));
    expect(transport.last('PoolPolicyChanges').start).toBe(8);
    expect(replica.status).toMatchObject({ state: 'live', rereading: false, lastError: { code: 'OUT_OF_RANGE' } });
  });

  test('applies the same change once if it comes twice', async () => {
    const [, transport] = await start();
    transport.last('PoolPolicyChanges').send(policyItem(2));
    transport.last('PoolPolicyChanges').send(policyItem(2), policyItem(3));
    await pass();
    expect(transport.of('GetPolicy').length).toBe(1);
    expect(transport.last('PoolPolicyChanges').open).toBe(true);
  });

  test('is repeated after 1 s, doubled up to 45 s, if it does not help: status.rereading is true, and other kinds go on', async () => {
    const [replica, transport] = await start();
    const lost = () => transport.last('PoolPolicyChanges').fail(11, 'out of bounds');
    transport.onOpen = ({ method }) => method === 'PoolPolicyChanges';
    const states: string[] = [];
    replica.on('status', ({ state }) => states.push(state));
    lost();
    await pass();
    expect([transport.of('GetPolicy').length, replica.status.rereading]).toEqual([2, false]);
    for (const [i, wait] of [1, 2, 4, 8, 16, 32, 45, 45].entries()) {
      lost();
      await pass();
      expect(replica.status.rereading).toBe(true);
      for (const one of ['PoolRoleChanges', 'PoolUserRoleBindingChanges'] as const) transport.last(one).send();
      for (let s = 1; s < wait; s++) {
        await pass(1_000);
        for (const one of ['PoolRoleChanges', 'PoolUserRoleBindingChanges'] as const) transport.last(one).send();
      }
      await pass(990);
      expect(transport.of('GetPolicy').length, `before ${wait} s`).toBe(i + 2);
      await pass(10);
      expect(transport.of('GetPolicy').length, `after ${wait} s`).toBe(i + 3);
    }
    lost();
    await pass();
    transport.last('PoolUserRoleBindingChanges').send(deletion(2, 'alice:r'));
    await pass();
    expect(replica.isAllowed(question)).toBe(false);

    // A state that was read within the last minute is confirmed.
    expect(states).toEqual([]);

    transport.state.bindings = [];
    await pass(60_000);
    transport.last('PoolPolicyChanges').send(policyItem(1));
    await pass();
    expect(replica.status.rereading).toBe(false);
    // It is followed for more than a minute.
    for (let s = 0; s < 80; s += 2) {
      for (const { method, open } of transport.streams)
        if (/Changes$/.test(method) && open) transport.last(method).send();
      await pass(2_000);
    }
    lost();
    await pass();
    expect(replica.status.rereading).toBe(false);
  });
});

describe('a refused token', () => {
  /** Credentials that count renewals, and return another token after each. */
  function counting(renews: boolean) {
    let number = 1;
    const rejected: string[] = [];
    const given: Credentials = {
      authorize: () => `Bearer canary-${number}`,
      reject(value) {
        rejected.push(value);
        if (renews) number++;
        return renews;
      },
    };
    return { credentials: given, rejected };
  }

  test('is renewed once, and the call repeated at once', async () => {
    const { credentials, rejected } = counting(true);
    const transport = alicesPool();
    transport.onOpen = (stream) => {
      if (stream.method !== 'GetPolicy' || stream.authorization !== 'Bearer canary-1') return false;
      stream.fail(16, 'token is expired');
      return true;
    };
    const replica = await liveReplica({ transport, credentials });
    expect(rejected).toEqual(['Bearer canary-1']);
    expect(transport.of('GetPolicy').map(({ authorization }) => authorization)).toEqual([
      'Bearer canary-1',
      'Bearer canary-2',
    ]);
    expect(replica.status.lastError).toBeUndefined();
  });

  test.each([true, false])('that stays refused makes ready reject at once (renewable: %s)', async (renews) => {
    const { credentials, rejected } = counting(renews);
    const transport = alicesPool();
    transport.onOpen = (stream) => {
      stream.fail(16, `no good: ${stream.authorization?.slice('Bearer '.length)}`);
      return true;
    };
    const replica = replicaOf({ transport, credentials });
    const error = await replica.ready().catch((reason) => reason);
    expect(error).toMatchObject({
      code: 'REPLICA',
      reason: 'NOT_READY',
      message: expect.stringContaining('UNAUTHENTICATED'),
    });
    expect(JSON.stringify([error, replica.status]) + error.stack).not.toContain('canary');
    expect(rejected.length).toBe(3);
    await expect(replica.ready()).rejects.toMatchObject({ reason: 'NOT_READY' });
    // It keeps retrying: an operator may fix it.
    transport.onOpen = () => false;
    await pass(250);
    expect(replica.live).toBe(true);
  });
});

describe('time', () => {
  const keepAlive = async (
    transport: ScriptedPool,
    seconds: number,
    kinds: readonly Parameters<ScriptedPool['of']>[0][],
  ) => {
    for (let s = 0; s < seconds; s += 10) {
      await pass(10_000);
      for (const method of kinds) transport.last(method).send();
    }
    await pass();
  };

  test.each(['serve', 'refuse'] as const)(
    'a minute without a message of one kind is stale; whenStale: %s',
    async (whenStale) => {
      const [replica, transport] = await start({ whenStale });
      transport.onOpen = ({ method }) => method === 'PoolUserRoleBindingChanges';
      const states: string[] = [];
      replica.on('status', ({ state }) => states.push(state));
      await keepAlive(transport, 50, ['PoolPolicyChanges', 'PoolRoleChanges']);
      expect(replica.status.state).toBe('live');
      await keepAlive(transport, 10, ['PoolPolicyChanges', 'PoolRoleChanges']);
      const { status } = replica;
      expect([status.state, replica.live]).toEqual(['stale', false]);
      expect(status.since.getTime()).toBe(Date.now());
      if (whenStale === 'serve') expect(replica.isAllowed(question)).toBe(true);
      else {
        expect(() => replica.isAllowed(question)).toThrow(
          expect.objectContaining({ code: 'REPLICA', reason: 'STALE' }),
        );
      }
      await replica.ready();
      transport.last('PoolUserRoleBindingChanges').send(bindingItem(1));
      await pass();
      expect([replica.status.state, replica.isAllowed(question)]).toEqual(['live', true]);
      expect(states).toEqual(['stale', 'live']);
    },
  );

  test('a wall clock that jumps by a minute is noticed at the next beat, without a question', async () => {
    const [replica, transport] = await start();
    transport.onOpen = () => true;
    const states: string[] = [];
    replica.on('status', ({ state }) => states.push(state));
    vi.setSystemTime(Date.now() + 61_000);
    await pass(5_000);
    expect(states).toEqual(['stale']);
  });

  test('lastMessageAt is the time of any message: of a read, and an empty one of a stream', async () => {
    const transport = alicesPool();
    transport.onOpen = ({ method }) => method === 'GetPolicy';
    const replica = replicaOf({ transport });
    await pass(1_000);
    const read = () => replica.status.lastMessageAt?.getTime();
    expect(read()).toBe(Date.now() - 1_000);
    transport.last('GetPolicy').send(policyItem(1));
    await pass();
    expect([read(), replica.status.state]).toEqual([Date.now(), 'connecting']);
    transport.last('GetPolicy').end();
    await pass(3_000);
    transport.last('PoolRoleChanges').send();
    await pass(500);
    expect(read()).toBe(Date.now() - 500);
  });

  test('ready: a timeout names the last failure, a signal cancels, and neither ends the replica', async () => {
    const transport = alicesPool();
    transport.onOpen = (stream) => {
      stream.fail(14, 'not there yet');
      return true;
    };
    const replica = replicaOf({ transport });
    const late = replica.ready({ timeout: 5_000 }).catch((error) => error);
    await pass(5_000);
    expect(await late).toMatchObject({
      code: 'REPLICA',
      message: expect.stringMatching(/5000 ms.*UNAVAILABLE not there/),
    });
    const controller = new AbortController();
    const cancelled = replica.ready({ signal: controller.signal }).catch((error) => error);
    await pass();
    controller.abort('enough');
    expect(await cancelled).toMatchObject({ code: 'ABORTED', cause: 'enough' });
    transport.onOpen = () => false;
    const ready = replica.ready();
    await pass(15_000);
    await ready;
  });

  test('ready: a timeout before any failure is a TimeoutError', async () => {
    const transport = alicesPool();
    transport.onOpen = () => true;
    const late = replicaOf({ transport })
      .ready({ timeout: 100 })
      .catch((error) => error);
    await pass(100);
    expect(await late).toMatchObject({ code: 'TIMEOUT', timeout: 100 });
  });
});

test('close ends streams, timers and waits, once', async () => {
  const [replica, transport] = await start();
  const states: string[] = [];
  replica.on('status', ({ state }) => states.push(state));
  const waiting = replicaOf({ transport: Object.assign(alicesPool(), { onOpen: () => true }) });
  const ready = waiting.ready().catch((error) => error);
  await pass();
  await Promise.all([replica.close(), replica.close(), waiting.close()]);
  expect(await ready).toMatchObject({ code: 'REPLICA', reason: 'CLOSED' });
  expect([transport.closed, transport.streams.filter(({ open }) => open), states]).toEqual([true, [], ['closed']]);
  expect(() => replica.evaluate(question)).toThrow(expect.objectContaining({ code: 'REPLICA', reason: 'CLOSED' }));
  await expect(replica.ready()).rejects.toMatchObject({ reason: 'CLOSED' });
  expect(vi.getTimerCount()).toBe(0);
});
