import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBlocks } from './examples.ts';
import { exec } from './exec.ts';
import { buildRunning } from './running-examples.ts';
import { runSaved } from './saved-programs.ts';

/** The address of README's mock; a run replaces it with the one that its own mock listens on. */
const address = 'http://localhost:8529';
const startsMock = /^npx arango-services (mock (?!.* -- ).*)$/m;
const runsTests = /^npx arango-services (mock .* -- npm test)$/m;
/** A shell block with one call of the command, and the block with what it prints. */
const printed = /^```sh\nnpx arango-services (permissions .*)\n```\n\n```text\n([^`]*)\n```$/gm;
/** A file that README shows: its name stands in the first line. */
const shown = /^```yaml\n# (\S+\.yaml)\n([^`]*)```$/gm;

/** What README's blocks call beside the package. All that is wrong in a section is said, not the first of it alone. */
const globals = `
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

const check = (compare) => {
  try {
    compare();
  } catch ({ message }) {
    console.error(message);
    process.exitCode = 1;
  }
};

globalThis.assertSame = (actual, expected, place) => check(() => assert.deepStrictEqual(
  actual, expected, place + ' is not ' + JSON.stringify(expected) + ' but ' + JSON.stringify(actual)));

// A line with nothing but … stands for any lines.
globalThis.assertPrints = (command, args, expected, place) => check(() => {
  const actual = execFileSync(process.execPath, [command, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const parts = expected.split('\\n…\\n');
  assert.ok(actual.startsWith(parts[0]) && actual.trimEnd().endsWith(parts.at(-1)), place + ' prints\\n' + actual);
});
`;

/** Replaces each shell block that has its output below it by a block of TypeScript that `write` makes of the two. */
export const withCommandsAsCode = (markdown: string, write: (args: string, output: string) => string): string =>
  markdown.replace(printed, (whole, args: string, output: string) => {
    // The lines stay as many as they were, so that a failure names the line of the page.
    const padding = '\n'.repeat(whole.split('\n').length - 4);
    return `\`\`\`ts\n// runs\n${write(args, output)}${padding}\n\`\`\``;
  });

/** The files that a page shows, by their names. */
export const shownFiles = (markdown: string): Map<string, string> =>
  new Map([...markdown.matchAll(shown)].map(([, name = '', content = '']) => [name, content]));

/** Starts the command of the page on a free port; gives the process and its address. */
async function startMock(folder: string, node: string, command: string, args: readonly string[]) {
  const child: ChildProcess = spawn(node, [command, ...args, '--port', '0'], { cwd: folder, stdio: 'pipe' });
  let output = '';
  child.stderr?.on('data', (text) => {
    output += text;
  });
  for await (const text of child.stdout ?? []) {
    output += text;
    const url = /listening on (\S+)/.exec(output)?.[1];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`the mock of README ended: ${output}`);
}

/** A test of another program: it knows the mock by its URL only. */
const test = `
const question = JSON.stringify({ user: 'alice', action: 'orders:read', resource: 'orders:7' });
const url = process.env.ARANGO_DEPLOYMENT_ENDPOINT + '/_integration/authorization/v1/evaluate';
const { effect } = await (await fetch(url, { method: 'POST', body: question })).json();
if (effect !== 'Allow') throw new Error(effect);
console.log('alice may read');
`;

/** Runs the tests of a project beside a mock, by the command of the page and with its files. Gives what failed. */
async function runTests(markdown: string, from: string, node: string, command: string): Promise<string[]> {
  const [, args] = runsTests.exec(markdown) ?? [];
  if (args === undefined) return ['README runs no tests beside a mock'];
  const folder = join(from, 'project');
  await mkdir(folder);
  for (const name of shownFiles(markdown).keys()) await copyFile(join(from, name), join(folder, name));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "scripts": { "test": "node test.mjs" } }');
  await writeFile(join(folder, 'test.mjs'), test);
  const { ok, stdout, output } = await exec(node, [command, ...args.split(' ')], { cwd: folder, timeout: 60_000 });
  return ok && stdout.includes('alice may read') ? [] : [`README.md: ${args} prints\n${output}`];
}

/**
 * Runs README's blocks as a newcomer does: its mock on a port, its files, the programs that it lets its reader save, its
 * calls of the command, its code with the values behind the arrows. `folder` is one where the package resolves, `node`
 * the program that runs everything, `command` the file of the command. Gives what failed.
 */
export async function runFirstPage(
  markdown: string,
  at: { readonly folder: string; readonly node: string; readonly command: string },
): Promise<string[]> {
  const folder = join(at.folder, 'first-page');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const args = startsMock.exec(markdown)?.[1]?.split(' ');
  if (args === undefined) return ['README starts no mock'];
  const { child, url } = await startMock(folder, at.node, at.command, args);
  try {
    const here = markdown.replaceAll(address, url);
    const page = withCommandsAsCode(here, (call, output) => {
      const values = [at.command, call.split(' '), output, `README.md: ${call}`];
      return `assertPrints(${values.map((value) => JSON.stringify(value)).join(', ')});`;
    });
    const modules = buildRunning('README.md', findBlocks(page));
    const files = new Map(modules.map((code, index) => [`section-${index + 1}.ts`, code]));
    for (const [name, content] of shownFiles(markdown)) files.set(name, content);
    files.set('globals.mjs', globals);
    await Promise.all([...files].map(([name, content]) => writeFile(join(folder, name), content)));
    const flags = ['--no-warnings', '--experimental-strip-types', '--import', './globals.mjs'];
    const failures = await runSaved(here, { folder, node: at.node, turn: 0 });
    for (const name of files.keys()) {
      if (!name.startsWith('section-')) continue;
      const { ok, output } = await exec(at.node, [...flags, name], { cwd: folder, timeout: 60_000 });
      if (!ok) failures.push(output);
    }
    failures.push(...(await runSaved(here, { folder, node: at.node, turn: 1 })));
    return [...failures, ...(await runTests(here, folder, at.node, at.command))];
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}
