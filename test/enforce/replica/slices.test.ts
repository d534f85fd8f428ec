import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { compareContents } from '../../../src/enforce/replica/content-differences.ts';
import type { ReplicaTransport } from '../../../src/enforce/replica/index.ts';
import { type Content, type Contents, PolicyCopy } from '../../../src/enforce/replica/policy-copy.ts';
import { Slices } from '../../../src/enforce/replica/slices.ts';
import type { PoolItem } from '../../../src/policy/pool/pool-items.ts';
import { liveReplica, question } from './support/replicas.ts';
import { alicesPool, bindingItem, policyItem, roleItem } from './support/scripted-pool.ts';

// A fake clock advances by the nominal time of the work; turns of the event loop are counted.

/** A clock, and the number of the current turn of the event loop. */
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
  /** Does some work. Returns its turn. */
  return (ms: number): number => {
    now += ms;
    return turn;
  };
}

test('decodes and applies a state in slices, all three kinds together', async () => {
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

test('short items share a slice', async () => {
  const work = clockAndTurns();
  const slices = new Slices();
  const turns: number[] = [];
  const loop = () => slices.each(Array(40).keys(), () => void turns.push(work(0.25)));
  await Promise.all([loop(), loop()]);
  expect(turns.length).toBe(80);
  // Eight in each, in two milliseconds.
  expect(new Set(turns).size).toBe(10);
});

describe('a comparison of two states', () => {
  const copyOf = (users: number) => {
    const copy = new PolicyCopy('sidecar');
    for (let i = 0; i < users; i++) copy.apply('bindings', bindingItem(i + 1, `u${i}`));
    return copy.contents();
  };

  test('runs in slices: 100 000 bindings, of which half are gone', async () => {
    const work = clockAndTurns();
    const inTurns = new Map<number, number>();
    const slowly = ({ bindings, ...rest }: Contents): Contents => {
      function* items(): Generator<Content> {
        for (const item of bindings) {
          const turn = work(0.01);
          inTurns.set(turn, (inTurns.get(turn) ?? 0) + 1);
          yield item;
        }
      }
      return { ...rest, bindings: items() };
    };
    const told: unknown[] = [];
    const states = [slowly(copyOf(100_000)), slowly(copyOf(50_000))] as const;
    await compareContents(...states, new AbortController().signal, (kind, names) => {
      told.push([kind, names.length, new Set(names).size, names.includes('u50000:r'), names.includes('u49999:r')]);
    });
    expect(told).toEqual([['bindings', 50_000, 50_000, true, false]]);
    // Out of 150 000, in slices of two milliseconds.
    expect(Math.max(...inTurns.values())).toBeLessThanOrEqual(201);
  });

  test('is skipped without listeners, and stopped by close', async () => {
    const contents = vi.spyOn(PolicyCopy.prototype, 'contents');
    onTestFinished(() => contents.mockRestore());
    const pool = alicesPool();
    const replica = await liveReplica({ transport: pool });
    const readAgain = async () => {
      const count = pool.of('GetRole').length;
      pool.last('PoolPolicyChanges').fail(11);
      await expect.poll(() => pool.of('PoolPolicyChanges').length).toBe(count + 1);
    };
    await readAgain();
    expect(contents).not.toHaveBeenCalled();
    const heard = vi.fn();
    const end = replica.on('change', heard);
    for (let i = 2; i <= 50_000; i++) pool.state.bindings.push(bindingItem(i, `u${i}`));
    await readAgain();
    expect(contents).toHaveBeenCalledTimes(2);
    await replica.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(heard).not.toHaveBeenCalled();
    end();
  });
});
