import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { folderOf, openDeployment, shopFile } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const lineOf = (fields: object) =>
  `${JSON.stringify({
    v: 1,
    kind: 'decision',
    time: '2026-11-23T12:00:00Z',
    subject: { user: 'alice' },
    action: 'orders:read',
    resource: 'orders:7',
    effect: 'Allow',
    enforced: false,
    ...fields,
  })}\n`;
const log = [
  lineOf({}),
  lineOf({ time: '2026-11-24T12:00:00Z', resource: 'orders:8' }),
  lineOf({ subject: { user: 'eve\n\u001b[31m' }, resource: 'orders:8' }),
  'a line of another program\n',
].join('');
const files = { 'permissions.yaml': shopFile(['alice', 'bob']), 'a.log': log, 'good.log': lineOf({}), 'empty.log': '' };

/** Runs a subcommand over the files of a folder. */
async function over(args: readonly string[], content: Readonly<Record<string, string>> = files) {
  const folder = folderOf(content);
  const [name = '', ...rest] = args;
  const file = ['--file', join(folder, 'permissions.yaml')];
  const result = await permissions([
    name,
    ...file,
    ...rest.map((arg) => (/\.\w+$/.test(arg) ? join(folder, arg) : arg)),
  ]);
  return { ...result, folder };
}

test('replay lists the decisions that flip, exit 2, and counts the lines that it skipped', async () => {
  const { code, out, err } = await over(['replay', '--log', 'a.log']);
  expect(code).toBe(2);
  expect(out).toContain('Of 3 logged decisions 1 flip: 1 would be denied, 0 allowed.');
  expect(out).toContain('The log has 2 users on 2 days, from 2026-11-23T12:00:00Z to 2026-11-24T12:00:00Z.');
  expect(out).toContain(
    '- user "eve\\n\\u001b[31m": "orders:read" on "orders:8", 1 time, last 2026-11-23T12:00:00Z – no-binding',
  );
  expect(out).not.toContain('\u001b');
  expect(err).toContain('1 line of the log skipped (foreign), the first is line 4');
});

test('replay exits with 0 if nothing flips, and prints JSON', async () => {
  const { code, out } = await over(['replay', '--json', '--log', 'good.log']);
  expect([code, JSON.parse(out)]).toMatchObject([0, { unchanged: { count: 1 }, log: { users: 1 } }]);
});

test('a log from stdin may be compressed', async () => {
  const file = join(folderOf(files), 'permissions.yaml');
  const stdin = Readable.from([gzipSync(log)]);
  const { code, out } = await permissions(['replay', '--file', file, '--log', '-'], { stdin });
  expect([code, out]).toEqual([2, expect.stringContaining('Of 3 logged decisions')]);
  const twice = await permissions(['replay', '--file', '-', '--log', '-'], { stdin: Readable.from([shopFile()]) });
  expect([twice.code, twice.err]).toEqual([64, expect.stringContaining('stdin is read already')]);
});

test('usage lists what decided nothing, since the first day of the log', async () => {
  const { code, out } = await over(['usage', '--log', 'a.log']);
  expect(code).toBe(2);
  expect(out).toContain('Decided nothing since 2026-11-23T12:00:00Z:\nbinding of user "bob" to role "viewer"');
  const all = await over(['usage', '--log', 'good.log'], { ...files, 'permissions.yaml': shopFile() });
  expect([all.code, all.out]).toEqual([0, expect.stringContaining('Every part decided something.')]);
});

test('tighten writes a file that diff and plan compare', async () => {
  const { code, out, err, folder } = await over(['tighten', '--log', 'a.log', '--out', 'new.yaml']);
  expect([code, out]).toEqual([0, expect.stringContaining('2 users on 2 days')]);
  expect(err).toContain('1 question allowed in the log and not granted');
  const [before, after] = [join(folder, 'permissions.yaml'), join(folder, 'new.yaml')];
  expect(readFileSync(after, 'utf8')).toContain('orders:8');
  // The users of a file are all that it has; those of a deployment are the named ones.
  expect(readFileSync(after, 'utf8')).not.toContain('others are not known');
  const compared = await permissions(['diff', before, after]);
  expect(compared.code).toBe(2);
  expect(compared.out).toContain('- binding of user "bob" to role "viewer"');
  expect(compared.out).not.toContain(' gain');
});

