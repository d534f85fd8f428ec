import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { run as runCommand } from '../../../../src/tools/command/mock/start-mock.ts';
import { poolClient } from '../../../support/pool-client.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const cli = join(root, 'dist/command/index.js');
const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Variables = Readonly<Record<string, string>>;

/** The exit code of the command, and the problems that it printed. */
interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
}

/** Runs the command as a child process, and collects its output. */
class Command {
  readonly child: ChildProcess;
  out = '';
  err = '';

  constructor(args: readonly string[], variables: Variables = {}) {
    // Not this process's own variables, which may hold those of the services.
    this.child = spawn(process.execPath, [cli, ...args], { env: { ...variables }, cwd: folder });
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.out += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.err += text;
    });
  }

  /** Waits until it has printed this on stdout. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.out);
      if (found !== null) return found;
      if (this.child.exitCode !== null) throw new Error(`it ended before it printed ${pattern}: ${this.err}`);
      await Promise.race([once(this.child.stdout ?? this.child, 'data'), once(this.child, 'close')]);
    }
  }

  async ended(): Promise<Ended> {
    if (this.child.exitCode === null) await once(this.child, 'close');
    return { code: this.child.exitCode, lines: this.err.trimEnd().split('\n') };
  }
}

/** Serves a mock by the command until the test ends. */
async function serve(args: readonly string[] = [], variables: Variables = {}) {
  const command = new Command(['mock', '--port', '0', ...args], variables);
  onTestFinished(async () => {
    command.child.kill('SIGKILL');
    await command.ended();
  });
  const [, url = ''] = await command.printed(/listening on (http:\S+)\n/);
  return { command, url };
}

/** Runs the command in this process, which is enough to test its arguments. */
async function command(args: readonly string[], env: Variables = {}): Promise<Ended & { readonly out: string }> {
  const out: string[] = [];
  const lines: string[] = [];
  const code = await runCommand(args, {
    env,
    print: (line) => out.push(line),
    warn: (line) => lines.push(line),
    serving: (mock) => onTestFinished(() => mock[Symbol.asyncDispose]()),
  });
  return { code, lines, out: out.join('\n') };
}

const run = (args: readonly string[], variables?: Variables) => command(['mock', ...args], variables);

function seed(value: unknown): string {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

/** Serves a mock by the command in this process until the test ends. */
async function open(args: readonly string[]): Promise<string> {
  const { out } = await run(['--port=0', ...args]);
  return /listening on (http:\S+)$/.exec(out)?.[1] ?? '';
}

const post = (url: string, body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) });
const evaluate = '/_integration/authorization/v1/evaluate';
const config = async (args: readonly string[], variables?: Variables): Promise<Record<string, unknown>> => {
  const { out, ...ended } = await run(['--print-config', ...args], variables);
  expect(ended).toEqual({ code: 0, lines: [] });
  return JSON.parse(out);
};

