// Looks at every regular expression of src and says which could take more than linear time. Exit 1 when there is one.
// What was found safe is remembered in node_modules/.cache, by its text and the version of the tool that proved it.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { parse } from 'acorn';
import { simple } from 'acorn-walk';
import { transform } from 'esbuild';
import { root } from './lib/exec.ts';

interface Found {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** What the check cannot decide or refuses, by file and start, and why it is fine. */
const excused: readonly (readonly [file: string, start: string, why: string])[] = [
  [
    'src/lib/duration.ts',
    '(\\d+(?:\\.\\d+)?)(ms|h|m|s)',
    'the text has at most 64 characters and has matched the linear one above',
  ],
  ['src/lib/duration.ts', '(?:000)+$', 'the text is the nine decimals of a number'],
  [
    'src/node/transport/trust.ts',
    '-----BEGIN CERTIFICATE',
    'the text is the operator’s own file; [^-] ends each attempt at the next dash',
  ],
  ['src/jwt/secret.ts', 'new RegExp', 'it is anchored, and each part of it has a fixed length'],
  ['src/mock/config/schema.ts', 'new RegExp', 'the text is a pattern in the developer’s own seed'],
  ['src/mock/kit/filter.ts', 'new RegExp', 'it is the developer’s own'],
];

/** The literals of a file. Built ones (`new RegExp`) are not allowed in src: nothing could look at them here. */
async function regexpsOf(file: string): Promise<Found[]> {
  const { code } = await transform(readFileSync(root + file, 'utf8'), { loader: 'ts', target: 'es2023' });
  const found: Found[] = [];
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

const cache = `${root}node_modules/.cache/regexps.json`;
const { version } = createRequire(import.meta.url)('recheck/package.json');

/** The proofs of earlier runs, each as the expression's text. */
function readProofs(): Set<string> {
  try {
    const { tool, safe } = JSON.parse(readFileSync(cache, 'utf8'));
    return new Set(tool === version ? safe : []);
  } catch {
    return new Set();
  }
}

/** What the tool says of an expression; `safe` where it takes linear time. */
async function statusOf(source: string, flags: string): Promise<string> {
  // Loading it takes a second, which most runs can save.
  const { checkSync } = await import('recheck');
  return checkSync(source, flags, { timeout: 20_000 }).status;
}

const proven = readProofs();
const safe = new Set<string>();
const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.includes('/generated/'));
const all = (await Promise.all(files.sort().map(regexpsOf))).flat();
const failures: string[] = [];
for (const { file, source, flags } of all) {
  const name = source || flags;
  if (excused.some(([where, start]) => where === file && name.startsWith(start))) continue;
  if (flags === 'new RegExp') failures.push(`${file}: new RegExp(…) cannot be checked; write a literal`);
  else {
    const text = `/${source}/${flags}`;
    const status = proven.has(text) ? 'safe' : await statusOf(source, flags);
    if (status === 'safe') safe.add(text);
    else failures.push(`${file}: ${text} is ${status}`);
  }
}
mkdirSync(dirname(cache), { recursive: true });
writeFileSync(cache, JSON.stringify({ tool: version, safe: [...safe] }));
for (const failure of failures) console.error(failure);
console.log(`${all.length} regular expressions, ${failures.length} that could take more than linear time`);
process.exitCode = failures.length === 0 ? 0 : 1;
