import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { casesOf } from '../../support/thorough.ts';
import { folderOf, openDeployment, shopFile } from './support/deployment.ts';
import { command, shell, start } from './support/process.ts';

const file = { 'permissions.yaml': shopFile(), 'other.yaml': shopFile(['bob']) };
const who = 'who orders:read orders:7';
/** Makes a process write a file once it listens to SIGTERM. */
const NODE_OPTIONS = `--import=data:text/javascript,${[
  "import{writeFileSync}from'node:fs'",
  "process.on('newListener',(name)=>name==='SIGTERM'&&setImmediate(()=>writeFileSync('listening','')))",
].join(';')}`;
const answer = expect.stringContaining('user "alice"');

describe('the outputs of a command in a shell', () => {
  test.each(casesOf(['permissions --help', `permissions ${who}`, 'mock --print-config', '--version']))(
    '%s > /dev/full: exit 1, and one line that says so',
    async (line) => {
      const { code, err } = await shell(`cli ${line} > /dev/full`, folderOf(file));
      expect([code, err]).toEqual([1, 'arango-services: stdout cannot be written (ENOSPC)\n']);
    },
  );

  test('warnings that cannot be written, and a report on a full disk: exit 1', async () => {
    const folder = folderOf({ ...file, 'a.test.yaml': 'nobody: [{ action: "orders:delete", resource: "*" }]' });
    expect((await shell('cli permissions lint --file missing.yaml 2> /dev/full', folder)).code).toBe(1);
    expect(await command(['test', '--junit', '/dev/full'], folder)).toMatchObject({
      code: 1,
      err: 'arango-services: /dev/full: cannot be written (ENOSPC)\n',
    });
  });

  test('a reader that closes early changes neither the exit code nor stderr', async () => {
    const folder = folderOf(file);
    const line = 'set -o pipefail; cli permissions diff permissions.yaml other.yaml | true';
    expect(await shell(line, folder)).toEqual({ code: 2, out: '', err: '' });
  });
});

describe('the inputs of a command in a shell', () => {
  const pipes: readonly (readonly [string, string])[] = [
    ['stdin as a file of permissions', `cat permissions.yaml | cli permissions ${who} --file -`],
    ['an anonymous pipe', `cli permissions ${who} --file <(cat permissions.yaml)`],
    ['a named pipe that is written late', `(sleep 0.3; cat permissions.yaml > fifo) & cli permissions ${who} -f fifo`],
    [
      'includes of stdin, relative to the working directory',
      `echo 'include: [permissions.yaml]' | cli permissions ${who} -f -`,
    ],
    ['an include that is a named pipe', `cat permissions.yaml > fifo & cli permissions ${who} -f includes.yaml`],
  ];
  test.each(casesOf(pipes))('may be %s', async (_what, line) => {
    const folder = folderOf({ ...file, 'includes.yaml': 'include: [fifo]' });
    execFileSync('mkfifo', ['fifo'], { cwd: folder });
    expect(await shell(line, folder)).toMatchObject({ code: 0, err: '', out: answer });
  });

  test('a token on stdin, in a pipe, and in ARANGO_TOKEN is sent whole', async () => {
    const { folder, url, mock } = await openDeployment({}, file);
    for (const flag of [
      '--token-file - < token',
      '--token-file <(cat token)',
      '--token-file /dev/stdin < <(cat token)',
    ]) {
      expect(await shell(`cli permissions plan --url ${url} ${flag}`, folder)).toMatchObject({ code: 2, err: '' });
    }
    const line = `ARANGO_TOKEN=/dev/fd/3 cli permissions plan --url ${url} 3< <(cat token)`;
    expect(await shell(line, folder)).toMatchObject({ code: 2, err: '' });
    expect(mock.requests.filter(({ status }) => status === 401)).toEqual([]);
  });

  test('only one of two files can be read from stdin', async () => {
    const line = 'cat permissions.yaml | cli permissions diff - -';
    expect(await shell(line, folderOf(file))).toMatchObject({
      code: 64,
      err: 'arango-services: <after>: stdin is read already, for <before>\n',
    });
  });

  test('adopt refuses to add to a pipe', async () => {
    const { folder, flags } = await openDeployment({}, file);
    const line = `cat permissions.yaml | cli permissions adopt -f - ${flags.join(' ')}`;
    expect(await shell(line, folder)).toMatchObject({
      code: 64,
      err: expect.stringContaining('--file: expected a file'),
    });
  });

  test('issues in stdin are named by <stdin>, line and column', async () => {
    expect(await command(['lint', '--file', '-'], folderOf(), {}, 'polices: {}')).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^<stdin>:1:1: unknown field/),
    });
  });

  test.each([
    ['stdin', ['--file', '-']],
    ['a pipe without a writer', ['--file', 'fifo']],
    ['a password', ['--url', 'http://127.0.0.1:1', '--user', 'a', '--password-stdin']],
  ])('reading %s ends at SIGTERM, exit 1', async (_what, args) => {
    const folder = folderOf(file);
    execFileSync('mkfifo', ['fifo'], { cwd: folder });
    const running = start(['who', 'orders:read', 'orders:7', ...args], folder, { NODE_OPTIONS });
    // There is no output before the reading; the process listens to signals once it has loaded its modules.
    await expect.poll(() => existsSync(join(folder, 'listening')), { timeout: 50_000 }).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    running.child.kill('SIGTERM');
    expect(await running.ended()).toEqual({
      code: 1,
      out: '',
      err: 'arango-services: stopped by SIGTERM; nothing was written to the deployment\n',
    });
  });
});

