import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listenGrpc } from '../../../src/console/mock/node.ts';
import type { MockConfig } from '../../../src/mock/index.ts';
import { readPermissions } from '../../../src/permissions/index.ts';
import { isRelease } from '../../support/thorough.ts';
import { openDeployment } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';
import { command } from './support/process.ts';

const everywhere = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
const reader = { statements: [{ effect: 'Allow' as const, actions: ['orders:read'], resources: ['orders:*'] }] };
const names = ['yes', '#1', '- a', 'a: b', '*all', '&x', 'ünïcode', '"quoted"', 'a\nb'];

const shop: MockConfig = {
  policies: {
    reader,
    'managed:operator:orders': reader,
    ...Object.fromEntries(names.map((name) => [name, reader])),
  },
  roles: {
    viewer: { policies: ['reader', 'managed:operator:orders'] },
    hollow: { policies: ['gone'] },
    ...Object.fromEntries(names.map((name) => [name, { policies: [name] }])),
  },
  bindings: [
    ...['alice', 'bob', 'eve'].map((user) => ({ user, role: 'viewer', scope: everywhere })),
    { user: 'alice', role: 'hollow', scope: { statements: [] } },
    ...names.filter((name) => !name.includes(':')).map((user) => ({ user, role: '- a', scope: reader })),
  ],
};

/** Expects that no output holds the token. */
const expectNoSecret = (token: string, ...texts: readonly string[]) => {
  for (const text of texts) expect(text).not.toContain(token);
};

describe('export', () => {
  // Seconds of work: a release runs it.
  test.runIf(isRelease)('writes a policy of 5 000 statements, and the scopes of a user of 1.5 MB', async () => {
    const statements = Array.from({ length: 12_000 }, (_, i) => ({
      ...{ effect: 'Allow' as const, actions: ['orders:read'], resources: [`order:${i}:${'x'.repeat(64)}`] },
    }));
    const scope = { statements };
    expect(JSON.stringify(scope).length).toBeGreaterThan(1_500_000);
    const { url, folder } = await openDeployment({
      policies: { large: { statements: statements.slice(0, 5_000) } },
      roles: { viewer: { policies: ['large'] } },
      bindings: [{ user: 'alice', role: 'viewer', scope }],
    });
    const { code, out } = await permissions([
      'export',
      '--url',
      url,
      '--token-file',
      join(folder, 'token'),
      '--users',
      'alice',
    ]);
    const { policies, bindings } = await readPermissions('permissions.yaml', { read: () => out });
    expect([code, policies.get('large')?.statements.length, bindings[0]?.scope?.statements.length]).toEqual([
      0, 5_000, 12_000,
    ]);
  });

  test('writes a file that plans empty, of all users by a replica', async () => {
    const { mock, folder, flags, token } = await openDeployment(shop);
    const { address } = await listenGrpc(mock);
    const all = [...flags, '--grpc', address];
    const written = await command(['export', 'permissions.yaml', ...all], folder);
    expect(written).toMatchObject({ code: 0, out: '' });
    expect(written.err).toBe(`arango-services: Left out: 1 item of the platform and its operator.
arango-services: Left out, because a file cannot hold them:
arango-services:   role "hollow": names the policy "gone", which is missing
`);
    const text = readFileSync(join(folder, 'permissions.yaml'), 'utf8');
    expect(text).toContain('# The bindings of all users.\n');
    expectNoSecret(token, text, written.err);
    expect(await command(['plan', ...all], folder)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^No changes/),
    });
    writeFileSync(
      join(folder, 'permissions.yaml'),
      `${text}manage: { policies: ["*"], roles: ["viewer"], users: ["*"] }\n`,
    );
    expect(await command(['plan', '--prune', ...all], folder)).toMatchObject({ code: 0 });
    // The same once more, as it is sorted.
    expect((await command(['export', ...all], folder)).out).toBe(text);
  });

  test('writes JSON, and says so if it has only the named users', async () => {
    const { folder, flags } = await openDeployment(shop);
    const users = ['--users', 'alice,bob'];
    const { code, out, err } = await command(['export', '--json', ...flags, ...users], folder);
    expect(code).toBe(0);
    expect(JSON.parse(out).bindings.map(({ user }: { user: string }) => user)).toEqual(['alice', 'alice', 'bob']);
    expect(err).toContain('the bindings of 2 named users were read; the services cannot list users');
    expect((await command(['export', 'p.json', ...flags, ...users], folder)).code).toBe(0);
    expect(readFileSync(join(folder, 'p.json'), 'utf8')).toBe(out);
    expect((await command(['plan', '--file', 'p.json', ...flags], folder)).code).toBe(0);
    const one = await command(['export', '--users=alice', ...flags], folder);
    expect(one.err).toContain('the bindings of 1 named user were read');
    const none = await command(['export', ...flags], folder);
    expect(none).toMatchObject({ code: 0, err: expect.stringContaining('no bindings of users were read') });
  });

  test('never overwrites a file, and names what it cannot write', async () => {
    const { folder, flags } = await openDeployment(shop, { 'mine.yaml': '# mine\n' });
    expect(await command(['export', 'mine.yaml', ...flags], folder)).toMatchObject({
      code: 1,
      err: 'arango-services: mine.yaml exists already and is not overwritten: name a new file, or remove it\n',
    });
    expect(readFileSync(join(folder, 'mine.yaml'), 'utf8')).toBe('# mine\n');
    expect(await command(['export', 'none/p.yaml', ...flags], folder)).toMatchObject({
      code: 64,
      err: expect.stringContaining('none/p.yaml: cannot be written (ENOENT)'),
    });
  });

  test('a missing permission is named, and the token is not', async () => {
    const { mock, folder, url, token } = await openDeployment(shop);
    const poor = await mock.tokens.issue({ user: 'eve' });
    writeFileSync(join(folder, 'poor'), poor);
    const ended = await command(['export', '--url', url, '--token-file', 'poor'], folder);
    expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining('403') });
    expectNoSecret(poor, ended.err);
    expectNoSecret(token, ended.err);
  });
});

