import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { releaseTests } from '../scripts/lib/release-tests.ts';
import { longestTests, orderTests } from '../scripts/lib/test-order.ts';

test('the test files that npm test leaves to npm run check, and those that begin first, exist', () => {
  expect([...releaseTests, ...longestTests].filter((file) => !existsSync(root + file))).toEqual([]);
});

test('test files run in a random order of the seed, the longest ones first', () => {
  const files = Array.from({ length: 50 }, (_, index) => `test/file-${index}.test.ts`);
  const some = longestTests.slice(0, 5);
  const [first, again, other] = [7, 7, 8].map((seed) => orderTests([...files, ...some], seed));
  expect(first).toEqual(again);
  expect(first).not.toEqual(other);
  expect(first?.slice(0, 5).sort()).toEqual(some.toSorted());
  expect(first?.toSorted()).toEqual([...files, ...some].sort());
  expect(first?.slice(5)).not.toEqual(files);
});

test('npm run check leaves out no test file', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  expect(scripts['test:thorough']).toMatch(/^vitest run (?:--project [\w*-]+ ?)+$/);
});
