import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';

const interfaces = /export interface (\w+Options)\b[^{]*\{\n(.*?)\n\}/gs;
const numbers = /\/\*\*((?:(?!\*\/).)*)\*\/\n {2}readonly (\w+)\?: number \| undefined;/gs;

/** The options whose docstring counts milliseconds, and whose name does not say so. */
function findUnnamed(source: string): string[] {
  return [...source.matchAll(interfaces)].flatMap(([, options, fields = '']) =>
    [...fields.matchAll(numbers)]
      .filter(
        ([, doc = '', name = '']) => /millisecond| ms\b/i.test(doc) && !/^ms$|Ms$/.test(name) && name !== 'timeout',
      )
      .map(([, , name]) => `${options}.${name}`),
  );
}

const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(root + file, 'utf8'));

test('options that count milliseconds end in Ms; only the limit of a whole call or wait is `timeout`', () => {
  expect(sources.flatMap((source) => [...source.matchAll(interfaces)]).length).toBeGreaterThan(40);
  expect(sources.flatMap(findUnnamed)).toEqual([]);
  const wrong = 'export interface AOptions {\n  /** In milliseconds. */\n  readonly pause?: number | undefined;\n}';
  expect(findUnnamed(wrong)).toEqual(['AOptions.pause']);
});