describe('adopt', () => {
  const mine = `# The shop's permissions
policies:
  reader: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["orders:*"] }] }  # read only

bindings:
- { user: alice, role: viewer, scope: &all { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }
- { user: dave, role: viewer, scope: *all }
manage: { users: [eve] }
`;

  test('adds to the file, which keeps its comments, mode and link; a second time it adds nothing', async () => {
    const { folder, flags } = await openDeployment(shop, { 'mine.yaml': mine });
    symlinkSync('mine.yaml', join(folder, 'permissions.yaml'));
    chmodSync(join(folder, 'mine.yaml'), 0o640);
    const users = ['--users', 'bob,eve'];
    const { code, out } = await command(['adopt', ...flags, ...users], folder);
    expect(code).toBe(0);
    expect(out).toContain(
      '+ role "viewer"\n+ role "yes"\n+ role "ünïcode"\n+ binding of user "alice" to role "hollow"\n',
    );
    expect(out).not.toMatch(/policy "reader"|user "eve"|^\+ role "hollow"|operator/m);
    const text = readFileSync(join(folder, 'mine.yaml'), 'utf8');
    const [head = '', tail = ''] = mine.split('manage:');
    const [policies = '', bindings = ''] = head.split('\n\n');
    expect(text.startsWith(`${policies}\n  "\\"quoted\\"":`)).toBe(true);
    expect(text).toContain(
      `\n\n${bindings}- { user: alice, role: hollow, scope: { statements: [] } }\n- { user: bob, role: viewer, scope: `,
    );
    expect(text).toContain(`manage:${tail}`);
    expect(statSync(join(folder, 'mine.yaml')).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(folder, 'permissions.yaml'), 'utf8')).toBe(text);
    expect(await command(['adopt', ...flags, ...users], folder)).toMatchObject({ code: 0, out: 'Nothing to adopt.\n' });
    expect(readFileSync(join(folder, 'mine.yaml'), 'utf8')).toBe(text);
    const json = await command(['adopt', '--json', ...flags, '--users', 'bob,eve,yes'], folder);
    expect(JSON.parse(json.out).added).toEqual([{ kind: 'binding', user: 'yes', role: '- a' }]);
    // What is left is what the file had of its own.
    const plan = JSON.parse((await command(['plan', '--json', ...flags, ...users], folder)).out);
    expect(plan.changes.map(({ user }: { user: string }) => user)).toEqual(['dave']);
  });

  test('does not change a file that it cannot add to', async () => {
    const text = 'scopes: &s {}\npolicies: *s\n';
    const { folder, flags } = await openDeployment(shop, { 'permissions.yaml': text });
    expect(await command(['adopt', ...flags], folder)).toMatchObject({
      code: 64,
      err: expect.stringContaining('permissions.yaml:2:1: cannot be added to'),
    });
    expect(readFileSync(join(folder, 'permissions.yaml'), 'utf8')).toBe(text);
    expect(await command(['adopt', '--file', 'none.yaml', ...flags], folder)).toMatchObject({
      code: 64,
      err: 'arango-services: none.yaml: there is no such file\n',
    });
  });
});