describe('the command mock', () => {
  test('works without a configuration, and prints the URL and a warning', async () => {
    const { command, url } = await serve();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await post(`${url}/_open/auth`, { username: 'root', password: '' })).status).toBe(200);
    expect(command.err).toContain('not an authorization server');
  });

  test('with a seed file: decisions follow its policies', async () => {
    const file = seed({
      policies: { 'read-only': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
      roles: { viewer: { policies: ['read-only'] } },
    });
    const url = await open(['--seed', file]);
    const ask = { user: 'alice', roles: ['viewer'], resource: 'orders' };
    expect(await (await post(url + evaluate, { ...ask, action: 'orders:read' })).json()).toMatchObject({
      effect: 'Allow',
    });
    expect(await (await post(url + evaluate, { ...ask, action: 'orders:write' })).json()).toMatchObject({
      effect: 'Deny',
    });
  });

  test('allows CORS for the listed origins only', async () => {
    const url = await open(['--cors', 'http://a.test', '--cors=http://b.test,http://c.test']);
    for (const origin of ['http://a.test', 'http://b.test', 'http://c.test']) {
      const { headers } = await fetch(`${url}/_api/version`, { headers: { origin } });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
    }
    const { headers } = await fetch(`${url}/_api/version`, { headers: { origin: 'http://d.test' } });
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });

  test('--grpc-port serves the pool streams on their own port', async () => {
    const { command } = await serve(['--grpc-port', '0', '--integration.authentication.mode=None']);
    const [, address = ''] = await command.printed(/gRPC on (127\.0\.0\.1:\d+)$/m);
    const stream = poolClient(address)('GetPolicy', {}, null);
    await stream.done;
    expect([stream.messages, stream.error]).toEqual([[], undefined]);
  });

  test('--log prints a line per request, without secrets', async () => {
    const { command, url } = await serve(['--log']);
    await post(`${url}/_open/auth?token=canary-query`, { username: 'root', password: 'canary-password' });
    await fetch(`${url}/_api/version`, { headers: { authorization: 'bearer canary-token' } });
    await fetch(`${url}/_db/x/eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.c2ln/y`);
    await post(url + evaluate, { user: 'alice', action: 'a:b', resource: 'c' });
    await command.printed(/Deny .*\n/);
    expect(command.out.trimEnd().split('\n').slice(1)).toEqual([
      'POST /_open/auth 401',
      'GET /_api/version 401',
      'GET /_db/x/<redacted>/y 401',
      `POST ${evaluate} 200 Deny a:b on "c"`,
    ]);
    expect(command.out + command.err).not.toContain('canary');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends it with 0, even with open connections; without --log it prints nothing else',
    async (signal) => {
      const { command, url } = await serve();
      // Kept alive by fetch's pool.
      await (await post(url + evaluate, {})).text();
      command.child.kill(signal);
      expect(await command.ended()).toMatchObject({ code: 0 });
      expect(command.out).toMatch(/^.*listening on \S+\n$/);
    },
  );

  test('runs as an executable (mode and first line of the built file)', async () => {
    expect(readFileSync(cli, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    chmodSync(cli, 0o755);
    const child = spawn(cli, ['--help'], { env: { PATH: join(process.execPath, '..') } });
    expect((await once(child, 'close'))[0]).toBe(0);
  });
});

describe('the configuration of the command mock', () => {
  test('--print-config prints the effective configuration without secrets, and exits', async () => {
    const file = seed({
      now: '2026-11-20T12:00:00Z',
      authentication: { keys: { active: 'canary-active', passive: ['canary-passive'] } },
      users: [{ name: 'alice', password: 'canary-password' }],
      policies: { ['__proto__']: { statements: [] } },
    });
    const printed = await config(['--seed', file, '--fidelity', 'sidecar']);
    expect(printed).toMatchObject({
      fidelity: 'sidecar',
      now: '2026-11-20T12:00:00.000Z',
      authentication: { mode: 'Native', keys: { active: '<redacted>', passive: ['<redacted>'] } },
      limits: { bodyBytes: 4_194_304 },
    });
    expect(printed.users).toContainEqual({ name: 'alice', password: '<redacted>' });
    expect(JSON.stringify(printed)).not.toContain('canary');
    expect(await config(['--seed', seed(printed)])).toEqual(printed);
  });

  test('flags override variables, and variables override the seed file', async () => {
    const file = seed({ authorization: { type: 'always', mode: 'None' }, authentication: { token: { user: 'seed' } } });
    const variables = {
      INTEGRATION_AUTHORIZATION_V1_TYPE: 'never',
      INTEGRATION_AUTHORIZATION_MODE: 'Native',
      INTEGRATION_AUTHENTICATION_V1_TOKEN_TTL_MAX: '',
      INTEGRATION_SOMETHING_ELSE: 'x',
    };
    expect(await config(['--seed', file, '--integration.authorization.v1.type=central'], variables)).toMatchObject({
      authorization: { type: 'central', mode: 'Native' },
      authentication: { token: { user: 'seed', ttl: { max: '3600s' } } },
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ['--integration.authentication.v1.token.ttl.max=2h', { token: { ttl: { max: '7200s' } } }],
    ['--integration.authentication.v1.token.ttl.min=1s', { token: { ttl: { min: '1s' } } }],
    ['--integration.authentication.v1.token.ttl.default=5m', { token: { ttl: { default: '300s' } } }],
    ['--integration.authentication.v1.token.user=svc', { token: { user: 'svc' } }],
    ['--integration.authentication.v1.enabled=false', { enabled: false }],
    ['--integration.authentication.v1.enabled', { enabled: true }],
    ['--integration.authentication.mode=SSO', { mode: 'SSO' }],
  ])('%s, and its variable', async (flag, authentication) => {
    expect(await config([flag])).toMatchObject({ authentication });
    const [name = '', value = 'true'] = flag.slice(2).split('=');
    expect(await config([], { [name.toUpperCase().replaceAll('.', '_')]: value })).toMatchObject({ authentication });
  });
});

describe('invalid input exits with 2 and names the source of each error', () => {
  const types = 'expected one of central, central-permissive, always, never, got a string';

  test.each<[readonly string[], readonly (string | RegExp)[]]>([
    [['--port=99999'], ['--port: expected a port from 0 to 65535']],
    [
      ['--port', '-1', '--portt', '1'],
      ['--port: needs a value', /^-1: unknown flag|^--portt: unknown flag/],
    ],
    [['--grpc-port=x'], ['--grpc-port: expected a port from 0 to 65535']],
    [['--host='], ['--host: needs a value']],
    [
      ['--log=yes', '--console=yes', 'extra'],
      [
        '--log: expected requests or platform',
        '--console: takes no value',
        /^extra: unexpected argument; .* "-- npm test"$/,
      ],
    ],
    [['--cors=*'], [/^--cors\[0\]: expected an origin/]],
    [['--fidelity=exact'], ['--fidelity: expected one of documented, sidecar, got a string']],
    [['--integration.authorization.v1.type=some'], [`--integration.authorization.v1.type: ${types}`]],
    [
      ['--integration.authentication.v1.enabled=maybe'],
      ['--integration.authentication.v1.enabled: expected true or false, got a string'],
    ],
    [
      ['--integration.authentication.v1.token.ttl.max=5'],
      [/^--integration\.authentication\.v1\.token\.ttl\.max: expected a duration/],
    ],
    [
      ['--integration.authentication.v1.token.allowed', 'root'],
      [
        /^--integration\.authentication\.v1\.token\.allowed: expected none: only platform 1\.4\.4 in sidecar fidelity has it/,
      ],
    ],
    [
      ['--integration.authentication.v1.token.ttl.max=30s'],
      ['--integration.authentication.v1.token.ttl.max: expected a min of at most max, got 60s and 30s'],
    ],
    [['--seed', 'missing.json'], ['missing.json: there is no such file']],
    [['--seed', '.'], ['.: is a directory']],
  ])('%j', async (args, expected) => {
    const { code, lines } = await run(args);
    expect(code).toBe(64);
    for (const [i, line] of expected.entries()) {
      const text = lines[i]?.replace(/^arango-services: /, '');
      if (typeof line === 'string') expect(text).toBe(line);
      else expect(text).toMatch(line);
    }
  });

  test('names an invalid variable', async () => {
    const { code, lines } = await run([], { INTEGRATION_AUTHORIZATION_V1_TYPE: 'some' });
    expect([code, lines]).toEqual([64, [`arango-services: INTEGRATION_AUTHORIZATION_V1_TYPE: ${types}`]]);
    const gone = await run([], { INTEGRATION_AUTHENTICATION_V1_TOKEN_ALLOWED: 'root' });
    expect(gone.lines[0]).toMatch(/^arango-services: INTEGRATION_AUTHENTICATION_V1_TOKEN_ALLOWED: expected none/);
  });

  test('reports all errors of a seed file by path, without values', async () => {
    const file = seed({
      authentication: { mode: 'canary', keys: { actve: 'canary' } },
      users: [{ name: 'a' }, { name: 5 }],
      policies: { p: { statements: [{ effect: 'Allow', actions: 'canary' }] } },
    });
    const { code, lines } = await run(['--seed', file]);
    expect(code).toBe(64);
    expect(lines.map((line) => line.replace(`arango-services: ${file}: `, '').replace(/: .*/, '')).sort()).toEqual([
      'authentication.keys.actve',
      'authentication.mode',
      'policies.p.statements[0].actions',
      'users[1].name',
    ]);
    expect(lines.join()).not.toContain('canary');
  });

  test('reports an invalid policy by its path, unless the fidelity accepts it', async () => {
    const statements = [{ effect: 'Allow', actions: ['orders:read'], resources: ['*x*'] }];
    const file = seed({ policies: { p: { statements } } });
    const { code, lines } = await run(['--seed', file]);
    expect([code, lines.length]).toEqual([64, 1]);
    expect(lines[0]).toContain(`${file}: policies.p.statements[0].resources[0]: `);
    expect((await run(['--seed', file, '--fidelity=sidecar', '--print-config'])).code).toBe(0);
  });

  test.each(['{"users": [', '{"authentication": {"keys": {"active": canary}}}', ''])(
    'a seed file that is not JSON (%j)',
    async (text) => {
      const file = seed(text);
      const { code, lines } = await run(['--seed', file]);
      expect([code, lines.length]).toEqual([64, 1]);
      expect(lines[0]).toContain(`${file}: is not valid JSON`);
      expect(lines[0]).not.toContain('canary');
    },
  );

  test.each([['[]'], ['5'], ['null'], ['{"authorization": 5}']])(
    'a seed file that is JSON of another kind (%s)',
    async (text) => {
      const { code, lines } = await run(['--seed', seed(text), '--integration.authorization.v1.type=never']);
      expect(code).toBe(64);
      expect(lines[0]).toMatch(/: (configuration|authorization): expected an object/);
    },
  );
});

describe('the command line', () => {
  test('as a process: prints errors to stderr and results to stdout, and reads variables', async () => {
    const wrong = new Command(['mock', '--port=99999']);
    const { code, lines } = await wrong.ended();
    expect([code, lines, wrong.out]).toEqual([64, ['arango-services: --port: expected a port from 0 to 65535'], '']);
    const right = new Command(['mock', '--print-config'], { INTEGRATION_AUTHORIZATION_V1_TYPE: 'never' });
    expect(await right.ended()).toEqual({ code: 0, lines: [''] });
    expect(JSON.parse(right.out)).toMatchObject({ authorization: { type: 'never' } });
  });

  test('--help prints text and exits with 0, with or without the command', async () => {
    for (const args of [['--help'], ['mock', '-h']]) {
      const { code, out } = await command(args);
      expect([code, out]).toEqual([0, expect.stringContaining('Usage: arango-services mock')]);
    }
  });

  test.each([[[]], [['mokc']]])('a missing or unknown command (%j) exits with 2', async (args) => {
    const { code, lines } = await command(args);
    expect(code).toBe(64);
    expect(lines[0]).toContain('expected the command "mock"');
  });

  test('a port in use exits with 1 and one clear line', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { code, lines } = await new Command(['mock', `--port=${port}`]).ended();
    expect([code, lines]).toEqual([1, [`arango-services: port ${port} of 127.0.0.1: is already in use`]]);
    const grpc = await run(['--port=0', `--grpc-port=${port}`]);
    expect([grpc.code, grpc.lines]).toEqual([1, [`arango-services: port ${port} of 127.0.0.1: is already in use`]]);
    server.close();
  });

  test('an address of another machine exits with 1 and one clear line', async () => {
    const { code, lines } = await run(['--port=0', '--host=192.0.2.1']);
    expect([code, lines]).toEqual([1, ['arango-services: 192.0.2.1: is not an address of this machine']]);
  });
});
