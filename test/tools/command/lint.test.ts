import { describe, expect, test } from 'vitest';
import { folderOf, openDeployment, shopFile } from './support/deployment.ts';
import { command } from './support/process.ts';

const everywhere = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };

describe('lint', () => {
  test('prints file, line and column, exit 2', async () => {
    const folder = folderOf({
      'permissions.yaml': 'include: [sub.yaml]\nroles:\n  viewer: { policies: [] }\n',
      'sub.yaml': 'policies:\n  reader: { statements: [{ effect: Allow, actions: ["a:b"], resources: ["a*b"] }] }\n',
    });
    expect(await command(['lint'], folder)).toEqual({
      code: 2,
      out: `permissions.yaml:3:3: no binding uses this role (unused-role)
sub.yaml:2:3: no role uses this policy (unused-policy)
sub.yaml:2:73: in "a*b" the "*" inside "a*b" is literal: it matches only a "*" (literal-star)
`,
      err: '',
    });
    const { code, out } = await command(['lint', '--json', '--off', 'unused-role,unused-policy'], folder);
    expect([code, JSON.parse(out).findings]).toEqual([
      2,
      [expect.objectContaining({ file: 'sub.yaml', line: 2, column: 73, rule: 'literal-star' })],
    ]);
    const off = ['lint', '--off', 'unused-role', '--off', 'unused-policy', '--off', 'literal-star'];
    expect(await command(off, folder)).toEqual({ code: 0, out: 'No findings.\n', err: '' });
  });

  test('finds what makes the file invalid, exit 2', async () => {
    const folder = folderOf({ 'permissions.yaml': 'roles:\n  viewer: { polices: [] }\n  viewer: 1\n' });
    const { code, out } = await command(['lint'], folder);
    expect(code).toBe(2);
    expect(out).toContain('permissions.yaml:3:3: the key "viewer" is there twice (invalid)\n');
  });

  test('exits with 64 for wrong flags and for a file that cannot be read', async () => {
    const folder = folderOf({ 'permissions.yaml': '' });
    const cases: readonly [string[], string][] = [
      [['--file', 'none.yaml'], 'none.yaml: there is no such file'],
      [['--file', '.'], '.: is a directory'],
      [['--off', 'unused-rol'], 'unknown (did you mean "unused-role"?)'],
      [['--of', 'x'], '--of: unknown flag (did you mean "--off"?)'],
      [['--url', 'http://localhost'], 'unknown flag of "lint"'],
      [['extra'], 'expected no arguments, got 1'],
    ];
    for (const [args, message] of cases) {
      expect(await command(['lint', ...args], folder)).toMatchObject({
        code: 64,
        out: '',
        err: expect.stringContaining(message),
      });
    }
  });
});

