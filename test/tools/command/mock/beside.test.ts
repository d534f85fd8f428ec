import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

const cli = fileURLToPath(new URL('../../../../dist/command/index.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
afterAll(() => rmSync(folder, { recursive: true }));

const seed = join(folder, 'seed.json');
const all = [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }];
writeFileSync(
  seed,
  JSON.stringify({
    policies: { read: { statements: all } },
    roles: { reader: { policies: ['read'] } },
    bindings: [{ user: 'alice', role: 'reader', scope: { statements: all } }],
  }),
);

/** Starts the command with a program behind `--`. */
function start(program: readonly string[], flags: readonly string[] = [], env = {}, ofNode: readonly string[] = []) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [...ofNode, cli, 'mock', '--seed', seed, ...flags, '--', ...program], {
    cwd: folder,
    env: { PATH, HOME, KEPT: 'yes', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, out, err }));
  return { child, ended, printed: () => out };
}

// After a failed test the killed command leaves its program behind.
const endsAlone = 'const { ppid } = process; setInterval(() => ppid === process.ppid || process.exit(9), 500).unref();';
const node = (script: string): string[] => [process.execPath, '--input-type=module', '-e', endsAlone + script];
const isServing = (url: string): Promise<boolean> =>
  fetch(`${url}/_api/version`).then(
    () => true,
    () => false,
  );

