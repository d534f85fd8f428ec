import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { hashFiles, overChanged, unlessPassed } from '../scripts/lib/passed.ts';

/** A check with a name of its own, whose memory goes with the test. */
function named(name: string): string {
  onTestFinished(() => rmSync(join(root, `node_modules/.cache/passed/${name}.json`), { force: true }));
  return name;
}

test('the files of the repository have a hash each', () => {
  const files = hashFiles();
  expect(files.get('package.json')).toMatch(/^[\w+/]{43}=$/);
  expect(new Set(files.values()).size).toBe(files.size);
  expect([...files.keys()].filter((file) => /^(?:dist|node_modules)\//.test(file))).toEqual([]);
});

test('a check of files reads those that have not passed it', async () => {
  const name = named('test-of-files');
  const runs: (readonly string[])[] = [];
  const check = (files: Record<string, string>, passes = true) =>
    overChanged(name, new Map(Object.entries(files)), async (changed) => {
      runs.push(changed);
      return passes;
    });
  expect(await check({ a: '1', b: '2' }, false)).toBe(false);
  expect(await check({ a: '1', b: '2' })).toBe(true);
  expect(await check({ a: '1', b: '2' }, false)).toBe(true);
  expect(await check({ a: '1', b: '3', c: '4' }, false)).toBe(false);
  expect(await check({ a: '1', b: '3' })).toBe(true);
  expect(await check({})).toBe(true);
  expect(runs).toEqual([['a', 'b'], ['a', 'b'], ['b', 'c'], ['b'], ['.']]);
});

test('a check of the whole runs again after a change of a file or of its output, and after a failure', async () => {
  const name = named('test-of-all');
  let runs = 0;
  const check = async (content: string, output: readonly string[], passes = true) => {
    const before = runs;
    const run = async () => {
      runs += 1;
      return passes;
    };
    const passed = await unlessPassed(name, run, { files: new Map([['a', content]]), output });
    return [passed, runs - before];
  };
  expect(await check('1', [], false)).toEqual([false, 1]);
  expect(await check('1', [])).toEqual([true, 1]);
  expect(await check('1', [], false)).toEqual([true, 0]);
  expect(await check('1', ['package.json'])).toEqual([true, 1]);
  expect(await check('2', ['package.json'], false)).toEqual([false, 1]);
});
