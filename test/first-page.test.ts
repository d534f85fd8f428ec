import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { runFirstBlocks } from '../scripts/lib/first-blocks.ts';
import { runFirstPage } from '../scripts/lib/first-page.ts';
import { isRelease } from './support/thorough.ts';

const page = readFileSync(join(root, 'README.md'), 'utf8');
const run = (name: string, markdown: string) =>
  runFirstPage(markdown, {
    folder: join(root, 'reports', 'first-page', name),
    node: process.execPath,
    command: join(root, 'dist/command/index.js'),
  });

// At the same time, because the command waits for seconds while it applies permissions.
test.concurrent('every line of README runs against the mock of its command and shows its result', async () => {
  expect(await run('whole', page)).toEqual([]);
  expect(page.match(/ \/\/ → /g)?.length).toBeGreaterThan(5);
});

test.concurrent('the first blocks are JavaScript that runs without a build', async () => {
  expect(await runFirstBlocks(join(root, 'reports', 'first-blocks'), process.execPath)).toEqual([]);
});

// A test of the test above.
describe.runIf(isRelease).concurrent('a page with wrong lines fails, with their numbers', () => {
  // One process tells all values that are wrong, but one output of the command only as a whole.
  const lies: readonly (readonly [
    what: string,
    lines: readonly (readonly [string, string])[],
    said: readonly string[],
  ])[] = [
    [
      'values and the output of the command',
      [
        ["{ user: 'root' }", "{ user: 'admin' }"],
        ['// → 401', '// → 403'],
        ['3 to create; 1 user', '4 to create; 1 user'],
      ],
      ['identity() is not {"user":"admin"} but {"user":"root"}', 'is not 403 but 401', 'prints\n3 to create; 1 user'],
    ],
    ['the end of that output', [['Applied: 3 calls.', 'Applied: 4 calls.']], ['prints\n3 to create; 1 user']],
    ['the file', [['actions: ["orders:read"]', 'actions: ["orders:list"]']], ['orders:list on orders:*']],
  ];
  const [steps = ''] = page.split('## First test');

  // Each starts the mock and npm's commands again.
  test.each(lies)('%s', async (what, lines, said) => {
    let changed = steps;
    for (const [from, to] of lines) {
      expect(changed).toContain(from);
      changed = changed.replace(from, to);
    }
    const found = (await run(what.replaceAll(' ', '-'), changed)).join('\n');
    for (const text of said) expect(found).toContain(text);
    expect(found.match(/^README\.md:/gm)?.length ?? 0).toBeGreaterThanOrEqual(lines.length);
  });
});
