import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CopyOnWriteMap } from '../../src/lib/copy-on-write-map.ts';

const step = fc.record({
  /** Which of the shelves that there are by then; a clone of it is one more. */
  of: fc.nat(),
  do: fc.constantFrom('set', 'set', 'delete', 'clone'),
  name: fc.constantFrom('a', 'b', 'c', '__proto__', ...Array.from({ length: 12 }, (_, i) => `name-${i}`)),
  value: fc.nat(),
});

test('a shelf and all of its clones hold what as many maps would', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const pairs = [{ shelf: new CopyOnWriteMap<number>(), map: new Map<string, number>() }];
      for (const { of, do: what, name, value } of steps) {
        const pair = pairs[of % pairs.length];
        if (pair === undefined) continue;
        const { shelf, map } = pair;
        if (what === 'clone') pairs.push({ shelf: shelf.clone(), map: new Map(map) });
        else if (what === 'delete') expect(shelf.delete(name)).toBe(map.delete(name));
        else {
          shelf.set(name, value);
          map.set(name, value);
        }
      }
      for (const { shelf, map } of pairs) {
        expect(shelf.all()).toEqual(map);
        for (const name of ['a', '__proto__', 'name-3']) expect(shelf.get(name)).toBe(map.get(name));
      }
    }),
    { numRuns: 300 },
  );
});

test('a large shelf that is cloned and written to again and again stays right on both sides', () => {
  const start = new CopyOnWriteMap<number>();
  for (let i = 0; i < 100; i += 1) start.set(`n${i}`, i);
  let last = start.clone();
  const kept: CopyOnWriteMap<number>[] = [];
  for (let i = 0; i < 100; i += 1) {
    kept.push(last.clone());
    expect(last.delete(`n${i}`)).toBe(true);
    expect(last.delete(`n${i}`)).toBe(false);
  }
  for (const [i, shelf] of kept.entries()) expect(shelf.all().size).toBe(100 - i);
  expect([last.all().size, start.all().size]).toEqual([0, 100]);
  last = start.clone();
  expect(last.get('n5')).toBe(5);
});