test('a line that cannot be read may have needed every part, and is named', async () => {
  const cut = { ...files, 'a.log': `${log}${lineOf({ subject: { user: 'bob' } }).slice(0, 90)}` };
  const { code, out } = await over(['usage', '--log', 'a.log'], cut);
  expect([code, out]).toEqual([0, expect.stringContaining('\nEvery part decided something, or may have.\n')]);
  expect(out).toContain(
    '\n1 line does not tell what was decided (incomplete), so nothing is listed that may have decided: line 5\n',
  );
  const { err, folder } = await over(['tighten', '--log', 'a.log', '--out', 'new.yaml'], cut);
  expect(err).toContain('(incomplete), so all is kept that may have allowed it: line 5\n');
  const [before, after] = [join(folder, 'permissions.yaml'), join(folder, 'new.yaml')];
  expect((await permissions(['diff', before, after])).out).not.toContain('lose');
  expect(readFileSync(after, 'utf8')).toMatch(/user: bob/);
  for (const name of ['replay', 'rehearse']) {
    const good = { ...files, 'good.log': `${lineOf({})}${lineOf({}).slice(0, 90)}` };
    expect((await over([name, '--fidelity', 'documented', '--log', 'good.log'], good)).code).toBe(2);
  }
});

test('plan --log counts the decisions that flip, by what the deployment decides', async () => {
  const everywhere = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
  const opened = await openDeployment(
    {
      policies: { reader: { statements: [{ effect: 'Allow', actions: ['orders:list'], resources: ['*'] }] } },
      roles: { viewer: { policies: ['reader'] } },
      bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
    },
    { 'permissions.yaml': shopFile(), 'a.log': log },
  );
  const path = (name: string) => join(opened.folder, name);
  const token = ['--url', opened.url, '--token-file', path('token'), '--file', path('permissions.yaml')];
  const tightened = await permissions(['tighten', ...token.slice(0, 4), '--log', path('a.log')]);
  expect(tightened.out).toContain('# The bindings of 2 named users only; others are not known: "alice"');
  const { code, out, err } = await permissions(['plan', ...token, '--log', path('a.log')]);
  expect(err).toContain('line 4');
  expect(code).toBe(2);
  // Denied by the deployment, whatever the log says.
  expect(out).toContain('Of 3 logged decisions 2 flip: 0 would be denied, 2 allowed.');
  const json = await permissions(['plan', ...token, '--json', '--log', path('a.log')]);
  expect([json.code, json.err]).toEqual([64, expect.stringContaining('cannot be combined with --json')]);
});

describe('a log without decisions', () => {
  test.each([
    [['replay', '--log', 'empty.log'], 'the log is empty'],
    [['usage', '--log', 'permissions.yaml'], 'the log holds no decisions'],
    [['tighten', '--log', 'missing.log'], 'no such file'],
    [['replay'], '--log: is missing'],
  ])('%j exits with 64: %s', async (args, message) => {
    const { code, out, err } = await over(args);
    expect([code, out]).toEqual([64, '']);
    expect(err).toContain(message);
  });
});

test('a signal stops the reading of a log', async () => {
  const stop = new AbortController();
  const stdin = new Readable({ read() {} });
  stdin.push(log);
  const file = join(folderOf(files), 'permissions.yaml');
  const running = permissions(['replay', '--file', file, '--log', '-'], { stdin, signal: stop.signal });
  stop.abort(new Error('SIGINT'));
  const { code, out } = await running;
  expect([code, out]).toEqual([1, '']);
});
