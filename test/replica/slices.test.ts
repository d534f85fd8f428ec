import { expect, onTestFinished, test, vi } from 'vitest';
import type { PoolItem } from '../../src/pool/items.ts';
import type { ReplicaTransport } from '../../src/replica/index.ts';
import { Slices } from '../../src/replica/slices.ts';
import { liveReplica, question } from './support/replicas.ts';
import { alicesPool, bindingItem, policyItem, roleItem } from './support/scripted-pool.ts';

// The clock is the test's and moves by what the work is said to take; turns of the event loop are counted.

/** A clock, and in which turn of the event loop something is. */
function clockAndTurns() {
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  let turn = 0;
  const count = (): void => {
    turn++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  onTestFinished(() => {
    clearImmediate(timer);
    vi.restoreAllMocks();
  });
  /** So much work. Returns its turn. */
  return (ms: number): number => {
    now += ms;
    return turn;
  };
}

test('a state is decoded and taken in a bit at a time, all three kinds together', async () => {
  const work = clockAndTurns();
  const turns: number[] = [];
  /** Items whose decoding takes longer than a slice. */
  function* decoding(items: Iterable<PoolItem>): Generator<PoolItem> {
    for (const item of items) {
      turns.push(work(5));
      yield item;
    }
  }
  const pool = alicesPool();
  for (let i = 2; i <= 20; i++) {
    pool.state.policies.push(policyItem(i, `p${i}`));
    pool.state.roles.push(roleItem(i, `r${i}`));
    pool.state.bindings.push(bindingItem(i, `u${i}`));
  }
  const transport: ReplicaTransport = {
    async *open(...call) {
      const isRead = call[0].changes === undefined;
      for await (const items of pool.open(...call)) yield isRead ? decoding(items) : items;
    },
    close: pool.close,
  };
  const replica = await liveReplica({ transport });
  expect(replica.isAllowed({ ...question, user: 'u20' })).toBe(true);
  expect(turns.length).toBe(60);
  expect(new Set(turns).size).toBe(60);
});

test('what is short shares a slice', async () => {
  const work = clockAndTurns();
  const slices = new Slices();
  const turns: number[] = [];
  const loop = () => slices.each(Array(40).keys(), () => void turns.push(work(0.25)));
  await Promise.all([loop(), loop()]);
  expect(turns.length).toBe(80);
  // Eight in each, in two milliseconds.
  expect(new Set(turns).size).toBe(10);
});
