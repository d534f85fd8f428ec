import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listenGrpc } from '../../../src/console/mock/node.ts';
import { beginSession, pageHeaders, sendRaw } from '../../console/support/browser.ts';
import { openDeployment, shopFile } from './support/deployment.ts';
import { inProcess } from './support/in-process.ts';

const everything = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
/** An item of each kind: a replica waits 2 s for the first one of a kind that has none. */
const bound = {
  policies: { all: everything },
  roles: { admins: { policies: ['all'] } },
  bindings: [{ user: 'admin', role: 'admins', scope: everything }],
};

/** Runs the command until the test ends, once it has printed its address. */
async function serve(args: readonly string[]) {
  const stop = new AbortController();
  let out = '';
  const stdout = {
    write(text: string) {
      out += text;
    },
  };
  const ended = inProcess(['console', ...args], { signal: stop.signal, stdout });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  await expect.poll(() => out, { timeout: 20_000 }).toContain('#key=');
  const [, port = '', key = ''] = /127\.0\.0\.1:(\d+)\/_console\/#key=([\w-]{22})\n/.exec(out) ?? [];
  return { port: Number(port), key, stop, ended, out: () => out };
}

test('serves the permissions of a deployment on 127.0.0.1, for the key that it prints', async () => {
  const { mock, url, token, folder } = await openDeployment(bound, {
    'permissions.yaml': shopFile(),
    'sidecar.log': 'starting\n',
  });
  const { address } = await listenGrpc(mock);
  const file = join(folder, 'permissions.yaml');
  const log = join(folder, 'sidecar.log');
  const access = ['--url', url, '--grpc', address, '--token-file', join(folder, 'token')];
  const flags = [...access, '--file', file, '--log', log, '--port', '0'];
  const { port, key, stop, ended, out } = await serve(flags);
  await expect(beginSession(port)).rejects.toThrow(/401.*"key"/);
  const session = await beginSession(port, key);
  const call = async (name: string, argument: object = {}) => {
    const headers = { ...pageHeaders(port), cookie: session.cookie, 'x-console-token': session.token };
    const answer = await sendRaw(port, {
      method: 'POST',
      path: `/_console/api/${name}`,
      headers,
      body: JSON.stringify(argument),
    });
    expect(answer.text).not.toContain(token);
    return { status: answer.status, ...JSON.parse(answer.text) };
  };
  expect((await call('overview')).value).toMatchObject({ kind: 'deployment', url, file, fidelity: 'documented' });
  const { value } = await call('compareFile');
  expect(value).toMatchObject({
    problems: [],
    gained: [{ users: ['alice'], text: expect.stringContaining('gain orders:read on') }],
  });
  expect((await call('compareFile', { path: '/etc/passwd' })).status).toBe(400);
  expect((await call('overview')).value.log).toEqual({ name: 'sidecar.log', size: 9 });
  const headers = { ...pageHeaders(port), cookie: session.cookie, 'x-console-token': session.token };
  const readLog = async () =>
    (await sendRaw(port, { method: 'POST', path: '/_console/api/log', headers, body: '{"path":"/etc/passwd"}' })).text;
  expect([await readLog(), await readLog()]).toEqual(['starting\n', 'starting\n']);
  mock.requests.clear();
  expect((await call('edit', { edit: { kind: 'delete-policy', name: 'x' } })).status).toBe(501);
  expect((await call('token', { text: token })).value).toMatchObject({ valid: true, superuser: true });
  expect(mock.requests.map(({ path }) => path)).toEqual(['/_integration/authn/v1/validate']);
  // No other path is passed on.
  expect((await sendRaw(port, { path: '/_api/version' })).status).toBe(404);
  expect(out()).not.toContain(token);
  stop.abort();
  expect((await ended).code).toBe(0);
  await expect(sendRaw(port, { path: '/_console/' })).rejects.toThrow(/ECONNREFUSED|ECONNRESET|hang up/);
});

