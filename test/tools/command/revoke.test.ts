import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plan, readHolds, readPermissions } from '../../../src/permissions/index.ts';
import { folderOf, openDeployment, shopFile } from './support/deployment.ts';
import { inFolder, permissions } from './support/in-process.ts';
import { command } from './support/process.ts';

const question = { user: 'alice', action: 'orders:read', resource: 'orders:7' };
const far = '2999-12-31T23:00:00Z';

async function open(users: readonly string[] = ['alice', 'bob'], admins = '') {
  const opened = await openDeployment({ fidelity: 'sidecar' }, { 'permissions.yaml': `${shopFile(users)}${admins}` });
  const { folder, flags, client } = opened;
  const path = (name: string) => join(folder, name);
  const connected = [...flags.slice(0, 3), path('token')];
  const run = (name: string, ...words: string[]) => inFolder([name, ...flags, ...words], folder);
  const quick = ['--yes', '--settle-ms', '0'];
  expect((await run('apply', ...quick)).code).toBe(0);
  const revoke = (user: string, ...words: string[]) =>
    permissions(['revoke', user, ...connected, '--file', path('permissions.yaml'), ...words]);
  const may = () => client.authorization.isAllowed(question);
  const edit = (text: string) => writeFileSync(path('permissions.yaml'), text);
  return { ...opened, run, quick, revoke, path, connected, may, edit, holds: path('permissions.holds.yaml') };
}

