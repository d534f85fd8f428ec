import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { compare, repeat, spread } from '../bench/harness.ts';

describe('spread', () => {
  test('returns the median and the range of the middle 80%, in any order', () => {
    expect(spread([11, 1, 2, 10, 3, 9, 4, 8, 5, 7, 6])).toEqual({ median: 6, p10: 2, p90: 10 });
  });
});

describe('compare', () => {
  test('runs each contestant once a round, rotating the first one', async () => {
    const seen: string[] = [];
    const contestants = ['a', 'b', 'c'].map((name) => ({ name, run: (n: number) => void seen.push(name + n) }));
    const results = await compare(contestants, { operations: 5, rounds: 2, warmup: 1 });
    expect(seen.join(' ')).toBe('a5 b5 c5 b5 c5 a5 c5 a5 b5');
    expect(results.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(results[0]?.ratio).toEqual({ median: 1, p10: 1, p90: 1 });
  });
});

describe('repeat', () => {
  test.each([1, 3, 16])('keeps %i calls in flight and makes exactly the requested number', async (atOnce) => {
    let [calls, running, most] = [0, 0, 0];
    await repeat(20, atOnce, async () => {
      calls++;
      most = Math.max(most, ++running);
      await setTimeout(1);
      running--;
    });
    expect({ calls, most, running }).toEqual({ calls: 20, most: atOnce, running: 0 });
  });
});
