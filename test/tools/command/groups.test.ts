import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDeployment } from './support/deployment.ts';
import { command } from './support/process.ts';

const file = `
policies:
  reader: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["*"] }] }
roles:
  viewer: { policies: [reader] }
scopes:
  all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
groupBindings:
  - { group: developers, role: viewer, scope: all }
manage: { groups: ["*"] }
`;
const without = file.replace('  - { group: developers, role: viewer, scope: all }', '  []');

async function open(platform: 'next' | 'recorded' | '1.4.4', text = file) {
  const opened = await openDeployment(
    { fidelity: 'sidecar', platform },
    { 'permissions.yaml': text, 'rest.yaml': without },
  );
  const flags = ['--url', opened.url, '--token-file', 'token'];
  const writes = () => opened.mock.requests.filter(({ method }) => method !== 'GET').length;
  const run = (...words: string[]) => command([words[0] ?? '', ...flags, ...words.slice(1)], opened.folder);
  return { ...opened, run, writes };
}

describe('roles of groups by the command', () => {
  test('are planned, applied, asked about, exported and pruned', async () => {
    const { run, folder } = await open('next');
    const planned = await run('plan', '--out', 'plan.json');
    expect(planned).toMatchObject({
      code: 2,
      out: expect.stringContaining('+ binding of group "developers" to role "viewer"'),
    });
    expect(planned.out).toMatch(/^3 to create; access changes for requests that name 1 group\.\n/);
    expect(planned.out).toContain('group "developers" of role "viewer" gains orders:read on *');
    expect(planned.out).toContain('Groups whose bindings are known: 1.');
    const quick = ['--yes', '--settle-ms', '0'];
    expect(await run('apply', ...quick)).toMatchObject({ code: 0 });
    expect(await run('plan')).toMatchObject({ code: 0 });

    const who = await run('who', 'orders:read', 'order:7', '--users', 'bob', '--groups', 'developers');
    expect(who.out).toMatch(/^group "developers"\n/);
    expect(who.out).toContain('the bindings of 1 named user and of 1 named group; those of others are not known');
    const question = ['bob', 'orders:read', 'order:7'];
    expect((await run('explain', ...question)).out).toMatch(/^Deny/);
    const explained = await run('explain', ...question, '--groups', 'developers');
    expect(explained.out).toContain('group "developers", bound to role "viewer": allows');
    expect((await run('grants', 'bob', '--groups', 'developers')).out).toContain('orders:read on *');

    const exported = await run('export', 'copy.yaml', '--groups', 'developers');
    expect(exported.code).toBe(0);
    expect(readFileSync(join(folder, 'copy.yaml'), 'utf8')).toContain('{ group: developers, role: viewer');

    const rest = ['--file', 'rest.yaml', '--prune'];
    expect(await run('plan', ...rest)).toMatchObject({ code: 0 });
    const pruned = await run('apply', ...rest, '--groups', 'developers', ...quick);
    expect(pruned).toMatchObject({ code: 0, out: expect.stringContaining('- binding of group "developers"') });
    expect((await run('who', 'orders:read', 'order:7', '--groups', 'developers')).out).toMatch(/^No user has it/);
  });

  test.each(['recorded', '1.4.4'] as const)('fail before the first write on platform %s', async (platform) => {
    const { run, writes } = await open(platform);
    for (const words of [['plan'], ['apply', '--yes', '--settle-ms', '0']]) {
      const failed = await run(...words);
      expect(failed.code).toBe(1);
      expect(failed.err).toContain('The deployment does not bind roles to groups');
    }
    expect(writes()).toBe(0);
    const who = await run('who', 'orders:read', 'order:7', '--groups', 'developers');
    expect(who.out).toContain('The deployment does not bind roles to groups.');
  });

  test('by the file alone, the groups of a user are given by the flag', async () => {
    const { folder } = await open('recorded');
    const asked = (...words: string[]) => command(['explain', 'bob', 'orders:read', 'order:7', ...words], folder);
    expect((await asked('--groups', 'developers')).out).toMatch(/^Allow/);
    expect((await asked()).out).toMatch(/^Deny/);
    const unused = await command(['who', 'orders:read', 'order:7', '--groups', 'developers'], folder);
    expect(unused).toMatchObject({ code: 64, err: expect.stringContaining('--groups: needs a deployment') });
  });

  test('a saved plan is stale once another writer binds one of its groups', async () => {
    const { run, mock } = await open('next');
    expect((await run('plan', '--out', 'plan.json')).code).toBe(2);
    const token = await mock.tokens.issue({ user: null });
    await mock.fetch(`${mock.connection.url}/_management/permissions/group/developers/role/other`, {
      method: 'POST',
      headers: { authorization: `bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scope: { statements: [] } }),
    });
    const stale = await run('apply', 'plan.json', '--yes', '--settle-ms', '0');
    expect(stale.code).toBe(1);
    expect(stale.err).toContain('bindings of group "developers"');
  });

  test('--groups-file keeps the groups of the last apply, to find removed ones', async () => {
    const { run, folder } = await open('next');
    const keep = ['--groups-file', 'groups.json', '--settle-ms', '0', '--yes'];
    const kept = () => JSON.parse(readFileSync(join(folder, 'groups.json'), 'utf8'));
    expect((await run('apply', ...keep, '--first-run')).code).toBe(0);
    expect(kept()).toEqual(['developers']);
    const rest = ['--file', 'rest.yaml', '--prune'];
    expect((await run('plan', ...rest)).code).toBe(0);
    const planned = await run('plan', ...rest, '--groups-file', 'groups.json', '--out', 'plan.json');
    expect(planned).toMatchObject({ code: 2, out: expect.stringContaining('- binding of group "developers"') });
    const question = ['orders:read', 'order:7', '--groups-file', 'groups.json'];
    expect((await run('who', ...question)).out).toMatch(/^group "developers"\n/);
    expect((await run('export', '--groups-file', 'groups.json')).out).toContain('{ group: developers, role: viewer');
    // Of a saved plan, too.
    expect((await run('apply', 'plan.json', '--groups-file', 'groups.json', '--settle-ms', '0')).code).toBe(0);
    expect(kept()).toEqual([]);
    const unused = await command(['who', ...question], folder);
    expect(unused).toMatchObject({ code: 64, err: expect.stringContaining('--groups-file: needs a deployment') });
  });

  test('the bindings of the groups of a file and of a log are read, too', async () => {
    const { run, folder } = await open('next');
    expect((await run('apply', '--yes', '--settle-ms', '0')).code).toBe(0);
    const who = await run('who', 'orders:read', 'order:7', '--file', 'permissions.yaml');
    expect(who.out).toMatch(/^group "developers"\n/);
    expect(who.err).toContain('no bindings of users were read');
    const line = { v: 1, kind: 'decision', time: '2026-11-23T12:00:00Z', action: 'orders:read', resource: 'order:7' };
    const subject = { user: 'bob', groups: ['developers'] };
    const decided = { ...line, subject, effect: 'Allow', enforced: true };
    writeFileSync(join(folder, 'a.log'), `${JSON.stringify(decided)}\n`);
    expect(await run('replay', '--log', 'a.log')).toMatchObject({ code: 0 });
    expect((await run('plan', '--log', 'a.log', '--file', 'rest.yaml')).out).toContain('0 flip');
    const tight = await run('tighten', '--log', 'a.log', '--by', 'group');
    expect(tight).toMatchObject({ code: 0, out: expect.stringContaining('{ group: developers, role: viewer') });
    expect(tight.out).toContain('# The bindings of 1 named group only: "developers"\n');
    writeFileSync(join(folder, 'b.log'), `${JSON.stringify({ ...decided, subject: { user: 'bob' } })}\n`);
    const none = await run('tighten', '--log', 'b.log', '--by', 'group');
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('by: the log names no groups') });
  });

  test('--by-minting lists those who may create a token that has it', async () => {
    const minting = file
      .replace(
        'roles:',
        '  creator: { statements: [{ effect: Allow, actions: ["authentication:CreateToken"], resources: ["*"] }] }\nroles:\n  minter: { policies: [creator] }',
      )
      .replace(
        'manage:',
        'bindings: [{ user: admin, role: minter, scope: all }, { user: alice, role: viewer, scope: all }]\nmanage:',
      );
    const { folder } = await open('next', minting);
    const who = (...more: string[]) =>
      command(['who', 'orders:read', 'order:7', '--fidelity', 'sidecar', ...more], folder);
    expect((await who('--by-minting')).out).toMatch(
      /^user "admin"\n {4}by role "minter", policy "creator" statement 1\n/,
    );
    expect(JSON.parse((await who('--by-minting', '--json')).out)).toMatchObject({
      byMinting: true,
      holders: [{ user: 'admin' }],
    });
    expect((await who()).out).toMatch(/^user "alice"/);
    const none = await command(['who', 'a:b', 'x', '--by-minting', '--fidelity', 'sidecar'], folder);
    expect(none.out).toMatch(/^No token that users or groups may create has it\./);
  });
});
