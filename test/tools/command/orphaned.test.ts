import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { everything } from '../../support/calls.ts';
import { openDeployment } from './support/deployment.ts';
import { inFolder, permissions } from './support/in-process.ts';

/** A team's file that names its users in `manage`, as the teams of one repository do. */
const team = (...users: string[]): string => `
policies:
  reader: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["orders:*"] }] }
roles:
  viewer: { policies: [reader] }
scopes:
  all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
bindings: [${users.map((user) => `{ user: ${user}, role: viewer, scope: all }`).join(', ')}]
manage: { policies: [reader], roles: [viewer], users: [${users.join(', ')}] }
`;

async function open(...users: string[]) {
  const opened = await openDeployment({ fidelity: 'sidecar' }, { 'permissions.yaml': team(...users) });
  const run = (name: string, ...words: string[]) => inFolder([name, ...opened.flags, ...words], opened.folder);
  const path = (name: string) => join(opened.folder, name);
  const quick = ['--yes', '--settle-ms', '0'];
  expect((await run('apply', '--users-file', path('users.json'), '--first-run', ...quick)).code).toBe(0);
  const leave = (...left: string[]) => writeFileSync(path('permissions.yaml'), team(...left));
  return { ...opened, run, path, quick, leave };
}

const named = 'Orphaned: bindings that no file defines or owns, of users and groups that are known; they stay:';

describe('a user who is removed from the file and from its list manage', () => {
  test('is named by plan with the users of the last apply, until the binding is gone', async () => {
    const { run, path, leave, quick, client } = await open('alice', 'user012');
    leave('alice');
    const keep = ['--users-file', path('users.json'), '--prune'];
    const planned = await run('plan', ...keep);
    expect(planned.code).toBe(2);
    expect(planned.out).toMatch(/^1 orphaned user; nothing to change\.\n/);
    expect(planned.out).toContain(`\n${named}\n  user "user012": role "viewer"\n`);
    expect((await run('plan', ...keep, '--markdown')).out).toContain('user "user012": role "viewer"');
    expect(JSON.parse((await run('plan', ...keep, '--json')).out).orphaned).toEqual([
      { kind: 'binding', user: 'user012', role: 'viewer' },
    ]);
    const allowed = await run('plan', ...keep, '--allow-orphans');
    expect([allowed.code, allowed.out]).toEqual([0, planned.out]);
    // An apply keeps the name: the next drift finds it, too.
    const applied = await run('apply', ...keep, ...quick);
    expect([applied.code, applied.out]).toEqual([0, expect.stringContaining('user "user012": role "viewer"')]);
    expect((await run('plan', ...keep)).code).toBe(2);
    await client.authorization.bindings.remove({ user: 'user012', role: 'viewer' });
    expect((await run('plan', ...keep)).code).toBe(0);
  });

  test('is named by plan with the record of the last apply', async () => {
    const { run, path, leave, folder, flags } = await open('alice', 'user012');
    leave('alice', 'user012', 'bob');
    const planned = await run('plan', '--out', 'plan.json');
    expect(planned.code).toBe(2);
    const applied = await permissions([
      ...['apply', path('plan.json'), '--settle-ms', '0', ...flags.slice(0, 3), path('token')],
      ...['--record', join(folder, 'record')],
    ]);
    expect([applied.code, applied.err]).toEqual([0, expect.any(String)]);
    leave('alice', 'bob');
    expect((await run('plan', '--prune')).code).toBe(0);
    const found = await run('plan', '--prune', '--record', join(folder, 'record'));
    expect([found.code, found.out]).toEqual([2, expect.stringContaining('user "user012": role "viewer"')]);
    const missing = await run('plan', '--record', join(folder, 'evicted'));
    expect([missing.code, missing.err]).toEqual([64, expect.stringMatching(/evicted: is missing.*--first-run/)]);
  });

  test('is named by plan --before with the old version of the file, and by diff', async () => {
    const { run, path, leave } = await open('alice', 'user012');
    writeFileSync(path('old.yaml'), team('alice', 'user012'));
    leave('alice');
    const found = await run('plan', '--prune', '--before', path('old.yaml'));
    expect([found.code, found.out]).toEqual([2, expect.stringContaining('user "user012": role "viewer"')]);
    const differs = await permissions(['diff', path('old.yaml'), path('permissions.yaml')]);
    expect([differs.code, differs.out]).toEqual([2, expect.stringContaining('user "user012": role "viewer"')]);
    expect((await permissions(['diff', path('old.yaml'), path('permissions.yaml'), '--allow-orphans'])).code).toBe(0);
  });

  test('is named by plan --before with a git revision, in any folder; bad revisions are refused', async () => {
    const { run, path, leave, folder } = await open('alice', 'user012');
    const git = (...words: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      });
    git('init', '-q');
    git('add', 'permissions.yaml');
    git('commit', '-qm', 'first');
    leave('alice');
    const found = await run('plan', '--prune', '--before', 'HEAD');
    expect([found.code, found.out]).toEqual([2, expect.stringContaining('user "user012": role "viewer"')]);
    git('commit', '-qam', 'second');
    expect((await run('plan', '--prune', '--before', 'HEAD')).code).toBe(0);
    expect((await run('plan', '--prune', '--before', 'HEAD~1')).code).toBe(2);
    const refused = async (...words: string[]) => {
      const { code, err } = await run('plan', ...words);
      return [code, err];
    };
    for (const name of ['nowhere', '--before=--output=pwned', '--before=-p']) {
      const words = name.startsWith('-') ? [name] : ['--before', name];
      expect(await refused(...words)).toEqual([64, expect.stringMatching(/--before: .*file or a git revision/)]);
    }
    writeFileSync(path('new.yaml'), team('alice'));
    expect(await refused('--file', 'new.yaml', '--before', 'HEAD')).toEqual([
      64,
      expect.stringContaining('--before: the revision has no new.yaml; see --first-run'),
    ]);
    expect((await run('plan', '--file', 'new.yaml', '--before', 'HEAD', '--first-run')).code).toBe(0);
    // A file that the revision has, and that git cannot read, is not taken for one that it lacks.
    const id = git('rev-parse', 'HEAD:permissions.yaml').toString().trim();
    const object = path(join('.git', 'objects', id.slice(0, 2), id.slice(2)));
    renameSync(object, `${object}.lost`);
    expect((await refused('--before', 'HEAD', '--first-run'))[0]).toBe(1);
    renameSync(`${object}.lost`, object);
    // An old version that is not valid is named with its revision.
    writeFileSync(path('permissions.yaml'), 'role: {}');
    git('commit', '-qam', 'third');
    leave('alice');
    const [, err] = await refused('--before', 'HEAD');
    expect(err).toContain('HEAD:permissions.yaml:1:1: unknown field "role"');
  });
});

