import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { flagRows, variableOf } from '../../../../src/mock/config/mock-flags.js';
import { run as runCommand } from '../../../../src/tools/command/mock/start-mock.js';
import { raw } from '../../../mock/adapters/node/port-support.ts';

/** Runs the command in this process, and returns its output. */
async function run(args: readonly string[], env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(['mock', ...args], {
    env,
    print: (line) => out.push(line),
    warn: (line) => err.push(line),
    serving: (mock) => onTestFinished(() => mock[Symbol.asyncDispose]()),
  });
  const url = out.map((line) => /listening on (http:\S+)$/.exec(line)?.[1]).find(Boolean) ?? '';
  return { code, out, err, url };
}

/** Lists policies, which requires a management permission. */
async function manage(url: string, token: string): Promise<number> {
  const headers = { authorization: `bearer ${token}` };
  return (await fetch(`${url}/_management/permissions/policy`, { headers })).status;
}

describe('the table of flags', () => {
  test('matches --help: each flag with value and default', async () => {
    const { out } = await run(['--help']);
    const lines = out.join('\n').split('\n');
    for (const [name, { value, otherwise }] of flagRows) {
      const line = lines.find((one) =>
        new RegExp(`^  (?:-\\w, )?--${name.replaceAll('.', '\\.')}(?:[ [=]|$)`).test(one),
      );
      expect([name, line === undefined]).toEqual([name, false]);
      if (value !== undefined) expect(line).toContain(value);
      if (otherwise !== undefined) expect(line).toContain(`(default ${otherwise})`);
    }
  });

  test('matches the parser: every flag is known, and reports a missing value', async () => {
    for (const [name, { takes }] of flagRows.filter(([flag]) => flag !== 'help')) {
      const { code, err } = await run([`--${name}=`]);
      const message = takes === 'nothing' ? 'takes no value' : 'needs a value';
      expect([name, code, err]).toEqual([name, 64, [`arango-services: --${name}: ${message}`]]);
    }
  });

  test('matches the environment variables, for flags that have one', async () => {
    for (const [name, { variable, path }] of flagRows) {
      const { code, err } = await run(['--print-config'], { [variableOf(name)]: '\u0001' });
      const refused = variable === true && path !== 'authentication.token.user';
      expect([name, code]).toEqual([name, refused ? 64 : 0]);
      if (refused) expect(err[0]).toContain(`arango-services: ${variableOf(name)}: `);
    }
  });
});

test('a line at the start and in --help lists the database calls that the mock serves', async () => {
  const { err } = await run(['--port', '0']);
  const line = /of the database: logins at \/_open\/auth, .*; no documents, no AQL \(see mock\.route\)/;
  expect(err.filter((one) => line.test(one))).toHaveLength(1);
  expect((await run(['--help'])).out.join('\n')).toMatch(line);
});

test('--gateway serves the gateway without the integration services; without the flag both are served', async () => {
  const { url } = await run(['--port', '0', '--gateway']);
  const status = async (path: string) => (await fetch(url + path)).status;
  expect([await status('/_integration/authn/v1/identity'), await status('/_identity')]).toEqual([404, 401]);
  const { url: both } = await run(['--port', '0']);
  expect((await fetch(`${both}/_integration/authn/v1/identity`)).status).toBe(401);
});