describe('mock with a program behind --', () => {
  test('serves while it runs, gives it the variables and a token, and ends with its exit code', async () => {
    const script = `
      import { readFileSync, statSync } from 'node:fs';
      const { ARANGO_DEPLOYMENT_ENDPOINT: url, ARANGO_TOKEN: file, INTEGRATION_HTTP_ADDRESS_FULL: full, KEPT } = process.env;
      const authorization = 'Bearer ' + readFileSync(file, 'utf8').trim();
      const { status } = await fetch(url + '/_integration/authn/v1/identity', { headers: { authorization } });
      const body = JSON.stringify({ user: 'alice', action: 'orders:read', resource: 'o-1' });
      const answer = await fetch(full + '/_integration/authorization/v1/evaluate', { method: 'POST', body });
      const { effect } = await answer.json();
      console.log(JSON.stringify({ url, file, status, effect, KEPT, mode: (statSync(file).mode & 0o777).toString(8) }));
      process.exitCode = 7;
    `;
    const { code, out, err } = await start(node(script)).ended;
    expect(code).toBe(7);
    // Standard output is the program's alone.
    const { url, file, ...found } = JSON.parse(out);
    expect(found).toEqual({ status: 200, effect: 'Allow', KEPT: 'yes', mode: '600' });
    expect(err).toContain(`listening on ${url}`);
    expect(existsSync(file)).toBe(false);
    expect(await isServing(url)).toBe(false);
  });

  test('two run side by side', async () => {
    const script = 'console.log(process.env.ARANGO_DEPLOYMENT_ENDPOINT); setTimeout(() => {}, 300)';
    const both = await Promise.all([start(node(script)).ended, start(node(script)).ended]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(new Set(both.map(({ out }) => out)).size).toBe(2);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)(
    'passes %s on, and ends after the program',
    async (signal) => {
      const script = `
      process.on('${signal}', () => setTimeout(() => { console.log('ended'); process.exit(3); }, 100));
      console.log(process.env.ARANGO_DEPLOYMENT_ENDPOINT);
      setInterval(() => {}, 1_000);
    `;
      const { child, ended, printed } = start(node(script));
      await expect.poll(printed).toContain('http');
      child.kill(signal);
      const { code, out } = await ended;
      expect(code).toBe(3);
      const [url = '', last] = out.trim().split('\n');
      expect(last).toBe('ended');
      expect(await isServing(url)).toBe(false);
    },
  );

  test('ends as a shell would for a program that a signal ends, or that is not there', async () => {
    expect((await start(node("process.kill(process.pid, 'SIGKILL')")).ended).code).toBe(137);
    const missing = await start(['no-such-program-1']).ended;
    expect(missing).toMatchObject({ code: 127, out: '' });
    expect(missing.err).toContain('arango-services: no-such-program-1: was not found');
    // Node reports the first of these as an event, and throws the second.
    for (const [file, code] of [
      [folder, 'EACCES'],
      [join(seed, 'program'), 'ENOTDIR'],
    ] as const) {
      const { code: status, err } = await start([file]).ended;
      expect([status, err]).toEqual([126, expect.stringContaining(`${file}: cannot be run (${code})`)]);
    }
  });

  test('keeps the variables of another deployment from the program', async () => {
    const foreign = {
      ARANGO_DEPLOYMENT_ENDPOINT: 'https://prod.example:8529',
      ARANGO_DEPLOYMENT_CA: '/etc/prod/ca.pem',
      ARANGO_TOKEN: '/etc/prod/token',
      INTEGRATION_HTTP_ADDRESS_FULL: 'https://prod.example:9202',
      INTEGRATION_HTTP_UNIX: '/run/prod.sock',
      INTEGRATION_SERVICE_ADDRESS: 'prod.example:9201',
    };
    const print = node('console.log(JSON.stringify(process.env))');
    const { out } = await start(print, [], foreign).ended;
    expect(out).not.toMatch(/prod/);
    const variables = JSON.parse(out);
    expect(variables.KEPT).toBe('yes');
    const withPool = await start(print, ['--grpc-port', '0'], foreign).ended;
    expect(JSON.parse(withPool.out).INTEGRATION_SERVICE_ADDRESS).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  test('renews the token while the program runs', async () => {
    const script = `
      import { readFileSync, statSync } from 'node:fs';
      const file = process.env.ARANGO_TOKEN;
      const first = readFileSync(file, 'utf8');
      while (readFileSync(file, 'utf8') === first) await new Promise((done) => setTimeout(done, 20));
      console.log((statSync(file).mode & 0o777).toString(8));
    `;
    const short = {
      INTEGRATION_AUTHENTICATION_V1_TOKEN_TTL_MIN: '1s',
      INTEGRATION_AUTHENTICATION_V1_TOKEN_TTL_DEFAULT: '2s',
    };
    const { code, out } = await start(node(script), [], short).ended;
    expect([code, out]).toEqual([0, '600\n']);
  });

  test('leaves a Ctrl-C to the terminal, which sends it to the program itself', async () => {
    const preload = join(folder, 'terminal.cjs');
    writeFileSync(preload, "Object.defineProperty(process.stderr, 'isTTY', { value: true });");
    const script = `
      for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => console.log(signal));
      process.on('SIGTERM', () => process.exit(4));
      console.log('ready');
      setInterval(() => {}, 1_000);
    `;
    const { child, ended, printed } = start(node(script), [], {}, ['--require', preload]);
    await expect.poll(printed).toContain('ready');
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 4, out: 'ready\nSIGTERM\n' });
  });

  test('ends with the program, although its own children go on and stay connected to the mock', async () => {
    const kept = join(folder, 'kept');
    const grandchild = `
      const { writeFileSync } = require('node:fs');
      const { request } = require('node:http');
      request(process.env.ARANGO_DEPLOYMENT_ENDPOINT, { method: 'POST' }).write('a body without an end');
      writeFileSync(${JSON.stringify(kept)}, String(process.pid));
      setInterval(() => {}, 1_000);
    `;
    const script = `
      import { spawn } from 'node:child_process';
      import { existsSync } from 'node:fs';
      spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'inherit' }).unref();
      while (!existsSync(${JSON.stringify(kept)})) await new Promise((done) => setTimeout(done, 20));
      process.exit(6);
    `;
    const { child } = start(node(script));
    const [code] = await once(child, 'exit');
    process.kill(Number(readFileSync(kept, 'utf8')));
    expect(code).toBe(6);
  });

  test('starts no program after a problem of its own', async () => {
    const mark = join(folder, 'mark');
    const touch = node(`import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, '')`);
    expect(await start(touch, ['--prot', '1']).ended).toMatchObject({ code: 64 });
    for (const none of [[], ['']]) {
      expect(await start(none).ended).toMatchObject({ code: 64, err: expect.stringContaining('expected a program') });
    }
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    // The cast: a server that listens on a port has an AddressInfo.
    const { port } = busy.address() as AddressInfo;
    for (const flag of ['--port', '--grpc-port']) {
      const { code, err } = await start(touch, [flag, String(port)]).ended;
      expect([code, err]).toEqual([1, expect.stringContaining(`port ${port} of 127.0.0.1: is already in use`)]);
    }
    busy.close();
    const nowhere = await start(touch, [], { TMPDIR: join(folder, 'none') }).ended;
    expect(nowhere).toMatchObject({
      code: 1,
      err: expect.stringContaining('no folder for the token can be made there'),
    });
    expect(existsSync(mark)).toBe(false);
  });

  test('the program ends with a mock that ends by itself', async () => {
    const [beat, place] = [join(folder, 'beat'), join(folder, 'place')];
    const script = `
      import { writeFileSync } from 'node:fs';
      writeFileSync(${JSON.stringify(place)}, process.env.ARANGO_TOKEN);
      setInterval(() => writeFileSync(${JSON.stringify(beat)}, String(Date.now())), 20);
      setTimeout(() => process.kill(process.ppid, 'SIGUSR1'), 100);
    `;
    // Stands for an error that nothing catches: the process exits on its own.
    const preload = join(folder, 'preload.cjs');
    writeFileSync(preload, "process.on('SIGUSR1', () => { throw new Error('canary'); });");
    const child = spawn(process.execPath, ['--require', preload, cli, 'mock', '--', ...node(script)], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '' },
      stdio: 'ignore',
    });
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    expect(existsSync(readFileSync(place, 'utf8'))).toBe(false);
    await sleep(200);
    const last = readFileSync(beat, 'utf8');
    await sleep(200);
    expect(readFileSync(beat, 'utf8')).toBe(last);
  });
});
