import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { specifiers } from '../scripts/lib/graph.ts';
import { pruneTypes } from '../scripts/lib/prune-types.ts';

describe('pruneTypes', () => {
  const prune = (files: Record<string, string>) =>
    Object.fromEntries(pruneTypes(['index.d.ts'], new Map(Object.entries(files))));

  test('leaves out files and statements that no entry leads to', () => {
    const files = {
      'index.d.ts': "import { type B, type Unused } from './b.js';\n/** A. */\nexport type A = B;\n",
      'b.d.ts':
        "import type { C } from './c.js';\n/** Of nobody. */\nexport type Unused = C;\n/** B. */\nexport type B = 1;\n",
      'c.d.ts': 'export type C = 1;\n',
      'd.d.ts': 'export type D = 1;\n',
    };
    expect(prune(files)).toEqual({
      'index.d.ts': "import { type B } from './b.js';\n/** A. */\nexport type A = B;\n",
      'b.d.ts': '/** B. */\nexport type B = 1;\n',
    });
  });

  test.each([
    ['export *', "export * from './b.js';\n"],
    ['a name that is exported again', "export { B } from './b.js';\n"],
    ['another name', "import { B as C } from './b.js';\nexport { C };\n"],
    ['a type that is imported where it stands', "export type A = import('./b.js').B;\n"],
    [
      'a name inside an object',
      "import type { B } from './b.js';\nexport interface A {\n    b: {\n        c: B[];\n    };\n}\n",
    ],
    ['a base class', "import { B } from './b.js';\nexport declare class A extends B<1> {\n}\n"],
  ])('follows %s', (_what, index) => {
    const kept = {
      'index.d.ts': index,
      'b.d.ts': 'interface Of {\n    c: 1;\n}\nexport interface B extends Of {\n}\n',
    };
    expect(prune(kept)).toEqual(kept);
  });

  test('leaves what other packages export, overloads and references', () => {
    const kept = {
      'index.d.ts':
        '/// <reference lib="esnext.disposable" preserve="true" />\nimport type { Ky } from \'ky\';\n/** One. */\nexport declare function run(of: Ky): void;\nexport declare function run(of: string): void;\nexport {};\n',
    };
    expect(prune(kept)).toEqual(kept);
  });

  test('says which file is missing', () => {
    expect(() => prune({ 'index.d.ts': "export type { B } from './b.js';\n" })).toThrow('b.d.ts is named');
  });
});

test('every declaration that is named in dist is there', () => {
  const missing = globSync('dist/**/*.d.ts', { cwd: root }).flatMap((file) =>
    specifiers(readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''))
      .filter((name) => name.startsWith('.'))
      .map((name) => join(dirname(file), name).replace(/\.js$/, '.d.ts'))
      .filter((path) => !existsSync(join(root, path))),
  );
  expect(missing).toEqual([]);
});
