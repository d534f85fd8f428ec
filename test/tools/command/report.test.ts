import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf, openDeployment } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const file = `policies:
  reader: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["order:*"] }] }
  all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }, { effect: Deny, actions: ["*"], resources: ["secret"] }] }
roles:
  viewer: { policies: [reader] }
  admin: { policies: [all] }
scopes:
  eu: { statements: [{ effect: Allow, actions: ["*"], resources: ["order:eu:*"] }] }
  all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
bindings:
  - { user: bob, role: viewer, scope: eu }
  - { user: alice, role: viewer, scope: all }
  - { user: alice, role: admin, scope: { database: shop } }
groupBindings:
  - { group: dev, role: viewer, scope: all }
`;
const line = (user: string, resource: string, time: string, effect = 'Allow') =>
  JSON.stringify({
    ...{ v: 1, kind: 'decision', time, subject: { user, groups: [] } },
    ...{ action: 'orders:read', resource, effect, enforced: true },
  });

/** Runs the report in a folder of files. */
async function reportOf(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = folderOf({ 'permissions.yaml': file, ...files });
  const place = (arg: string) => (/\.(?:yaml|json|jsonl)$/.test(arg) ? join(folder, arg) : arg);
  const flags = ['--file', 'permissions.yaml', ...args].map(place);
  const { code, out, err } = await permissions(['report', ...flags]);
  return { code, err, folder, out: out.replaceAll(`${folder}/`, '') };
}

describe('permissions report', () => {
  test('lists users and groups with roles, scopes in words, access and places', async () => {
    const { code, out, err } = await reportOf({});
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(['user "alice"', '  role "admin" in database shop (permissions.yaml:13)', ...[]].join('\n'));
    expect(out).toContain('  role "viewer" in everything (permissions.yaml:12)\n    orders:read on order:*\n');
    expect(out).toContain(
      'user "bob"\n  role "viewer" in * on order:eu:* (permissions.yaml:11)\n    orders:read on order:eu:*\n',
    );
    expect(out).toContain('group "dev"\n  role "viewer" in everything (permissions.yaml:15)');
    expect(out).toContain('the files alone');
  });

  test('says when a log last used a binding, and when none did', async () => {
    const log = [
      line('alice', 'order:1', '2026-11-01T10:00:00Z'),
      line('alice', 'order:2', '2026-11-03T10:00:00Z'),
      line('bob', 'order:us:1', '2026-11-04T10:00:00Z', 'Deny'),
    ].join('\n');
    const { out } = await reportOf({ 'log.jsonl': log }, '--log', 'log.jsonl');
    expect(out).toMatch(/role "viewer" in everything .*\n.*\n {4}last used: 2026-11-03T10:00:00Z/);
    expect(out).toMatch(/user "bob"\n.*\n.*\n {4}last used: not in the log/);
    expect(out).toContain('The log has 2 users on 3 days');
  });

  test('lists what changed since an earlier report, with exit code 2; nothing else does', async () => {
    const first = await reportOf({}, '--json');
    const files = {
      'before.json': first.out,
      'permissions.yaml': file
        .replace('bob, role: viewer, scope: eu', 'bob, role: viewer, scope: all')
        .replace('  - { user: alice, role: viewer, scope: all }\n', '  - { user: carol, role: viewer, scope: eu }\n'),
    };
    const { code, out } = await reportOf(files, '--since', 'before.json');
    expect(code).toBe(2);
    expect(out).toContain('  + user "carol", role "viewer" in * on order:eu:*: orders:read on order:eu:*');
    expect(out).toContain('  - user "alice", role "viewer" in everything: orders:read on order:*');
    expect(out).toContain('  ~ user "bob", role "viewer"\n      before: * on order:eu:*: orders:read on order:eu:*');
    // The lines of the file moved.
    const same = await reportOf(
      { 'before.json': first.out, 'permissions.yaml': `# reviewed\n${file}` },
      '--since',
      'before.json',
    );
    expect([same.code, same.out.includes('  nothing\n')]).toEqual([0, true]);
  });

  test('--since takes only a report', async () => {
    const report = { format: 'arango-services report 1', madeAt: '2026-08-28T09:00:00.000Z', rows: [] };
    for (const text of [
      '[]',
      '{"rows":[]}',
      JSON.stringify({ ...report, rows: [{ user: 'a' }] }),
      JSON.stringify({ ...report, madeAt: undefined }),
      JSON.stringify({ ...report, madeAt: '\x1b[2J' }),
    ]) {
      const { code, err } = await reportOf({ 'before.json': text }, '--since', 'before.json');
      expect([code, err]).toEqual([64, expect.stringContaining('--since: expected a report')]);
    }
    const { code, err } = await reportOf({}, '--csv', '--json');
    expect([code, err]).toEqual([64, expect.stringContaining('--csv: cannot be combined with --json')]);
  });

  test('the CSV has a row for each binding, which no spreadsheet runs', async () => {
    const first = await reportOf({}, '--json');
    const odd = `${file}  - { group: "=cmd|x", role: viewer, scope: all }\n  - { group: "＝cmd|x", role: viewer, scope: all }\n  - { group: 'a"b,c', role: viewer, scope: all }\n`;
    const { code, out } = await reportOf(
      { 'permissions.yaml': odd, 'before.json': first.out },
      '--csv',
      '--since',
      'before.json',
    );
    const rows = out.trim().split('\n');
    expect(code).toBe(2);
    expect(rows[0]).toBe('owner,name,role,scope,access,file,line,last used,change');
    expect(rows).toHaveLength(8);
    expect(rows).toContain("group,'=cmd|x,viewer,everything,orders:read on order:*,permissions.yaml,16,,added");
    expect(out).toContain("group,'＝cmd|x,");
    expect(out).toContain('group,"a""b,c",viewer,everything');
    expect(out).toContain('user,bob,viewer,* on order:eu:*');
  });

  test('of a deployment, places are those of the file beside it', async () => {
    const everything = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
    const { url, folder } = await openDeployment(
      {
        platform: 'next',
        policies: { reader: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
        roles: { viewer: { policies: ['reader'] } },
        bindings: [
          { user: 'alice', role: 'viewer', scope: everything },
          { user: 'mallory', role: 'viewer', scope: everything },
        ],
      },
      { 'permissions.yaml': file },
    );
    const { out, code } = await permissions([
      ...['report', '--url', url, '--token-file', join(folder, 'token')],
      ...['--file', join(folder, 'permissions.yaml'), '--users', 'mallory', '--json'],
    ]);
    const { rows } = JSON.parse(out);
    expect(code).toBe(0);
    expect(rows).toEqual([
      expect.objectContaining({ user: 'alice', access: ['orders:read on *'], line: 12 }),
      expect.not.objectContaining({ line: expect.anything() }),
    ]);
    expect(rows[1]).toMatchObject({ user: 'mallory', role: 'viewer', scope: 'everything' });
  });
});

test('grants of a user without bindings prints that no role is bound, with exit code 2', async () => {
  const folder = folderOf({ 'permissions.yaml': file });
  const grantsOf = (user: string) => permissions(['grants', user, '--file', join(folder, 'permissions.yaml')]);
  expect(await grantsOf('bob')).toMatchObject({ code: 0, err: '' });
  expect(await grantsOf('bbo')).toMatchObject({ code: 2, err: 'arango-services: no role is bound to user "bbo"\n' });
});
