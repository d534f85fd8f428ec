import { globSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';

const folder = `${root}dist/console/page/`;
const read = (file: string) => readFileSync(folder + file);
const loaded = ['index.html', 'console.js', 'console.css', 'icon.svg'];

test('the page is one script, one for its worker, one style sheet, an icon and the licences of what it holds', () => {
  expect(readdirSync(folder).sort()).toEqual([...loaded, 'log.js', 'LICENSES.txt'].sort());
  expect(read('LICENSES.txt').toString()).toMatch(/^preact \d[\s\S]*MIT[\s\S]*Copyright/);
});

test('the page weighs at most 60 kB, minified and compressed, styles included', () => {
  const bytes = loaded.reduce((sum, file) => sum + gzipSync(read(file)).length, 0);
  expect(bytes).toBeLessThanOrEqual(60_000);
});

test('the page holds nothing that reads logs, which the worker loads when one is opened', () => {
  const reading = /Permissive\.Evaluate/;
  expect(read('console.js').toString()).not.toMatch(reading);
  expect(read('log.js').toString()).toMatch(reading);
  // 0.5 kB of it: roles of groups in the engine.
  expect(gzipSync(read('log.js')).length).toBeLessThanOrEqual(30_450);
});

test('the document has nothing inline and loads nothing from elsewhere', () => {
  const html = read('index.html').toString();
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|https?:/i);
  expect([...html.matchAll(/<script\b[^>]*>([^<]*)/g)].map(([, code]) => code)).toEqual(['']);
  expect(read('console.css').toString()).not.toMatch(/@import|url\((?!data:)/);
});

test('the sources of the page neither evaluate text nor write markup', () => {
  const files = globSync('src/console/**/*.{ts,tsx}', { cwd: root });
  expect(files.length).toBeGreaterThan(40);
  const written = /\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\bstyle="/i;
  expect(files.filter((file) => written.test(readFileSync(root + file, 'utf8')))).toEqual([]);
});
