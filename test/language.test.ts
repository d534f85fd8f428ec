import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { type FoundString, findStrings, stringsIn } from './support/strings.ts';

// `nobody` is a field of files of tests: in comments and texts it stands as code.
const persons = /\b(?:[Nn]obody\b(?!`|:|\[| })|(?:[Ss]omebody|[Ww]hoever|[Aa]nybody|[Ee]verybody)\b)/;
const isNo = /(?<!\b[Tt]here )\b(?:is|are) no\b/;
/** In the code of each file with a string that one of the patterns below matches. */
const telling = /\b(?:nobody|somebody|whoever|anybody|everybody)\b|\b(?:is|are) no\b|['"`](?:what|who|whether)\b/i;

/** Lines of `src` that a pattern matches, with their places. */
function findLines(pattern: RegExp): string[] {
  return globSync('src/**/*.{ts,tsx}', { cwd: root, exclude: ['src/policy/pool/generated/**'] })
    .sort()
    .flatMap((file) =>
      readFileSync(root + file, 'utf8')
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? `${file}:${index + 1}: ${line.trim()}` : [])),
    );
}

/** The strings that a pattern matches, with their places. */
const matching = (strings: readonly FoundString[], pattern: RegExp): string[] =>
  strings.flatMap(({ place, text }) => (pattern.test(text) ? `${place}: ${text}` : []));

test('comments begin with a verb or a noun phrase', () => {
  expect(findLines(/^\s*(?:\/\*\*|\*|\/\/) ?(?:What|Who|Whoever|Whether)\b/)).toEqual([]);
});

test('comments call programs and values by their names, and say "is not a …"', () => {
  expect(findLines(new RegExp(String.raw`^\s*(?:\/\*\*|\*|\/\/).*${persons.source}`))).toEqual([]);
  expect(findLines(new RegExp(String.raw`^\s*(?:\/\*\*|\*|\/\/).*${isNo.source}(?! longer)`))).toEqual([]);
});

test('names of tests begin with a verb or a noun phrase, and call values by their names', () => {
  const names = findStrings('test/**/*.ts', telling).filter(({ isTestName }) => isTestName);
  expect(names.length).toBeGreaterThan(300);
  expect(matching(names, /^(?:what|who|whoever|whether)\b/i)).toEqual([]);
  expect(matching(names, persons)).toEqual([]);
  expect(matching(names, isNo)).toEqual([]);
});

test('texts of errors say "not a valid …", and call values by their names', () => {
  const strings = findStrings('src/**/*.ts', telling).filter(({ text }) => text.includes(' '));
  expect(strings.length).toBeGreaterThan(100);
  expect(matching(strings, persons)).toEqual([]);
  expect(matching(strings, isNo)).toEqual([]);
});

test('finds the names of tests and the texts of errors', () => {
  const code = `test.each([['a b']])('what %s', () => {\n  throw new Error(\`\${1} is no \${'x'}\`);\n}); // 'nobody'\n`;
  expect(stringsIn(code, 'a.ts')).toEqual([
    { place: 'a.ts:1', text: 'a b', isTestName: false },
    { place: 'a.ts:1', text: 'what %s', isTestName: true },
    { place: 'a.ts:2', text: '… is no …', isTestName: false },
    { place: 'a.ts:2', text: 'x', isTestName: false },
  ]);
});

test('the word platform is kept for that of ArangoDB, and JavaScript runs in a runtime', () => {
  const lines = findLines(/platform/i).filter((line) =>
    /^src\/(?:client\/connection|base\/lib|client\/stream|enforce\/token|base\/errors\.ts)/.test(line),
  );
  expect(lines).toEqual([]);
});
