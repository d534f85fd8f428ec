import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type PoolMethod, poolKinds, poolMethods } from '../../../src/policy/pool/pool-items.ts';
import { isThorough, partOf } from '../../support/thorough.ts';
import { walkManyNames } from './support/name-walks.ts';
import { type Disturb, disturbed, walk, walkArb, walkMany } from './support/walks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const seed = 20_261_121;
// test/deep/replica.test.ts has the large numbers.
const runs = partOf(30);

test('after a walk the replica and the mock decide 1 000 questions alike', async () => {
  const allowed = await walkMany({ numRuns: runs, seed });
  expect(allowed).toBeGreaterThan(runs * 50);
}, 120_000);

test('after every step of a history of names with colons the replica and the mock decide alike', async () => {
  const seen = await walkManyNames({ numRuns: runs, seed });
  expect(seen.allowed).toBeGreaterThan(runs * 20);
  expect(seen.shared).toBeGreaterThan(runs);
}, 120_000);

const disturbances: readonly (readonly [string, Disturb])[] = [
  ['twice', (items) => [items, items]],
  ['late, so that they come out of order', (items) => [items.slice(1), items.slice(0, 1)]],
  ['again after others', (items, random) => [items, items.slice(0, Math.ceil(random() * items.length))]],
  ['not at all', () => []],
];

test.each(disturbances)(
  'with changes that arrive %s',
  async (_, disturb) => {
    await fc.assert(
      fc.asyncProperty(walkArb(50), async (one) => {
        await walk(one, 100, (mock, walking) => disturbed(mock, one.seed, disturb, walking));
      }),
      { numRuns: runs / 3, seed },
    );
  },
  120_000,
);

describe('with a stream that breaks', () => {
  const methods = poolKinds.flatMap((kind): PoolMethod[] => Object.values(poolMethods[kind]));
  const codes = Array.from({ length: 16 }, (_, i) => i + 1);
  // Two for each method in `npm test`, others for each.
  const codesOf = (method: PoolMethod) =>
    isThorough ? codes : codes.filter((code) => code % 8 === methods.indexOf(method) % 8);

  test.each(methods)(
    '%s, with gRPC codes at every message',
    async (stream) => {
      const [one] = fc.sample(walkArb(12), { numRuns: 1, seed });
      if (one === undefined) throw new Error('no walk');
      for (const grpcCode of codesOf(stream)) {
        for (const after of isThorough ? [0, 1, 2] : [grpcCode % 3]) {
          await walk(one, 20, undefined, (mock, _replica, at) => {
            if (at === 3) mock.fail({ stream, after, grpcCode });
            // A full read, so that it can break, too.
            if (at === 5 && stream.startsWith('Get')) mock.fail({ stream: 'PoolRoleChanges', grpcCode: 11 });
          });
        }
      }
    },
    120_000,
  );
});