describe('a revocation at night', () => {
  test('removes the bindings, and no later merge gives them back until it ends', async () => {
    const { run, quick, revoke, may, edit, holds, path } = await open();
    expect(await may()).toBe(true);
    const revoked = await revoke('alice', '--until', far, '--reason', 'INC-7 laptop: "stolen"');
    expect([revoked.code, revoked.out]).toEqual([
      0,
      `Removed: 1 binding of user "alice". Held until ${far}: ${holds}\n`,
    ]);
    expect(await may()).toBe(false);
    expect(readFileSync(holds, 'utf8')).toBe(
      `holds:\n  - { user: "alice", until: "${far}", reason: "INC-7 laptop: \\"stolen\\"" }\n`,
    );
    edit(shopFile(['alice', 'bob', 'carol']));
    const planned = await run('plan', '--prune', '--out', path('plan.json'));
    expect(planned.err).toBe('');
    expect(planned.out).toMatch(/^1 hold; 1 to create; 1 user gains access\.\n/);
    expect(planned.out).toContain(`\n  user "alice": all roles, until ${far} – INC-7 laptop: "stolen"\n`);
    expect(planned.out).not.toContain('binding of user "alice"');
    expect((await run('apply', ...quick)).code).toBe(0);
    expect(await may()).toBe(false);
    // Given again by hand, it is drift that the plan removes, also without prune.
    const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
    const drifted = await open();
    await drifted.revoke('alice', '--until', far, '--reason', 'x');
    await drifted.client.authorization.bindings.upsert({ user: 'alice', role: 'viewer', scope });
    const drift = await drifted.run('plan');
    expect([drift.code, drift.out]).toEqual([
      2,
      expect.stringContaining(`- binding of user "alice" to role "viewer": is held until ${far}: x`),
    ]);
  });

  test('holds one role, is added once, and a saved plan from before it is refused', async () => {
    const { run, revoke, edit, holds, path, connected } = await open();
    edit(shopFile(['alice', 'bob', 'carol']));
    expect((await run('plan', '--out', path('plan.json'))).code).toBe(2);
    const words = ['--role', 'viewer', '--until', far, '--reason', 'contract ends'];
    writeFileSync(
      holds,
      '# Kept by hand.\nholds:\n  - { user: x, until: "2999-01-01T00:00+01:00", reason: y } # why\n',
    );
    expect((await revoke('carol', ...words)).code).toBe(0);
    const again = await revoke('carol', ...words);
    expect(again.out).toContain('Removed: 0 bindings');
    expect(again.err).toContain('nothing was bound: make sure that this user is meant');
    const text = readFileSync(holds, 'utf8');
    expect(text).toContain('# Kept by hand.\n');
    expect(text.match(/carol/g)).toHaveLength(1);
    const applied = await permissions(['apply', path('plan.json'), '--settle-ms', '0', ...connected]);
    expect([applied.code, applied.err]).toEqual([
      1,
      expect.stringContaining('the plan makes the binding of user "carol" to role "viewer", which is held'),
    ]);
    // A hold of another role leaves this one.
    writeFileSync(holds, text.replace('["viewer"]', '["other"]'));
    const planned = await run('plan', '--out', path('plan.json'));
    expect(planned.out).toContain('+ binding of user "carol" to role "viewer"');
    // The holds that a saved plan respects may not be lost before it is applied.
    rmSync(holds);
    const lost = await permissions(['apply', path('plan.json'), '--settle-ms', '0', ...connected]);
    expect([lost.code, lost.err]).toEqual([64, expect.stringContaining('permissions.holds.yaml: is missing')]);
  });

  test('is added to a file of JSON, whose other fields stay', async () => {
    const { revoke, path } = await open(['alice']);
    const kept = { user: 'x', roles: ['r'], until: far, reason: 'y' };
    writeFileSync(path('holds.json'), JSON.stringify({ $schema: 'permissions-holds.schema.json', holds: [kept] }));
    expect((await revoke('alice', '--until', far, '--reason', 'x', '--holds', path('holds.json'))).code).toBe(0);
    expect(JSON.parse(readFileSync(path('holds.json'), 'utf8'))).toEqual({
      $schema: 'permissions-holds.schema.json',
      holds: [kept, { user: 'alice', until: far, reason: 'x' }],
    });
  });

  test('that has ended is found by lint, and plans do not know it', async () => {
    const { run, holds, path } = await open();
    writeFileSync(holds, 'holds:\n  - { user: alice, until: "2001-01-01T00:00:00Z", reason: old }\n');
    expect((await run('plan')).out).toMatch(/^No changes\./);
    const linted = await permissions(['lint', '--file', path('permissions.yaml')]);
    expect([linted.code, linted.out]).toEqual([
      2,
      expect.stringMatching(/holds\.yaml:2:5: this hold has ended .*\(ended-hold\)\n$/),
    ]);
    const off = await permissions(['lint', '--file', path('permissions.yaml'), '--off', 'ended-hold']);
    expect([off.code, off.out]).toEqual([0, 'No findings.\n']);
  });

  test.each([
    ['holds: [{ user: a, until: "2026-02-30T00:00:00Z", reason: r }]', '1:25: expected a time with its zone'],
    ['holds: [{ user: a, until: 2026-12-01, reason: r }]', '1:27: expected a time with its zone'],
    ['holds: [{ user: a, until: "2026-12-01T00:00:00", reason: r }]', '1:27: expected a time with its zone'],
    ['holds: [{ user: a, until: "2999-12-01T00:00:00Z", reason: " " }]', 'must not be empty'],
    [
      'holds: [{ user: a, role: b, until: "2999-12-01T00:00:00Z", reason: r }]',
      'unknown field "role" (did you mean "roles"?)',
    ],
    ['holds: [{ user: a, roles: [], until: "2999-12-01T00:00:00Z", reason: r }]', '1:27: expected a role'],
    ['hold: []', 'unknown field "hold" (did you mean "holds"?)'],
  ])('a file of holds that is not valid stops the plan: %s', async (text, message) => {
    const { run, holds } = await open(['alice']);
    writeFileSync(holds, text);
    const { code, err } = await run('plan');
    expect([code, err]).toEqual([64, expect.stringContaining(message.replace('1:25', '1:27'))]);
  });

  test('wrong flags are refused before anything is sent', async () => {
    const { revoke, mock, holds, run } = await open(['alice']);
    const { length } = mock.requests;
    for (const [words, message] of [
      [['--reason', 'r'], '--until: is missing'],
      [['--until', 'tomorrow', '--reason', 'r'], '--until: expected a duration like "8h"'],
      [['--until', '99999999999999h', '--reason', 'r'], '--until: expected a duration'],
      [['--until', '99999999h', '--reason', 'r'], '--until: expected a duration'],
      [['--until', '2001-01-01T00:00:00Z', '--reason', 'r'], '--until: has passed'],
      [['--until', '8h'], '--reason: is missing'],
      [['--until', '8h', '--reason', 'r', '--role', 'a/b'], '--role: must not hold a "/"'],
    ] as const) {
      const { code, err } = await revoke('alice', ...words);
      expect([code, err]).toEqual([64, expect.stringContaining(message)]);
    }
    expect(mock.requests.length).toBe(length);
    const missing = await run('plan', '--holds', `${holds}.evicted`);
    expect([missing.code, missing.err]).toEqual([64, expect.stringContaining('is missing: restore it')]);
  });

  test('is one hold however often it is made, until the latest end', async () => {
    const { revoke, holds } = await open();
    const until = async (end: string, ...words: string[]) => {
      const { out } = await revoke('alice', '--until', end, '--reason', 'INC-8', ...words);
      return [out.match(/Held until (\S+):/)?.[1], readFileSync(holds, 'utf8').match(/until: "(.*?)"/g)];
    };
    expect(await until('2999-01-01T00:00:00Z')).toEqual(['2999-01-01T00:00:00Z', ['until: "2999-01-01T00:00:00Z"']]);
    writeFileSync(holds, readFileSync(holds, 'utf8').replace(/"(2999[^"]*)"(.*)/, "'$1'$2 # ticket 8"));
    const later = "until: '2999-02-01T00:00:00Z'";
    expect((await until('2999-02-01T00:00:00Z'))[0]).toBe('2999-02-01T00:00:00Z');
    expect((await until('8h'))[0]).toBe('2999-02-01T00:00:00Z');
    expect(readFileSync(holds, 'utf8')).toBe(`holds:\n  - { user: "alice", ${later}, reason: "INC-8" } # ticket 8\n`);
    // Other roles, or another reason, are another hold.
    await until('8h', '--role', 'viewer,editor');
    await until('9h', '--role', 'editor,viewer');
    await revoke('alice', '--until', '8h', '--reason', 'INC-9');
    expect(readFileSync(holds, 'utf8').match(/^ {2}- /gm)).toHaveLength(3);
    const json = `${holds}.json`;
    await until('2999-01-01T00:00:00Z', '--holds', json);
    await until('2999-02-01T00:00:00Z', '--holds', json);
    expect(JSON.parse(readFileSync(json, 'utf8')).holds).toMatchObject([{ until: '2999-02-01T00:00:00Z' }]);
  });

  test('keeps each hold of several that are made at the same time', async () => {
    const users = ['alice', 'bob', 'carol', 'dan'];
    const { revoke, holds } = await open(users);
    const revokeAll = (reason: string) =>
      Promise.all(users.map((user) => revoke(user, '--until', far, '--reason', reason)));
    expect((await revokeAll('new file')).map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect((await revokeAll('old file')).map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(readFileSync(holds, 'utf8').match(/^ {2}- /gm)).toHaveLength(8);
  });

  test('counts for plans with another file of holds, too, and for saved ones of them', async () => {
    const { run, revoke, holds, path, edit, connected } = await open(['alice', 'bob']);
    writeFileSync(path('other.yaml'), `holds: [{ user: bob, until: "${far}", reason: other }]`);
    edit(shopFile(['alice', 'bob', 'carol']));
    const words = ['--holds', path('other.yaml'), '--out', path('plan.json')];
    expect((await run('plan', ...words)).out).toContain('+ binding of user "carol" to role "viewer"');
    await revoke('carol', '--until', far, '--reason', 'INC-7');
    const saved = await permissions(['apply', path('plan.json'), '--settle-ms', '0', ...connected]);
    expect([saved.code, saved.err]).toEqual([1, expect.stringContaining('to role "viewer", which is held')]);
    const { out } = await run('plan', ...words);
    expect(out).toContain(
      `  user "bob": all roles, until ${far} – other\n  user "carol": all roles, until ${far} – INC-7\n`,
    );
    expect(out).not.toContain('+ binding');
    // Named by the flag, the file beside is read once.
    expect((await run('plan', '--holds', holds)).out.match(/user "carol": all roles/g)).toHaveLength(1);
    writeFileSync(holds, 'holds: [{ user: alice, until: "2001-01-01T00:00:00Z", reason: old }]');
    const linted = await permissions(['lint', '--file', path('permissions.yaml'), '--holds', path('other.yaml')]);
    expect(linted.out).toContain('permissions.holds.yaml:1:9: this hold has ended');
  });

  test('removes what it can, and says who else gives the user access', async () => {
    const { revoke, client, may, run, quick } = await open();
    const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
    for (const role of ['auditor', 'buyer']) {
      await client.authorization.bindings.assign({ user: 'alice:eu', role, scope, allowColon: true });
    }
    const { code, out, err } = await revoke('alice', '--until', far, '--reason', 'INC-7');
    expect([code, out]).toEqual([1, expect.stringContaining('Removed: 1 binding of user "alice".')]);
    expect(err).toBe(
      'arango-services: user "alice" still has access by bindings of users whose names begin with "alice:", to "auditor", "buyer": revoke those users, too\n',
    );
    expect(await may()).toBe(false);
    expect((await client.authorization.bindings.list('alice:eu')).map(({ role }) => role)).toEqual([
      'auditor',
      'buyer',
    ]);
    // A plan cannot tell them apart, either: its apply says how it can.
    const applied = await run('apply', ...quick);
    expect([applied.code, applied.err]).toEqual([
      1,
      expect.stringContaining('may be that of a user whose name begins with "alice:": then name that user in --users;'),
    ]);
    expect((await run('apply', ...quick, '--users', 'alice:eu')).code).toBe(0);
    // Revoking both leaves nothing to delete.
    expect((await revoke('alice:eu', '--until', far, '--reason', 'INC-7')).code).toBe(0);
    expect((await revoke('alice', '--until', far, '--reason', 'INC-7')).code).toBe(0);
    expect((await run('plan', '--users', 'alice,alice:eu')).out).not.toContain('binding of user');
  });

  test('removes the bindings of a group, and holds them back', async () => {
    const { url, folder, client } = await openDeployment(
      { platform: 'next', fidelity: 'sidecar' },
      { 'permissions.yaml': '' },
    );
    const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
    for (const role of ['viewer', 'editor'])
      await client.authorization.groupBindings.assign({ group: 'night', role, scope });
    await client.authorization.bindings.assign({ user: 'night', role: 'viewer', scope });
    const words = ['--url', url, '--token-file', 'token', '--until', far, '--reason', 'INC-9'];
    const revoked = await command(['revoke', '--group', 'night', '--role', 'viewer', ...words], folder);
    expect(revoked).toEqual({
      code: 0,
      out: `Removed: 1 binding of group "night". Held until ${far}: permissions.holds.yaml\n`,
      err: 'arango-services: commit permissions.holds.yaml\n',
    });
    expect(await client.authorization.groupBindings.list('night')).toMatchObject([{ role: 'editor' }]);
    expect(await client.authorization.bindings.list('night')).toHaveLength(1);
    expect(readFileSync(join(folder, 'permissions.holds.yaml'), 'utf8')).toContain(
      '{ group: "night", roles: ["viewer"], ',
    );
    for (const owners of [[], ['night', '--group', 'night']]) {
      const { code, err } = await command(['revoke', ...owners, ...words], folder);
      expect([code, err]).toEqual([64, expect.stringContaining('arguments: expected <user>, or --group <name>')]);
    }
  });

  test('of a group is a hold in the file, which plans respect', async () => {
    const { holds } = await open(['alice']);
    writeFileSync(holds, `holds:\n  - { group: night, roles: [viewer], until: "${far}", reason: INC-9 }\n`);
    const groups = ['night', 'day'].map((group) => `  - { group: ${group}, role: viewer, scope: all }\n`).join('');
    const state = await readPermissions('f', { read: () => `${shopFile(['alice'])}groupBindings:\n${groups}` });
    const inForce = await readHolds(holds, { read: () => readFileSync(holds) });
    const { changes } = plan({ ...state, groupBindings: state.groupBindings?.slice(0, 1) }, state, { holds: inForce });
    expect(changes.map(({ action, group, reason }) => [action, group, reason])).toEqual([
      ['create', 'day', 'is missing'],
      ['delete', 'night', `is held until ${far}: INC-9`],
    ]);
    expect(() => plan(state, state, { holds: [{ until: far, reason: 'x' }] })).toThrow('expected a user or a group');
  });

  test.each(['flag', 'working directory'])(
    'is not missed by a plan that was made without it: by the %s',
    async (by) => {
      const { run, edit, path, connected } = await open();
      edit(shopFile(['alice', 'bob', 'carol']));
      expect((await run('plan', '--out', path('plan.json'))).code).toBe(2);
      const isFlag = by === 'flag';
      const held = isFlag ? path('night.yaml') : join(folderOf(), 'permissions.holds.yaml');
      writeFileSync(held, `holds:\n  - { user: carol, until: "${far}", reason: INC-9 }\n`);
      const words = ['apply', path('plan.json'), '--settle-ms', '0', ...connected];
      const applied = await command(isFlag ? [...words, '--holds', held] : words, dirname(held));
      expect([applied.code, applied.err]).toEqual([
        1,
        expect.stringContaining('user "carol" to role "viewer", which is held'),
      ]);
    },
  );

  test('is kept if a call fails, and continued by running it again', async () => {
    const { revoke, mock, may, holds } = await open();
    const end = mock.fail({ path: '/_management/permissions/user/alice/role/viewer', status: 503, times: 1_000 });
    const failed = await revoke('alice', '--until', '8h', '--reason', 'INC-8');
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining(`the hold is in ${holds}; run it again`)]);
    expect(readFileSync(holds, 'utf8')).toContain('INC-8');
    end();
    expect((await revoke('alice', '--until', '8h', '--reason', 'INC-8')).code).toBe(0);
    expect(await may()).toBe(false);
  });
});