describe('--console', () => {
  test('serves the console and prints its address, without a key that this machine does not need', async () => {
    const { out, url } = await run(['--port', '0', '--console']);
    expect(out).toContain(`arango-services mock: console at ${url}/_console/`);
    const answer = await fetch(`${url}/_console/`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test('prints the key in the fragment if other machines can reach the port', async () => {
    const { out } = await run(['--port', '0', '--host', '0.0.0.0', '--console']);
    expect(out).toContainEqual(
      expect.stringMatching(/console at http:\/\/127\.0\.0\.1:\d+\/_console\/#key=[\w-]{22}$/),
    );
  });

  test('is not served without the flag', async () => {
    const { out, url } = await run(['--port', '0']);
    expect(out.join()).not.toContain('console');
    expect((await fetch(`${url}/_console/`)).status).toBe(404);
  });
});

describe('the superuser token', () => {
  test('is printed only on request', async () => {
    const { out, url } = await run(['--port=0', '--print-superuser-token']);
    const token = /superuser token (\S+)$/m.exec(out.join('\n'))?.[1] ?? '';
    expect(await manage(url, token)).toBe(200);
    expect((await run(['--port=0'])).out.join('\n')).not.toContain('eyJ');
  });

  test('is written to a file readable by its owner only, before the port is announced', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'token');
    const { out, url } = await run(['--port=0', '--superuser-token-file', file]);
    expect(out).toEqual([expect.stringContaining('listening on')]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await manage(url, readFileSync(file, 'utf8'))).toBe(200);
  });

  test('exits with 1 and one line if the file cannot be written', async () => {
    const { code, err } = await run(['--port=0', '--superuser-token-file', '/nowhere/at/all/token']);
    expect([code, err.at(-1)]).toEqual([
      1,
      'arango-services: --superuser-token-file: /nowhere/at/all/token cannot be written (ENOENT)',
    ]);
  });
});

test('--allowed-host adds a name, and reports an invalid one', async () => {
  const { url } = await run(['--port=0', '--allowed-host', 'db.test']);
  const status = async (host: string) => (await raw(`${url}/_api/version`, { headers: { host } })).status;
  expect([await status('db.test'), await status('other.test')]).toEqual([401, 403]);
  const { code, err } = await run(['--allowed-host=db.test:80']);
  expect([code, err[0]]).toEqual([64, expect.stringMatching(/: --allowed-host\[0\]: expected the name/)]);
});

describe('terminal control characters are not printed', () => {
  const evil = '\u001b[2J\u202e\u009b31m\r\nfake: line';
  const found = /[\p{Cc}\p{Cf}]/u;

  test('from a seed file, a flag or a word of the command line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'seed.json');
    const statements = [{ effect: 'Allow', actions: [`a:*${evil}*`], resources: [] }];
    writeFileSync(file, JSON.stringify({ [evil]: 1, policies: { [evil]: { statements } }, roles: { [evil]: 5 } }));
    for (const args of [
      [`--seed=${file}`],
      [`--${evil}`],
      [evil],
      [`--seed=${evil}`],
      ['--port=0', `--host=${evil}`],
    ]) {
      const { code, err } = await run(args);
      expect([args, code === 0]).toEqual([args, false]);
      expect(err.length).toBeGreaterThan(0);
      for (const line of err) expect(line).not.toMatch(found);
    }
  });

  test('from the configuration, whose JSON keeps its meaning', async () => {
    const { out } = await run([`--integration.authentication.v1.token.user=${evil}`, '--print-config']);
    expect(out[0]?.replaceAll('\n', '')).not.toMatch(found);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ authentication: { token: { user: evil } } });
  });

  test('from a request', async () => {
    const { out, url } = await run(['--port=0', '--log']);
    const body = JSON.stringify({ user: 'alice', action: `a:${evil}`, resource: evil });
    await fetch(`${url}/_integration/authorization/v1/evaluate`, { method: 'POST', body });
    expect(out.at(-1)).toMatch(/200 Deny a:/);
    expect(out.at(-1)).not.toMatch(found);
  });
});

describe('--service', () => {
  const services = async (...args: string[]) => {
    const { code, out, err } = await run([...args, '--print-config']);
    return { code, err, services: code === 0 ? JSON.parse(out.join('\n')).services : undefined };
  };

  test('adds running services, also to those of the seed file, whose URL it replaces', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const seed = join(folder, 'seed.json');
    writeFileSync(
      seed,
      '{"services":{"a":{"url":"http://localhost:1"},"b":{"url":"http://localhost:2","global":true}}}',
    );
    const given = ['--service', 'b=http://127.0.0.1:3/,c.d=http://[::1]:4', '--service=e=http://localhost:5'];
    const shown = await services('--seed', seed, ...given);
    const rest = { global: false, authentication: 'required', passMode: 'override', allowRemote: false };
    expect(shown).toEqual({
      code: 0,
      err: [],
      services: {
        a: { url: 'http://localhost:1', ...rest },
        b: { url: 'http://127.0.0.1:3/', ...rest, global: true },
        'c.d': { url: 'http://[::1]:4', ...rest },
        e: { url: 'http://localhost:5', ...rest },
      },
    });
  });

  test.each([
    ['orders', /expected an origin/],
    ['orders=3000', /expected an origin/],
    ['orders=http://10.0.0.1', /allowRemote/],
    ['a/b=http://localhost:3000', /expected a name of letters/],
    ['=http://localhost:3000', /expected a name of letters/],
    ['__proto__=http://example.com', /allowRemote/],
  ])('refuses %s', async (text, message) => {
    const { code, err } = await services('--service', text);
    expect([code, err]).toEqual([64, [expect.stringMatching(message)]]);
    expect(err[0]).toMatch(/^arango-services: --service: /);
  });
});