describe('explain and who', () => {
  test('answer by the file', async () => {
    const folder = folderOf({ 'permissions.yaml': shopFile(['alice', 'bob']) });
    const explained = await command(['explain', 'alice', 'orders:read', 'orders:7'], folder);
    expect(explained).toMatchObject({ code: 0, err: '' });
    expect(explained.out).toMatch(
      /^Allow: user "alice", "orders:read" on "orders:7": granted\n- bound to role "viewer"/,
    );
    expect(explained.out).toContain('By the documented rules and the files alone');
    const who = await command(['who', 'orders:read', 'orders:*'], folder);
    expect(who.out).toMatch(
      /^2 users: "alice", "bob"\n {4}by role "viewer", policy "reader" statement 1\nrequests that name/,
    );
    expect((await command(['who', 'orders:*', 'orders:7'], folder)).out).toMatch(/^No user has it\./);
    const any = await command(['who', 'orders:*', 'orders:7', '--match', 'any', '--json'], folder);
    expect(JSON.parse(any.out)).toMatchObject({
      holders: [{ user: 'alice' }, { user: 'bob' }, { role: 'viewer' }],
      known: 'files',
    });
  });

  test('answer by a deployment, and say of which users', async () => {
    const { folder, flags } = await openDeployment(
      {
        policies: { all: everywhere },
        roles: { admins: { policies: ['all'] } },
        bindings: ['alice', 'bob'].map((user) => ({ user, role: 'admins', scope: everywhere })),
      },
      { 'p.yaml': shopFile(['bob']) },
    );
    const { code, out, err } = await command(['explain', 'alice', 'a:b', '', '--json', ...flags], folder);
    expect(err).toBe('');
    expect([code, JSON.parse(out)]).toMatchObject([0, { explanation: { reason: 'allowed' }, known: ['alice'] }]);
    expect((await command(['explain', 'eve', 'a:b', 'c', ...flags], folder)).out).toBe(
      'Deny: user "eve", "a:b" on "c": the user has no binding\n\nBy the documented rules.\n',
    );
    const who = await command(['who', 'a:b', 'c', '--users', 'alice', '--file', 'p.yaml', ...flags], folder);
    expect(who.out).toMatch(/^2 users: "alice", "bob"\n[\s\S]*role "admins"\n/);
    expect(who.out).toContain(
      '\nBy the documented rules and the bindings of 2 named users; those of others are not known.\n',
    );
    expect(who.err).toBe('');
    const none = await command(['who', 'a:b', 'c', ...flags], folder);
    expect(none.err).toBe(
      'arango-services: no bindings of users were read; the services cannot list users, see --users and --grpc\n',
    );
  });

  test('grants lists what a user may do, explain --exit-code tells Deny, and excess what no list allows', async () => {
    const allow = '- { action: "orders:read", resource: "orders:*", users: [alice] }\n';
    const folder = folderOf({
      'permissions.yaml': shopFile(['alice', 'bob']),
      'allow.yaml': allow,
      'wrong.yaml': 'a: 1',
    });
    expect(await command(['grants', 'alice'], folder)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^orders:read on orders:\*\n {4}by role "viewer", policy "reader" statement 1\n/),
    });
    expect((await command(['grants', 'eve'], folder)).out).toMatch(/^Nothing\.\n/);
    expect((await command(['explain', 'alice', 'orders:read', 'orders:7', '--exit-code'], folder)).code).toBe(0);
    expect((await command(['explain', 'alice', 'orders:write', 'orders:7', '--exit-code'], folder)).code).toBe(2);
    const more = await command(['excess', '--allow', 'allow.yaml', '--fidelity', 'sidecar', '--json'], folder);
    expect([more.code, JSON.parse(more.out)]).toMatchObject([
      2,
      { excess: [{ users: ['bob'], action: 'orders:read' }] },
    ]);
    const none = await command(['excess', '--allow', '-'], folder, {}, '[{ "action": "*", "resource": "*" }]');
    expect(none).toMatchObject({ code: 0, out: expect.stringMatching(/^No user may do more than that\./) });
    expect(await command(['excess', '--allow', 'wrong.yaml'], folder)).toMatchObject({ code: 64 });
    expect(await command(['excess'], folder)).toMatchObject({ code: 64, err: expect.stringContaining('--allow') });
  });

  test('exit with 64 for wrong arguments', async () => {
    const folder = folderOf({ 'permissions.yaml': '' });
    const cases: readonly [string[], string][] = [
      [['explain', 'alice', 'a:b'], 'expected <user> <action> <resource>, got 2'],
      [['who', 'a:b', '*a*'], '<resource>: has the segment "*a*"'],
      [['who', 'a:b', 'c', '--match', 'some'], '--match: expected one of all, any'],
      [['who', 'a:b', 'c', '--token', 'secret'], 'secrets do not belong on a command line'],
    ];
    for (const [args, message] of cases) {
      expect(await command(args, folder)).toMatchObject({ code: 64, out: '', err: expect.stringContaining(message) });
    }
  });

  test('each subcommand has its help', async () => {
    const folder = folderOf();
    for (const name of ['export', 'adopt', 'lint', 'explain', 'who']) {
      const { code, out } = await command([name, '--help'], folder);
      expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^arango-services permissions ${name}: \\w`))]);
    }
  });
});
