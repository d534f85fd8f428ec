import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { compare, repeat, spread } from '../bench/harness.ts';

describe('spread', () => {
  test('gives the middle and where four fifths lie, whatever the order', () => {
    expect(spread([11, 1, 2, 10, 3, 9, 4, 8, 5, 7, 6])).toEqual({ median: 6, p10: 2, p90: 10 });
  });
});

describe('compare', () => {
  test('runs every contestant once a round, the first one moving on', async () => {
    const seen: string[] = [];
    const contestants = ['a', 'b', 'c'].map((name) => ({ name, run: (n: number) => void seen.push(name + n) }));
    const results = await compare(contestants, { operations: 5, rounds: 2, warmup: 1 });
    expect(seen.join(' ')).toBe('a5 b5 c5 b5 c5 a5 c5 a5 b5');
    expect(results.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(results[0]?.ratio).toEqual({ median: 1, p10: 1, p90: 1 });
  });
});

describe('repeat', () => {
  test.each([1, 3, 16])('keeps %i calls under way and makes exactly as many as asked', async (atOnce) => {
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
