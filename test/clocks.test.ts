import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Expression, type Node, parse } from 'acorn';
import { full } from 'acorn-walk';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';

// A test that compares a time exactly, or with an upper bound, needs a clock that stands still: a busy machine takes any
// time between two lines. Lower bounds of time that passes are not looked at.

/** The files that compare times of a running clock, and why these hold on a machine of any speed. */
const reasons: Readonly<Record<string, string>> = {
  'test/client/connection/retries.test.ts': 'a time lies within another one, which began earlier and ended later',
  'test/client/services/answers.test.ts': 'compares with the time after the answer, so that a slow machine passes',
  'test/tools/command/record/process.test.ts': 'the command ends within 5 s of a signal, by its own clock',
};

const bounds = /^to(?:Be|Equal|StrictEqual|MatchObject|BeLessThan|BeLessThanOrEqual|BeCloseTo)$/;
const clock = /\b(?:performance|Date)\.now\(\)/;

/** The parts of code that compare a time of the running clock: `expect(Date.now() - start).toBeLessThan(5)`. */
async function comparisonsIn(code: string): Promise<string[]> {
  const { code: script } = await transform(code, { loader: 'ts', target: 'es2022', tsconfigRaw: {} });
  const program = parse(script, { ecmaVersion: 'latest', sourceType: 'module' });
  const textOf = ({ start, end }: Node) => script.slice(start, end);
  /** Variables that are differences of times. */
  const elapsed = new Set<string>();
  full(program, (node) => {
    // The casts: acorn's nodes by their type.
    const { id, init } = node as { readonly id?: { readonly name?: string }; readonly init?: Expression | null };
    if (node.type !== 'VariableDeclarator' || init?.type !== 'BinaryExpression' || init.operator !== '-') return;
    if (id?.name !== undefined && clock.test(textOf(init))) elapsed.add(id.name);
  });
  const found: string[] = [];
  full(program, (node) => {
    const { callee } = node as { readonly callee?: { readonly property?: { readonly name?: string } } };
    if (node.type !== 'CallExpression' || !bounds.test(callee?.property?.name ?? '')) return;
    const text = textOf(node);
    if (!/^expect\b/.test(text)) return;
    const names = text.match(/\b\w+\b/g) ?? [];
    if (clock.test(text) || names.some((name) => elapsed.has(name))) found.push(text);
  });
  return found;
}

const setsClock = /\b(?:useFakeTimers|setSystemTime)\(/;

/** True if a test file stops the clock, or imports a file of tests that does. */
function standsStill(file: string): boolean {
  const code = readFileSync(root + file, 'utf8');
  const imported = [...code.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path));
  return [file, ...imported].some(
    (path) => path.startsWith('test/') && existsSync(root + path) && setsClock.test(readFileSync(root + path, 'utf8')),
  );
}

test('times are compared on a clock that stands still, or for a reason', async () => {
  const files = globSync('test/**/*.test.ts', {
    cwd: root,
    exclude: ['test/{browser,deep}/**', 'test/**/drive/**', 'test/clocks.test.ts'],
  });
  const found = await Promise.all(
    files.map(async (file) => {
      const code = readFileSync(root + file, 'utf8');
      if (!clock.test(code) || standsStill(file)) return [];
      return (await comparisonsIn(code)).length > 0 ? [file] : [];
    }),
  );
  expect(found.flat().sort()).toEqual(Object.keys(reasons));
});

test.each([
  ['expect(performance.now() - start).toBeLessThan(5)', true],
  ['expect(until.getTime()).toBe(Date.now() + 5)', true],
  ['const took = performance.now() - start;\nexpect(took).toBeLessThanOrEqual(5)', true],
  ['expect([state, took]).toEqual([1, 2]); const took = Date.now() - start;', true],
  ['expect(performance.now() - start).toBeGreaterThanOrEqual(5)', false],
  ['const start = performance.now(); expect(await call()).toBe(5)', false],
] as const)('finds a comparison in %j: %s', async (code, compares) => {
  expect((await comparisonsIn(code)).length > 0).toBe(compares);
});

test('no poll loses a race: it would go on, and move the fake timers of the next tests', () => {
  const raced = /\brace\(\[[^\]]*(?:expect\.poll|vi\.waitFor)\(/;
  const files = globSync('test/**/*.ts', { cwd: root, exclude: ['test/clocks.test.ts'] });
  expect(files.filter((file) => raced.test(readFileSync(root + file, 'utf8')))).toEqual([]);
  expect("await Promise.race([expect.poll(() => out).toBe('x'), ended]);").toMatch(raced);
});
