import { globSync, readFileSync } from 'node:fs';
import { parse } from 'acorn';
import { simple } from 'acorn-walk';
import { transform } from 'esbuild';
import { root } from './exec.ts';

/** A regular expression of src. */
export interface FoundRegexp {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Expressions that the check cannot decide or refuses, by file and start, and why they are fine. */
const excused: readonly (readonly [file: string, start: string, why: string])[] = [
  [
    'src/base/lib/duration.ts',
    '(\\d+(?:\\.\\d+)?)(ms|h|m|s)',
    'the text has at most 64 characters and has matched the linear one above',
  ],
  ['src/base/lib/duration.ts', '(?:000)+$', 'the text is the nine decimals of a number'],
  [
    'src/client/node/transport/trust.ts',
    '-----BEGIN CERTIFICATE',
    'the text is the operator’s own file; [^-] ends each attempt at the next dash',
  ],
  ['src/base/jwt/secret.ts', 'new RegExp', 'it is anchored, and each part of it has a fixed length'],
  ['src/mock/config/config-schema.ts', 'new RegExp', 'the text is a pattern in the developer’s own seed'],
  ['src/mock/kit/match-request.ts', 'new RegExp', 'it is the developer’s own'],
  [
    'src/mock/openapi/patterns.ts',
    'new RegExp',
    'it is the pattern of the developer’s own document, and is only compiled',
  ],
];

/** Why the check lets an expression be that it cannot decide or refuses; undefined for all others. */
export function excuseFor({ file, source, flags }: FoundRegexp): string | undefined {
  const name = source || flags;
  return excused.find(([where, start]) => where === file && name.startsWith(start))?.[2];
}

/** The expressions of a file. Of a built one (`new RegExp`) nothing but that is known: its flags say so. */
async function regexpsOf(file: string): Promise<FoundRegexp[]> {
  const { code } = await transform(readFileSync(root + file, 'utf8'), {
    loader: file.endsWith('x') ? 'tsx' : 'ts',
    target: 'es2023',
  });
  const found: FoundRegexp[] = [];
  simple(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), {
    Literal(node) {
      if (node.regex) found.push({ file, source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression({ callee }) {
      if (callee.type === 'Identifier' && callee.name === 'RegExp')
        found.push({ file, source: '', flags: 'new RegExp' });
    },
  });
  return found;
}

/** Every regular expression of src, in the order of its files. */
export async function findRegexps(): Promise<FoundRegexp[]> {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('/generated/'));
  return (await Promise.all(files.sort().map(regexpsOf))).flat();
}