test('several logs are one, in the order of their times, and each has to be there', async () => {
  const line = (at: number) => `2026-11-23T12:00:0${at}Z INF line ${at}\n`;
  const logs = { 'a.log': `${line(1)}${line(4)}`, 'b.log': `${line(0)}behind it\n${line(3)}` };
  const { mock, url, folder } = await openDeployment(bound, logs);
  const { address } = await listenGrpc(mock);
  const [a, b] = [join(folder, 'a.log'), join(folder, 'b.log')];
  const access = ['--url', url, '--grpc', address, '--token-file', join(folder, 'token')];
  const { port, key } = await serve([...access, '--log', a, '--log', b, '--port', '0']);
  const { cookie, token } = await beginSession(port, key);
  const headers = { ...pageHeaders(port), cookie, 'x-console-token': token };
  const call = (name: string) => sendRaw(port, { method: 'POST', path: `/_console/api/${name}`, headers, body: '{}' });
  expect((await call('log')).text).toBe(`${line(0)}behind it\n${line(1)}${line(3)}${line(4)}`);
  const size = logs['a.log'].length + logs['b.log'].length;
  expect(JSON.parse((await call('overview')).text).value.log).toEqual({ name: 'a.log, b.log', size });
  rmSync(a);
  expect(await call('log')).toMatchObject({
    status: 500,
    text: expect.stringContaining('--log: there is no such file'),
  });
  const missing = await inProcess(['console', ...access, '--log', b, '--log', a]);
  expect([missing.code, missing.err]).toEqual([64, `arango-services: --log ${a}: there is no such file\n`]);
});

test('the log may be a link, grow, vanish, and give way to a pipe: a page gets what is there, or the reason', async () => {
  const { mock, url, folder } = await openDeployment(bound, { 'real.log': 'one\n' });
  const { address } = await listenGrpc(mock);
  const [real, link] = [join(folder, 'real.log'), join(folder, '\u202egol.link')];
  symlinkSync(real, link);
  const access = ['--url', url, '--grpc', address, '--token-file', join(folder, 'token')];
  const { port, key, out } = await serve([...access, '--log', link, '--port', '0']);
  const { cookie, token } = await beginSession(port, key);
  const headers = { ...pageHeaders(port), cookie, 'x-console-token': token };
  const read = async () => {
    const {
      status,
      text,
      headers: sent,
    } = await sendRaw(port, {
      method: 'POST',
      path: '/_console/api/log',
      headers,
      body: '{}',
    });
    return { status, text, type: sent['content-type'], sniff: sent['x-content-type-options'] };
  };
  const whole = { status: 200, type: 'application/octet-stream', sniff: 'nosniff' };
  expect(await read()).toEqual({ ...whole, text: 'one\n' });
  appendFileSync(real, '<script>alert(1)</script>\n');
  expect(await read()).toEqual({ ...whole, text: 'one\n<script>alert(1)</script>\n' });
  rmSync(real);
  expect(await read()).toMatchObject({ status: 500, text: expect.stringContaining('--log: there is no such file') });
  execFileSync('mkfifo', [real]);
  for (let turn = 0; turn < 40; turn += 1) {
    expect(await read()).toMatchObject({ status: 500, text: expect.stringContaining('--log: is not a file anymore') });
  }
  rmSync(real);
  mkdirSync(real);
  expect(await read()).toMatchObject({ status: 500, text: expect.stringContaining('--log: is a directory') });
  rmdirSync(real);
  writeFileSync(real, 'two\n');
  expect(await read()).toEqual({ ...whole, text: 'two\n' });
  // Neither the printed line nor an answer names the folder.
  expect(out()).not.toContain(folder);
});

test.each([
  [['--url', 'http://a.test'], '--grpc: is missing'],
  [['--url', 'http://a.test', '--grpc', 'b.test:1', '--port', 'x'], '--port: expected a whole number'],
  [['--url', 'http://a.test', '--grpc', 'b.test:1', '--file', 'none.yaml'], '--file: there is no such file'],
  [['--url', 'http://a.test', '--grpc', 'b.test:1', '--log', 'none.log'], '--log: there is no such file'],
  [['--url', 'http://a.test', '--grpc', 'b.test:1', '--log', '/'], '--log: is a directory'],
  [
    ['--url', 'http://a.test', '--grpc', 'b.test:1', '--log', '-'],
    '--log: must be a file, which each page reads again',
  ],
  [['--url', 'http://a:b@a.test', '--grpc', 'b.test:1'], '--url: must not hold a user or a password'],
  [['--token', 'abc'], '--token: secrets do not belong on a command line'],
  [['--prot', '1'], '(did you mean "--port"?); see arango-services console --help'],
])('refuses %j', async (args, message) => {
  const { code, err } = await inProcess(['console', ...args]);
  expect([code, err]).toEqual([64, expect.stringContaining(message)]);
});

test('prints its help, and is listed in that of the command', async () => {
  const { code, out } = await inProcess(['console', '--help']);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/Usage: arango-services console \[flags\].*--grpc <host:port>/s),
  ]);
  expect(out).toMatch(/--fidelity .*default: those of the deployment/);
  expect(out).toMatch(/--file <file> +a file of permissions to compare/);
  expect(out).toMatch(/--log <file> +a log of decisions to show/);
  expect((await inProcess(['--help'])).out).toMatch(/^ {2}console /m);
});
