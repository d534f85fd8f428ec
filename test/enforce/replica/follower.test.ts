import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Follower, type Loss } from '../../../src/enforce/replica/follower.ts';
import { PoolSession } from '../../../src/enforce/replica/pool-session.ts';
import { type Failure, toReplicaFailure } from '../../../src/enforce/replica/replica-failure.ts';
import { SyncedState } from '../../../src/enforce/replica/synced-state.ts';
import type { PoolItem } from '../../../src/policy/pool/pool-items.ts';
import { alicesPool, deletion, everywhere, policyItem } from './support/scripted-pool.ts';

// One follower, its events and each of its decisions, over a transport controlled by the test. Uses Vitest's fake timers.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const minute = 60_000;

function stateWith(...items: PoolItem[]): SyncedState {
  const state = new SyncedState('documented', false);
  for (const item of items) state.apply('policies', item);
  return state;
}

/** Follows the policies of a state. `hear` runs before each message. */
async function follow(state: SyncedState, hear: (follower: Follower) => void = () => {}) {
  const pool = alicesPool();
  pool.onOpen = () => true;
  const session = new PoolSession(pool, { credentials: undefined, context: {} as never });
  const events: string[] = [];
  const failures: Failure[] = [];
  const losses: Loss[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const follower: Follower = new Follower(
    { kind: 'policies', state },
    session,
    {
      hearing: () => hear(follower),
      accepted: (kind) => events.push(`accepted ${kind}`),
      heard: (kind) => events.push(`heard ${kind}`),
      changed: (kind, items) => events.push(`changed ${kind} ${items.map(({ index }) => index)}`),
      broke: (kind) => events.push(`broke ${kind}`),
      failed: (failure) => failures.push(failure),
      lost: (loss) => losses.push(loss),
      toFailure: (error) => toReplicaFailure(error, undefined),
    },
    stop.signal,
  );
  await pass();
  const stream = () => pool.last('PoolPolicyChanges');
  return { follower, pool, stream, stop, events, failures, losses };
}

/** Follows the policies of a state whose newest item has the index 1, on an accepted stream. */
async function accepted() {
  const followed = await follow(stateWith(policyItem(1)));
  followed.stream().send(policyItem(1));
  await pass();
  return followed;
}

describe('a stream', () => {
  test('of an empty state begins at 0, and its first message is accepted', async () => {
    const { stream, follower, events } = await follow(stateWith());
    expect([stream().start, follower.accepted]).toEqual([0, false]);
    stream().send();
    await pass();
    expect([follower.accepted, events]).toEqual([true, ['accepted policies', 'heard policies']]);
  });

  test('that repeats the newest item is accepted once, without a change', async () => {
    const { stream, events } = await accepted();
    expect(stream().start).toBe(0);
    stream().send();
    await pass();
    expect(events).toEqual(['accepted policies', 'heard policies', 'heard policies']);
  });

  test('applies a full message at once if it is accepted', async () => {
    const { stream, events } = await accepted();
    const items = Array.from({ length: 128 }, (_, i) => policyItem(i + 2, `p${i}`));
    stream().send(...items);
    await pass();
    expect(events.slice(2)).toEqual([`changed policies ${items.map(({ index }) => index)}`, 'heard policies']);
  });

  test('ignores items that it has sent before', async () => {
    const { stream, events, losses } = await accepted();
    stream().send(policyItem(2), policyItem(2), policyItem(3));
    await pass();
    expect([events[2], losses]).toEqual(['changed policies 2,3', []]);
  });

  test('that ends is UNAVAILABLE, and another one is opened after at most 250 ms', async () => {
    const { stream, pool, events, failures } = await accepted();
    stream().end();
    await pass();
    expect(failures).toMatchObject([{ code: 'UNAVAILABLE', message: 'the stream of the policies ended' }]);
    expect(events.at(-1)).toBe('broke policies');
    await pass(250);
    expect(pool.of('PoolPolicyChanges')).toHaveLength(2);
  });

  test('without a message for 20 s is DEADLINE_EXCEEDED', async () => {
    const { failures } = await accepted();
    await pass(19_999);
    expect(failures).toEqual([]);
    await pass(1);
    expect(failures).toMatchObject([
      { code: 'DEADLINE_EXCEEDED', message: 'following the policies: no message for 20 s' },
    ]);
  });

  test('without the permission names the permission and the resource', async () => {
    const { stream, failures } = await accepted();
    stream().fail(7, 'no');
    await pass();
    expect(failures).toMatchObject([
      {
        code: 'PERMISSION_DENIED',
        message:
          'no; following the policies needs the permission rbac:PoolPolicy on the resource "", ' +
          'which only the pattern * matches',
      },
    ]);
  });

  test('that fails for another reason has the message of the service', async () => {
    const { stream, failures } = await accepted();
    stream().fail(13, 'broken');
    await pass();
    expect(failures).toMatchObject([{ code: 'INTERNAL', message: 'broken' }]);
  });
});

describe('a restart', () => {
  test('opens another stream at once, without a failure, and is not a break', async () => {
    const { follower, pool, events, failures } = await accepted();
    const before = events.length;
    follower.restart();
    expect(follower.accepted).toBe(false);
    await pass();
    expect([pool.of('PoolPolicyChanges').map(({ open }) => open), failures]).toEqual([[false, true], []]);
    expect(events).toHaveLength(before);
  });

  test('while a message arrives drops that message', async () => {
    let restarts = false;
    const { stream, pool, events } = await follow(stateWith(policyItem(1)), (follower) => {
      if (restarts) follower.restart();
      restarts = false;
    });
    stream().send(policyItem(1));
    await pass();
    restarts = true;
    stream().send(deletion(2, 'p'));
    await pass();
    expect(events).toEqual(['accepted policies', 'heard policies']);
    // The next one begins where the copy is.
    expect(pool.of('PoolPolicyChanges').map(({ start }) => start)).toEqual([0, 0]);
  });

  test('after the end opens no stream', async () => {
    const { follower, pool, events, failures } = await accepted();
    follower.end();
    await follower.done;
    follower.restart();
    await pass(minute);
    expect([pool.of('PoolPolicyChanges').map(({ open }) => open), failures]).toEqual([[false], []]);
    expect(events).toEqual(['accepted policies', 'heard policies']);
  });
});

describe('another history', () => {
  const newest = policyItem(5, 'p');

  test.each<readonly [string, readonly PoolItem[], string]>([
    ['without the newest item', [], 'it has none with the index 5'],
    ['with another name', [policyItem(5, 'q')], 'index 5 is another item'],
    ['with another content', [policyItem(5, 'p', { statements: [] })], 'index 5 is another item'],
    ['with another item above it', [policyItem(6, 'q')], 'index 5 is another item'],
    ['with the same name two above it', [policyItem(7, 'p')], 'index 5 is another item'],
  ])('%s is lost', async (_, items, problem) => {
    const { stream, losses, events } = await follow(stateWith(newest));
    expect(stream().start).toBe(4);
    stream().send(...items);
    await pass();
    expect(losses).toMatchObject([
      {
        kind: 'policies',
        refutes: true,
        followed: false,
        failure: { code: 'OUT_OF_RANGE', message: `the service does not have this copy's policies: ${problem}` },
      },
    ]);
    expect(events).toEqual([]);
  });

  test('begins where a later write has replaced the newest item', async () => {
    const { stream, losses, events } = await follow(stateWith(newest));
    stream().send(policyItem(6, 'p', { statements: [] }), policyItem(7, 'q'));
    await pass();
    expect([losses, events]).toEqual([[], ['changed policies 6,7', 'accepted policies', 'heard policies']]);
  });

  test('that skips an index applies what comes before the gap, and ends', async () => {
    const { follower, stream, losses, events } = await accepted();
    stream().send(policyItem(2), policyItem(4), policyItem(5));
    await follower.done;
    expect(events.slice(2)).toEqual(['changed policies 2']);
    expect(losses).toMatchObject([
      { refutes: true, failure: { message: 'the index of the policies went from 2 to 4' } },
    ]);
  });

  test('is not concluded from OUT_OF_RANGE, which means that only the changes are gone', async () => {
    const { stream, losses, failures } = await accepted();
    stream().fail(11, 'out of bounds');
    await pass();
    expect([losses.map(({ refutes, failure }) => [refutes, failure.message]), failures]).toEqual([
      [[false, 'out of bounds']],
      [],
    ]);
  });

  test.each([
    [minute, true],
    [minute - 1, false],
  ])('that ends a stream accepted for %i ms is reported with followed: %s', async (ms, isFollowed) => {
    const { stream, losses } = await accepted();
    for (let left = ms; left > 0; left -= 10_000) {
      await pass(Math.min(left, 10_000));
      stream().send();
    }
    await pass();
    stream().fail(11);
    await pass();
    expect(losses).toMatchObject([{ followed: isFollowed }]);
  });

  test('that ends a stream after two minutes, none of them accepted, is reported with followed: false', async () => {
    const { stream, losses, pool } = await follow(stateWith(policyItem(1)));
    await pass(2 * minute);
    while (!stream().open) await pass(100);
    expect(pool.of('PoolPolicyChanges').length).toBeGreaterThan(2);
    stream().fail(11);
    await pass();
    expect(losses).toMatchObject([{ followed: false }]);
  });
});

describe('a full read', () => {
  test('lets an accepted stream go on, with the changes that the read does not have', async () => {
    const { follower, stream, events } = await accepted();
    follower.readBegins();
    stream().send(policyItem(2, 'q'), policyItem(3, 'r'));
    await pass();
    const state = stateWith(policyItem(1), policyItem(2, 'q'));
    expect(follower.goOn(state)).toBe(true);
    expect(state.copy.indexes.policies).toBe(3);
    stream().send(policyItem(4, 's'));
    await pass();
    expect([state.copy.indexes.policies, events.at(-2)]).toEqual([4, 'changed policies 4']);
  });

  test('whose newest item the stream contradicts is refuted', async () => {
    const { follower, stream, losses } = await accepted();
    follower.readBegins();
    expect(follower.goOn(stateWith(policyItem(1), policyItem(2, 'q', everywhere)))).toBe(true);
    stream().send(policyItem(2, 'other'));
    await pass();
    expect(losses).toMatchObject([
      { refutes: true, failure: { message: 'index 2 of the policies is not the item that was read' } },
    ]);
  });

  test('that has more than the stream applies nothing twice', async () => {
    const { follower, stream, losses, events } = await accepted();
    follower.readBegins();
    const state = stateWith(policyItem(1), policyItem(3, 'q'));
    expect(follower.goOn(state)).toBe(true);
    stream().send(policyItem(2, 'gone'), policyItem(3, 'q'));
    await pass();
    expect([losses, events.filter((event) => event.startsWith('changed'))]).toEqual([[], []]);
    expect(state.copy.indexes.policies).toBe(3);
  });

  test.each<readonly [string, (follower: Follower) => void]>([
    ['that did not begin', () => {}],
    ['that was used before', (follower) => [follower.readBegins(), follower.goOn(stateWith(policyItem(1)))]],
    ['in which the stream was restarted', (follower) => [follower.readBegins(), follower.restart()]],
  ])('%s does not go on', async (_, begin) => {
    const { follower } = await accepted();
    begin(follower);
    expect(follower.goOn(stateWith(policyItem(1)))).toBe(false);
  });

  test('that began before the stream was accepted does not go on', async () => {
    const { follower, stream } = await follow(stateWith(policyItem(1)));
    follower.readBegins();
    stream().send(policyItem(1));
    await pass();
    expect([follower.accepted, follower.goOn(stateWith(policyItem(1)))]).toEqual([true, false]);
  });

  test('begins the minute of following anew', async () => {
    const { follower, stream, losses } = await accepted();
    for (let s = 0; s < 60; s += 10) {
      await pass(10_000);
      stream().send();
    }
    await pass();
    follower.readBegins();
    expect(follower.goOn(stateWith(policyItem(1)))).toBe(true);
    stream().fail(11);
    await pass();
    expect(losses).toMatchObject([{ followed: false }]);
  });
});
