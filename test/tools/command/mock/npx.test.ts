import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

const cli = fileURLToPath(new URL('../../../../dist/command/index.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
const bin = join(folder, 'node_modules', '.bin');

beforeAll(() => {
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true }');
  symlinkSync(cli, join(bin, 'arango-services'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program in the folder of an application, in its own process group, until the test ends. */
async function start(program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...more };
  const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const group = -(child.pid ?? Number.NaN);
  onTestFinished(() => {
    try {
      process.kill(group, 'SIGKILL');
    } catch {
      // Already ended.
    }
  });
  let out = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    out += chunk;
    if (out.includes('listening on')) break;
  }
  const [, url = ''] = /listening on (http:\S+)\n/.exec(out) ?? [];
  expect(url).not.toBe('');
  return { child, group, url };
}

const isServing = (url: string): Promise<boolean> =>
  fetch(`${url}/_api/version`).then(
    () => true,
    () => false,
  );

const serve = ['arango-services', 'mock', '--port=0'];

describe('a mock that npx runs', () => {
  test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'ends when %s ends npx',
    async (signal) => {
      const { child, url } = await start('npx', ['--no-install', ...serve]);
      expect(await isServing(url)).toBe(true);
      child.kill(signal);
      await once(child, 'exit');
      await expect.poll(() => isServing(url), { timeout: 5_000 }).toBe(false);
    },
    30_000,
  );

  test('ends on Ctrl-C, which reaches all processes of a terminal', async () => {
    const { child, group, url } = await start('npx', ['--no-install', ...serve]);
    process.kill(group, 'SIGINT');
    await once(child, 'exit');
    expect(await isServing(url)).toBe(false);
  }, 30_000);

  test('ends with npx if the shell replaces itself with the command', async () => {
    const { child, url } = await start('npx', ['--no-install', '-c', `arango-services mock --port=0`]);
    child.kill('SIGKILL');
    await expect.poll(() => isServing(url), { timeout: 5_000 }).toBe(false);
  }, 30_000);
});

describe('a mock that npx does not run outlives its parent', () => {
  const background = ['-c', '"$0" "$@" & sleep 0.5', ...serve.with(0, join(bin, serve[0] ?? '')).slice(0)];

  test.each([
    ['a shell', {}],
    ['a script that npx ran', { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'setup' }],
    ['a script of the package', { npm_lifecycle_event: 'start', npm_lifecycle_script: 'arango-services mock &' }],
  ])('%s', async (_, variables) => {
    const { child, url } = await start('sh', background, variables);
    if (child.exitCode === null) await once(child, 'exit');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await isServing(url)).toBe(true);
  });
});
