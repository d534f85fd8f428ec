import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { type FunctionExtent, functionsIn } from '../scripts/lib/functions.ts';

/** The most lines and parameters of a function in these files. */
interface Limit {
  readonly what: string;
  readonly files: RegExp;
  readonly lines: number;
  readonly parameters?: number;
}

const limits: readonly Limit[] = [
  { what: 'anywhere', files: /^src\//, lines: 90, parameters: 4 },
  { what: 'in connection/', files: /^src\/client\/connection\//, lines: 60, parameters: 4 },
  {
    what: 'in the steps of a call',
    files: /^src\/client\/connection\/(?:answer|exchange|failure|prepared-call|response)\.ts$/,
    lines: 40,
  },
];

/** Functions with five or six parameters: an object in their place costs bytes in each bundle, or time in each call. */
const positional: readonly RegExp[] = [
  /^src\/base\/(?:arango-services-error|lib\/backoff)\.ts$/,
  /^src\/client\/services\/service-client\.ts$/,
  // The inner call of the engine.
  /^src\/policy\/evaluate\/grant-cache\.ts$/,
];

/** The functions that exceed a limit. */
const beyond = (limit: Limit, functions: readonly FunctionExtent[]): string[] =>
  functions
    .filter(({ file }) => limit.files.test(file))
    .map((extent) => (positional.some((one) => one.test(extent.file)) ? { ...extent, parameters: 0 } : extent))
    .filter(({ lines, parameters }) => lines > limit.lines || parameters > (limit.parameters ?? Infinity))
    .map(({ file, line, lines, parameters }) => `${file}:${line} has ${lines} lines, ${parameters} parameters`);

describe('the size of functions', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('/generated/'));
  const functions = files.flatMap((file) => functionsIn(file, readFileSync(root + file, 'utf8')));

  test.each(limits)('$what: at most $lines lines', (limit) => {
    expect(functions.filter(({ file }) => limit.files.test(file)).length).toBeGreaterThan(20);
    expect(beyond(limit, functions)).toEqual([]);
  });

  test('the limit for the steps of a call names files that have functions', () => {
    const steps = functions.filter(({ file }) => limits[2]?.files.test(file)).map(({ file }) => file);
    expect([...new Set(steps)].sort()).toEqual(
      ['answer', 'exchange', 'failure', 'prepared-call', 'response'].map((name) => `src/client/connection/${name}.ts`),
    );
  });
});

test('no file of src has more than 300 lines', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('/generated/'));
  const linesOf = (file: string) =>
    readFileSync(root + file, 'utf8')
      .trimEnd()
      .split('\n').length;
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => linesOf(file) > 300)).toEqual([]);
});

describe('the measure', () => {
  test.each([
    ['function a(b: string, c = 1) {\n  return b;\n}', [[1, 3, 2]]],
    ['export const f = (\n  x: number,\n) => x;', [[1, 3, 1]]],
    [
      'class A {\n  #b(): void {\n  }\n  async c(d: 1): Promise<void> {}\n}',
      [
        [2, 2, 0],
        [4, 1, 1],
      ],
    ],
    [
      'function outer() {\n  const inner = () => {\n  };\n}',
      [
        [1, 4, 0],
        [2, 2, 0],
      ],
    ],
    ['function over(a: 1): void;\nfunction over(a: unknown): void {}', [[2, 1, 1]]],
    [
      'const view = (p: { a: 1 }) => <p>{() => 1}</p>;',
      [
        [1, 1, 1],
        [1, 1, 0],
      ],
    ],
  ])('of %j', (code, expected) => {
    const found = functionsIn('a.tsx', code).map(({ line, lines, parameters }) => [line, lines, parameters]);
    expect(found.sort(([one = 0], [other = 0]) => one - other)).toEqual(expected);
  });

  test('reports a function that is too long, and one with too many parameters', () => {
    const limit = { what: 'here', files: /^a/, lines: 2, parameters: 1 };
    const code = 'const f = () => {\n  //\n};\nconst g = (a: 1, b: 2) => a;';
    expect(beyond(limit, functionsIn('a.ts', code))).toEqual([
      'a.ts:1 has 3 lines, 0 parameters',
      'a.ts:4 has 1 lines, 2 parameters',
    ]);
  });
});
