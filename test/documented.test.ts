import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findUndocumented } from '../scripts/lib/doc-coverage.ts';
import { root } from '../scripts/lib/exec.ts';
import { compiledTypes } from '../scripts/lib/join-types.ts';
import { readSubpaths } from '../scripts/lib/package.ts';

test.each(readSubpaths())('every name of $specifier has a summary, and every function an example', ({ file }) => {
  expect(findUndocumented(compiledTypes(file), (path) => readFileSync(join(root, path), 'utf8'))).toEqual([]);
});

describe('finds missing documentation', () => {
  const find = (...lines: string[]) => findUndocumented('a.d.ts', () => `${lines.join('\n')}\nexport {};\n`);

  test.each([
    ['a type', 'export type Name = string;'],
    ['an interface', 'export interface Name {\n}'],
    ['a class', 'export declare class Name {\n}'],
    ['a constant', 'export declare const Name: number;'],
  ])('a summary: %s', (_what, declaration) => {
    expect(find('/** Of another. */', 'declare const other: 1;', declaration)).toEqual(['Name has no summary']);
    expect(find('/** @throws Error */', declaration)).toEqual(['Name has no summary']);
    expect(find('/**', ' * What it is.', ' */', declaration)).toEqual([]);
  });

  test.each([
    ['a function', 'export declare function run(of: string): void;'],
    ['a constant that is one', 'export declare const run: (error: unknown) => error is Error;'],
  ])('an example: %s', (_what, declaration) => {
    expect(find('/** Runs. */', declaration)).toEqual(['run has no example']);
    expect(find('/**', ' * Runs.', ' * @example', ' */', declaration)).toEqual([]);
  });

  test('one overload with both is enough', () => {
    const overloads = [
      'export declare function run(of: string): void;',
      'export declare function run(of: number): void;',
    ];
    expect(find('/** Runs. @example */', ...overloads)).toEqual([]);
    expect(find(...overloads)).toEqual(['run has no summary', 'run has no example']);
  });

  test('a summary of a method and of an accessor; a field and a constructor need none', () => {
    const body = (doc: string) => [
      '/** A thing. */',
      'export declare class Thing {',
      '    #private;',
      '    readonly field: string;',
      '    constructor(of: string);',
      `${doc}    get open(): boolean;`,
      `${doc}    static make<T>(of: T): Thing;`,
      `${doc}    run(of: string): void;`,
      '    run(of: number): void;',
      '}',
    ];
    expect(find(...body('')).sort()).toEqual(
      ['open', 'make', 'run'].map((name) => `Thing.${name} has no summary`).sort(),
    );
    expect(find(...body('    /** Says what. */\n'))).toEqual([]);
  });

  test('looks at a re-exported name where it is declared', () => {
    const files: Record<string, string> = {
      'index.d.ts': "export { run } from './run.js';\n",
      'run.d.ts': 'export declare function run(): void;\n',
    };
    expect(findUndocumented('index.d.ts', (file) => files[file] ?? '')).toEqual([
      'run has no summary',
      'run has no example',
    ]);
  });
});