describe('a wrong --grpc is reported with flag and address', () => {
  test('a closed port and a silent port', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    // The cast: it listens on a port.
    const { port } = silent.address() as { readonly port: number };
    const { folder, flags, server } = await openDeployment({}, file);
    const plan = (address: string) => command(['plan', ...flags, '--grpc', address], folder);
    const [closed, quiet, http] = await Promise.all([
      plan('127.0.0.1:1'),
      plan(`127.0.0.1:${port}`),
      plan(new URL(server.url).host),
    ]);
    expect(closed).toMatchObject({ code: 1, err: expect.stringMatching(/--grpc 127\.0\.0\.1:1: .*ECONNREFUSED/) });
    expect(quiet.code).toBe(1);
    expect(quiet.err).toContain(`--grpc 127.0.0.1:${port}: `);
    expect(http.code).toBe(1);
    expect(http.err).toContain(`--grpc ${new URL(server.url).host}: `);
  });
});

describe('--json', () => {
  test.each<[readonly string[], string, number]>([
    [['plan', '--file', 'missing.yaml'], 'USAGE', 64],
    [['plan', '--ulr', 'x'], 'USAGE', 64],
    [['who', 'orders:read', 'x', '--file', 'wrong.yaml'], 'PERMISSIONS', 64],
    [['plan', '--url', 'http://127.0.0.1:1'], 'NETWORK', 1],
  ])('%j: the error is on stdout, too', async (args, code, exit) => {
    const folder = folderOf({ ...file, 'wrong.yaml': 'polices: {}' });
    const ended = await command([...args, '--json'], folder);
    expect(ended.code).toBe(exit);
    const { error, ...rest } = JSON.parse(ended.out);
    expect([error.code, rest]).toEqual([code, {}]);
    expect(ended.err).toBe(`${error.message}\n`.replaceAll(/^(?=.)/gm, 'arango-services: '));
  });
});

test('FORCE_COLOR colors without a terminal, and overrides NO_COLOR; 0 does not color', async () => {
  const folder = folderOf(file);
  const diff = async (env: Record<string, string>) =>
    (await command(['diff', 'permissions.yaml', 'other.yaml'], folder, env)).out.includes('\x1b[32m  + ');
  expect(await diff({})).toBe(false);
  expect(await diff({ FORCE_COLOR: '1' })).toBe(true);
  expect(await diff({ FORCE_COLOR: '', NO_COLOR: '1' })).toBe(true);
  expect(await diff({ FORCE_COLOR: '0' })).toBe(false);
});

test('an error of the program itself is one line, without the code that threw', async () => {
  const folder = folderOf({ 'throw.mjs': 'JSON.parse = () => { throw new TypeError("not\\nready") };' });
  const NODE_OPTIONS = `--import ${join(folder, 'throw.mjs')}`;
  expect(await shell('cli --version', folder, { NODE_OPTIONS })).toEqual({
    code: 1,
    out: '',
    err: 'arango-services: not\ufffdready\n',
  });
});
