import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { folderOf, shopFile } from './support/deployment.ts';
import { Running, shell } from './support/process.ts';

/** The commands of the guide, without the placeholders of this machine's address. */
function commandsOf(page: string): string[] {
  const blocks = [...page.matchAll(/^```sh\n([^`]*)```$/gm)].map(([, code = '']) => code);
  return blocks.flatMap((code) => code.replaceAll('\\\n ', '').trim().split('\n'));
}

const page = readFileSync(`${root}docs/guides/enforce.md`, 'utf8');
const commands = commandsOf(page);
const own = commands.filter((line) => line.startsWith('npx arango-services permissions '));
const mock = commands.find((line) => line.startsWith('npx arango-services mock ')) ?? '';

/** Starts the mock by the guide's line, or as another type, on a free port; its output is the log. */
async function serve(folder: string, type: string) {
  const args = mock
    .replace(/ > .*$/, '')
    .replace('central-permissive', type)
    .split(/\s+/)
    .slice(2);
  const more = ['--port', '0', '--superuser-token-file', 'token'];
  const running = new Running(process.execPath, [`${root}dist/command/index.js`, ...args, ...more], folder, {});
  const [, url = ''] = await running.printed(/(http:\/\/[\w.:]+)/);
  return { running, url };
}

const questions = [
  { user: 'alice', action: 'orders:read', resource: 'orders:7' },
  { user: 'bob', action: 'orders:list', resource: 'orders:7' },
  { user: 'eve', action: 'orders:read', resource: 'orders:8' },
];

async function ask(url: string): Promise<string[]> {
  const effects: string[] = [];
  for (const question of questions) {
    const body = JSON.stringify(question);
    const answer = await fetch(`${url}/_integration/authorization/v1/evaluate`, { method: 'POST', body });
    effects.push(((await answer.json()) as { effect: string }).effect);
  }
  return effects;
}

test('the commands of the guide lead from the log of the mock to permissions under which nothing is denied', async () => {
  const folder = folderOf({ 'permissions.yaml': shopFile(['alice', 'bob']) });
  const { running, url } = await serve(folder, 'central-permissive');
  expect(await ask(url)).toEqual(['Allow', 'Allow', 'Allow']);
  await running.printed(/user=eve/);
  writeFileSync(join(folder, 'sidecar.log'), running.out);
  expect(existsSync(join(folder, 'token'))).toBe(true);

  const run = (line: string) =>
    shell(line.replace('npx arango-services', 'cli').replace('http://localhost:8529', url), folder);
  const codes: [string, number | null][] = [];
  let last = '';
  for (const line of own) {
    const { code, out, err } = await run(line);
    last = `${out}${err}`;
    codes.push([line.split(' ')[3] ?? '', code]);
  }
  expect(codes, last).toEqual([
    ['rehearse', 2],
    ['rehearse', 2],
    ['rehearse', 2],
    ['diff', 2],
    ['rehearse', 0],
    ['plan', 2],
    ['apply', 0],
    ['rehearse', 0],
  ]);
  expect(last).toContain('Enforcing would deny none of 3 requests.');
  running.child.kill('SIGTERM');
  await once(running.child, 'close');

  // Enforced: denied with the old file, and not with the new one.
  const old = await serve(folder, 'central');
  expect(await ask(old.url)).toEqual(['Allow', 'Deny', 'Deny']);
  old.running.child.kill('SIGTERM');
  writeFileSync(join(folder, 'permissions.yaml'), readFileSync(join(folder, 'proposed.yaml')));
  const enforced = await serve(folder, 'central');
  expect(await ask(enforced.url)).toEqual(['Allow', 'Allow', 'Allow']);
}, 120_000);
