import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CopyOnWriteMap } from '../../../src/base/lib/copy-on-write-map.ts';

const step = fc.record({
  /** The index of an existing map; cloning it adds another map. */
  of: fc.nat(),
  do: fc.constantFrom('set', 'set', 'delete', 'update', 'remove', 'clone', 'fill', 'thin'),
  name: fc.constantFrom('a', 'b', 'c', '', '__proto__', ...Array.from({ length: 12 }, (_, i) => `name-${i}`)),
  value: fc.nat(),
});

test('a map and its clones equal Maps with the same changes, also when parts are split', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pairs = [{ ours: new CopyOnWriteMap<number>(), map: new Map<string, number>() }];
      for (const { of, do: what, name, value } of steps) {
        const pair = pairs[of % pairs.length];
        if (pair === undefined) continue;
        const { ours, map } = pair;
        if (what === 'clone') pairs.push({ ours: ours.clone(), map: new Map(map) });
        else if (what === 'delete') expect(ours.delete(name)).toBe(map.delete(name));
        else if (what === 'update' || what === 'remove') {
          const after = what === 'update' ? value : undefined;
          ours.update(name, (before) => {
            expect(before).toBe(map.get(name));
            return after;
          });
          if (after === undefined) map.delete(name);
          else map.set(name, after);
        } else if (what === 'set') {
          ours.set(name, value);
          map.set(name, value);
        } else {
          for (let i = 0; i < 900; i++) {
            const one = `${name}${value % 5}${i}`;
            if (what === 'thin') expect(ours.delete(one)).toBe(map.delete(one));
            else {
              ours.set(one, value + i);
              map.set(one, value + i);
            }
          }
        }
      }
      for (const { ours, map } of pairs) {
        expect(new Map(ours.entries())).toEqual(map);
        for (const name of ['a', '', '__proto__', 'name-3']) expect(ours.get(name)).toBe(map.get(name));
      }
    }),
    { numRuns: 60 },
  );
});

test('a large map that is cloned and written to again and again stays correct on both sides', () => {
  const start = new CopyOnWriteMap<number>();
  for (let i = 0; i < 10_000; i += 1) start.set(`n${i}`, i);
  let last = start.clone();
  const kept: CopyOnWriteMap<number>[] = [];
  for (let i = 0; i < 100; i += 1) {
    kept.push(last.clone());
    expect(last.delete(`n${i}`)).toBe(true);
    expect(last.delete(`n${i}`)).toBe(false);
    last.set('new', i);
  }
  for (const [i, one] of kept.entries()) {
    expect([...one.entries()].length).toBe(10_000 - i + (i > 0 ? 1 : 0));
    expect([one.get('new'), one.get(`n${i}`), one.get(`n${i - 1}`)]).toEqual([i > 0 ? i - 1 : undefined, i, undefined]);
  }
  expect([[...last.entries()].length, [...start.entries()].length]).toEqual([9_901, 10_000]);
  last = start.clone();
  expect([last.get('n5'), last.get('new')]).toEqual([5, undefined]);
});

/** The most Map entries that one operation copies: the extra cost of a write. */
function mostCopied(operations: readonly (() => void)[]): number {
  const { set } = Map.prototype;
  let most = 0;
  let count = 0;
  // A copy by `new Map(other)` calls it as well.
  Map.prototype.set = function (this: Map<unknown, unknown>, key, value) {
    count++;
    return set.call(this, key, value);
  } as typeof set;
  try {
    for (const operation of operations) {
      count = 0;
      operation();
      most = Math.max(most, count);
    }
  } finally {
    Map.prototype.set = set;
  }
  return most;
}

test('no write copies more than a part, however large the map is', () => {
  const ours = new CopyOnWriteMap<number>();
  const writes = Array.from({ length: 50_000 }, (_, i) => () => ours.set(`n${i}`, i));
  expect(mostCopied(writes)).toBeLessThan(600);
  expect(mostCopied([() => ours.clone()])).toBe(0);
  const afterClone = Array.from({ length: 500 }, (_, i) => () => {
    ours.clone();
    ours.set(`n${i}`, -i);
  });
  expect(mostCopied(afterClone)).toBeLessThan(600);
});

/** Names of two characters whose hashes end with the same 16 bits, as an attacker might choose them. */
function colliding(count: number): string[] {
  const names: string[] = [];
  for (let first = 1; names.length < count; first++) {
    const half = Math.imul(0x811c9dc5 ^ first, 0x01000193);
    for (let second = 1; second < 0x10000; second++) {
      const hash = Math.imul(half ^ second, 0x01000193);
      if (((hash ^ (hash >>> 15)) & 0xffff) === 7) names.push(String.fromCharCode(first, second));
    }
  }
  return names;
}

test('colliding names are kept apart, and do not split for ever', () => {
  const ours = new CopyOnWriteMap<string>();
  const names = colliding(700).slice(0, 700);
  for (const name of names) ours.set(name, name);
  for (const name of names) expect(ours.get(name)).toBe(name);
  expect([[...ours.entries()].length, ours.delete(names[5] as string), [...ours.entries()].length]).toEqual([
    700,
    true,
    699,
  ]);
});