test('a user named literally in manage is known: a binding made by hand is found', async () => {
  const { run, path, client } = await open('alice');
  const file = team('alice').replace('users: [alice]', 'users: [alice, user012, "team-*"]');
  writeFileSync(path('permissions.yaml'), file);
  await client.authorization.bindings.upsert({ user: 'user012', role: 'viewer', scope: everything });
  const planned = await run('plan', '--prune');
  expect([planned.code, planned.out]).toEqual([2, expect.stringContaining('- binding of user "user012" to role')]);
  // Without prune it stays, and is listed.
  expect((await run('plan')).out).toContain('binding of user "user012" to role "viewer": prune is off');
});

test('a predefined role given by hand to a user of the file is orphaned, as no plan deletes it', async () => {
  const { run, client } = await open('alice');
  await client.authorization.bindings.upsert({
    user: 'alice',
    role: 'managed:predefined:super-admin',
    scope: everything,
  });
  const planned = await run('plan', '--prune');
  expect([planned.code, planned.out]).toEqual([
    2,
    expect.stringContaining('user "alice": role "managed:predefined:super-admin"'),
  ]);
});

test('a users file that is missing is an error, unless it is the first run', async () => {
  const { run, path, quick, flags } = await open('alice');
  const file = path('users.json');
  rmSync(file);
  const keep = ['--users-file', file];
  const connected = [...flags.slice(0, 3), path('token')];
  const refusals = [
    await run('plan', ...keep),
    await run('apply', ...keep, ...quick),
    await permissions(['export', ...keep, ...connected]),
    await permissions(['who', 'orders:read', 'orders:7', ...keep, ...connected]),
  ];
  for (const { code, out, err } of refusals) {
    expect([code, out, err]).toEqual([64, '', expect.stringMatching(/users\.json: is missing: .*--first-run/)]);
  }
  expect((await run('plan', ...keep, '--first-run')).code).toBe(0);
  expect((await run('apply', ...keep, '--first-run', ...quick)).code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(['alice']);
  // A flag that is left in a pipeline would hide the next loss of the file.
  const again = await run('plan', ...keep, '--first-run');
  expect([again.code, again.err]).toEqual([64, expect.stringContaining('--first-run: users.json is there')]);
});

test('the JSON Schema of the list accepts what is read', async () => {
  const schema = JSON.parse(readFileSync(`${root}dist/permissions-users.schema.json`, 'utf8'));
  const isValid = new Ajv({ strict: true }).compile(schema);
  const { run, path } = await open('alice');
  for (const [list, isFine] of [
    [[], true],
    [['alice', 'a b\\c'], true],
    [[''], false],
    [['a/b'], false],
    [['..'], false],
    [[7], false],
    [{ users: [] }, false],
  ] as const) {
    expect([list, isValid(list)]).toEqual([list, isFine]);
    writeFileSync(path('users.json'), JSON.stringify(list));
    const { code } = await run('plan', '--users-file', path('users.json'));
    expect([list, code]).toEqual([list, isFine ? 0 : 64]);
  }
});
