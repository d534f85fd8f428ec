import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { breakLines } from '../scripts/lib/break-lines.ts';
import { root } from '../scripts/lib/exec.ts';
import { findUncaughtFaults } from '../scripts/lib/uncaught.ts';

// check:package does this with the packed tarball.
test('an uncaught error prints no long line of a built file', async () => {
  expect(await findUncaughtFaults(root)).toEqual([]);
});

// The page of the console is a bundle of its own, for browsers.
const built = globSync('dist/**/*.js', { cwd: root, exclude: ['dist/console/page/**'] });

test('no line of a built file is longer than 500 characters, but for one text', () => {
  const long = built.flatMap((file) =>
    readFileSync(root + file, 'utf8')
      .split('\n')
      .filter((line) => line.length > 500)
      .map((line) => ({ file, rest: line.replaceAll(/`[^`]{200,}`|"[^"]{200,}"/g, '""').length })),
  );
  expect(long.filter(({ rest }) => rest > 500)).toEqual([]);
  // The descriptor of the pool's messages, in base64.
  expect(long.length).toBeLessThanOrEqual(1);
});

const long = 'a'.repeat(120);

test.each([
  ['const a=1;let b=2', 'const a=1;\nlet b=2'],
  ['for(let i=0;i<3;i++){f(i);}', 'for(let i=0;\ni<3;\ni++){f(i);}'],
  [`const f=()=>{f(${long});g();h()};f()`, `const f=()=>{f(${long});\ng();h()};\nf()`],
  // The braces of a template belong to it.
  [`f=\`$\{{a:1}}\`;g()`, `f=\`$\{{a:1}}\`;\ng()`],
  ['const t=`a;{b`,r=/;{/;x', 'const t=`a;{b`,r=/;{/;\nx'],
  // No break may stand behind `return` or before `=>`.
  [`const f=({a${long}:b})=>{return{b}}`, `const f=({a${long}:b})=>{\nreturn{b}}`],
])('a long line is broken behind statements: %s', (code, broken) => {
  expect(breakLines(code)).toBe(broken);
});

test('a long line is broken behind a comma or an operator', () => {
  const names = Array.from({ length: 100 }, (_, index) => `name${index}`);
  const lines = breakLines(`f(${names.join(',')})`).split('\n');
  expect(lines.join('')).toBe(`f(${names.join(',')})`);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(180);
  const either = names.join('??');
  expect(
    Math.max(
      ...breakLines(either)
        .split('\n')
        .map(({ length }) => length),
    ),
  ).toBeLessThan(180);
});
