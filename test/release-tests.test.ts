import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { releaseTests } from '../scripts/lib/release-tests.ts';

test('the test files that npm test leaves to npm run check exist', () => {
  expect(releaseTests.filter((file) => !existsSync(root + file))).toEqual([]);
});

test('npm run check leaves out no test file', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  expect(scripts['test:thorough']).toMatch(/^vitest run (?:--project [\w*-]+ ?)+$/);
});
