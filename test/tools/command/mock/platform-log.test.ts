import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { readDecisions } from '../../../../src/policy/decisions/index.ts';
import { run as runCommand } from '../../../../src/tools/command/mock/start-mock.js';

const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command in this process, and returns its output. */
async function run(args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(['mock', ...args], {
    env: {},
    print: (line) => out.push(line),
    warn: (line) => err.push(line),
    serving: (mock) => onTestFinished(() => mock[Symbol.asyncDispose]()),
  });
  const url = out.map((line) => /listening on (http:\S+)$/.exec(line)?.[1]).find(Boolean) ?? '';
  const ask = async (): Promise<string | undefined> => {
    const body = JSON.stringify({ user: 'alice', action: 'orders:read', resource: 'order:7' });
    await fetch(`${url}/_integration/authorization/v1/evaluate`, { method: 'POST', body });
    return out.at(-1);
  };
  return { code, out, err, ask };
}

const permissive = [
  '--port=0',
  '--fidelity=sidecar',
  '--integration.authorization.v1.type=central-permissive',
] as const;
const denied =
  / INF Access Denied action=orders:read context=null method=Permissive.Evaluate resource=order:7 roles=\[\] user=alice$/;

describe('mock --log', () => {
  test('platform prints the pretty lines of the platform', async () => {
    const { ask } = await run([...permissive, '--log', 'platform']);
    expect(await ask()).toMatch(denied);
  });

  test.each([
    ['--log-format', 'json'],
    ['--log.format', 'JSON'],
  ])('%s %s prints JSON', async (flag, format) => {
    const { ask } = await run([...permissive, '--log=platform', flag, format]);
    expect(await ask()).toMatch(/^\{"level":"info","method":"Permissive\.Evaluate",.*"message":"Access Denied"\}$/);
  });

  test.each([['--log-level=warn'], ['--log.level=warn']])('%s leaves decisions out', async (flag) => {
    const { ask } = await run([...permissive, '--log=platform', flag]);
    expect(await ask()).toContain('listening on');
  });

  test.each([[['--log']], [['--log', 'requests']], [['--log=requests']]])('%j prints requests', async (flags) => {
    const { ask } = await run([...flags, '--port=0']);
    expect(await ask()).toMatch(/^POST \S+ 200 Deny orders:read on "order:7"$/);
  });

  test.each([
    [['--log=platform'], '--log: platform needs --fidelity sidecar'],
    [['--log-format=json'], '--log-format: needs --log platform'],
    [['--log', '--log.level=info'], '--log-level: needs --log platform'],
    [['--log=plattform'], '--log: expected requests or platform'],
    [['--log', 'plattform'], 'plattform: unexpected argument'],
    [['--log=platform', '--log-format=xml'], '--log-format: expected pretty or json'],
  ])('%j is refused', async (flags, message) => {
    const { code, err } = await run(['--port=0', ...flags]);
    expect(code).toBe(64);
    expect(err.join('\n')).toContain(message);
  });
});

test('the output of a real command is a log that readDecisions reads', async () => {
  const cli = fileURLToPath(new URL('../../../../dist/command/index.js', import.meta.url));
  const child = spawn(process.execPath, [cli, 'mock', ...permissive, '--log', 'platform', '--log-format', 'json'], {
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const file = join(folder, 'sidecar.log');
  const written = once(child.stdout.pipe(createWriteStream(file)), 'close');
  const lines = createInterface(child.stdout);
  const [first] = (await once(lines, 'line')) as [string];
  const url = /listening on (\S+)$/.exec(first)?.[1];
  const users = ['alice', 'na "me"\n\u001b[31m'];
  for (const user of users) {
    const body = JSON.stringify({ user, roles: ['viewer'], action: 'orders:read', resource: 'order:7' });
    await fetch(`${url}/_integration/authorization/v1/evaluate`, { method: 'POST', body });
  }
  child.kill('SIGTERM');
  await written;
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(3);
  const log = readDecisions(createReadStream(file));
  const read = [];
  for await (const { decision } of log) read.push(decision);
  expect(read).toMatchObject(
    users.map((user) => ({ subject: { user, groups: ['viewer'] }, effect: 'Deny', enforced: false })),
  );
  expect(log.summary.skipped).toMatchObject([{ reason: 'foreign', count: 1 }]);
});
