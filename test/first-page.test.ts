import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { runFirstPage } from '../scripts/lib/first-page.ts';

const page = readFileSync(join(root, 'README.md'), 'utf8');
const run = (name: string, markdown: string) =>
  runFirstPage(markdown, {
    folder: join(root, 'reports', 'first-page', name),
    node: process.execPath,
    command: join(root, 'dist/command/index.js'),
  });

test('every line of README runs against the mock of its command and shows its result', async () => {
  expect(await run('whole', page)).toEqual([]);
  expect(page.match(/ \/\/ → /g)?.length).toBeGreaterThan(5);
});

describe('a page with a wrong line fails, with its number', () => {
  const lies: readonly (readonly [what: string, from: string, to: string, said: string])[] = [
    ['a value', "{ user: 'root' }", "{ user: 'admin' }", 'identity() is not {"user":"admin"} but {"user":"root"}'],
    ['a status', '// → 401', '// → 403', 'is not 403 but 401'],
    ['the output of the command', '3 to create; 1 user', '4 to create; 1 user', 'prints\n3 to create; 1 user'],
    ['the end of that output', 'Applied: 3 calls.', 'Applied: 4 calls.', 'prints\n3 to create; 1 user'],
    ['the file', 'actions: ["orders:read"]', 'actions: ["orders:list"]', 'orders:list on orders:*'],
  ];
  test.each(lies)('%s', async (what, from, to, said) => {
    expect(page).toContain(from);
    const found = await run(what.replaceAll(' ', '-'), page.replace(from, to));
    expect(found.join('\n')).toContain(said);
  });
});