describe('a revocation by hand, without a hold', () => {
  test.each(['--before', '--users-file'])('is detected by %s, and granted again only with --restore', async (flag) => {
    const { run, quick, client, may, edit, path, connected } = await open();
    const known = flag === '--before' ? path('old.yaml') : path('users.json');
    writeFileSync(known, flag === '--before' ? shopFile(['alice', 'bob']) : '["alice", "bob"]');
    await client.authorization.bindings.remove({ user: 'alice', role: 'viewer' });
    edit(shopFile(['alice', 'bob', 'carol']));
    const planned = await run('plan', flag, known, '--out', path('plan.json'));
    expect(planned.out).toContain(
      '\nGives back what was revoked by hand ("apply --yes" needs --restore):\n  binding of user "alice" to role "viewer"\n\n',
    );
    const refused = await run('apply', flag, known, ...quick);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(
        /gives back what was revoked by hand \(--restore\).*"alice"[\s\S]*to give it back: .*--restore/,
      ),
    ]);
    const saved = await permissions(['apply', path('plan.json'), '--settle-ms', '0', ...connected]);
    expect([saved.code, saved.err]).toEqual([1, expect.stringContaining('revoked by hand (--restore)')]);
    expect(await may()).toBe(false);
    expect((await run('apply', flag, known, ...quick, '--restore')).code).toBe(0);
    expect(await may()).toBe(true);
  });

  test('may be a policy that was narrowed by hand; changes that only take access need no --restore', async () => {
    const { run, client, path } = await open();
    writeFileSync(path('old.yaml'), shopFile(['alice', 'bob']));
    await client.authorization.policies.upsert('reader', { statements: [] });
    const restored = async () => {
      const { out } = await run('plan', '--before', path('old.yaml'), '--prune', '--json');
      return JSON.parse(out).changes.map(({ name, restores }: { name: string; restores?: true }) => [name, restores]);
    };
    expect(await restored()).toEqual([['reader', true]]);
    const more = [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] as const;
    await client.authorization.policies.upsert('reader', { statements: more });
    expect(await restored()).toEqual([['reader', undefined]]);
  });
});
