import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allow } from './support/admin.ts';
import { openDeployment } from './support/deployment.ts';
import { command } from './support/process.ts';

const first = `include: [teams/stock.yaml, teams/mail.yaml]
scopes: { all: { pattern: "shop:*" } }
policies: { platform-admin: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }
roles: { platform-admin: { policies: [platform-admin] } }
manage: { users: [lea] }
limits:
  teams/: { resources: ["shop:*"] }
  teams/stock.yaml: { roles: ["stock-*"], actions: ["stock:*"] }
`;
const teamFile = (name: string, users: readonly string[]) => `
policies: { ${name}-read: { statements: [{ effect: Allow, actions: ["${name}:read"], resources: ["shop:*"] }] } }
roles: { ${name}-reader: { policies: [${name}-read] } }
bindings: [${users.map((user) => `{ user: ${user}, role: ${name}-reader, scope: all }`).join(', ')}]
manage: { policies: ["${name}-*"], roles: ["${name}-*"], bindings: { roles: ["${name}-*"] } }
`;

/** A deployment with the files of two teams that share two people. */
async function openTeams() {
  const { folder, flags, client } = await openDeployment({ fidelity: 'sidecar' }, { 'permissions.yaml': first });
  mkdirSync(join(folder, 'teams'));
  const write = (name: string, text: string) => writeFileSync(join(folder, `teams/${name}.yaml`), text);
  write('stock', teamFile('stock', ['ann', 'bob', 'cid']));
  write('mail', teamFile('mail', ['ann', 'bob']));
  const run = (...words: readonly string[]) => command(words, folder);
  const online = (...words: readonly string[]) => run(...words, ...flags);
  return { folder, client, write, run, online };
}

test('a team deletes its own bindings of shared people, also those that were made by hand', async () => {
  const { client, write, online } = await openTeams();
  expect((await online('apply', '--yes', '--settle-ms', '0')).code).toBe(0);
  const scope = allow(['*'], ['*']);
  for (const role of ['stock-reader', 'old']) await client.authorization.bindings.assign({ user: 'lea', role, scope });
  write('stock', teamFile('stock', ['bob', 'cid']));
  const kept = await online('plan', '--users', 'ann');
  expect([kept.code, kept.out]).toEqual([0, expect.stringContaining('No changes.')]);
  const drift = await online('plan', '--prune', '--users', 'ann');
  expect([drift.code, drift.out.match(/^ {2}- binding.*(?=:)/gm)]).toEqual([
    2,
    [
      '  - binding of user "ann" to role "stock-reader"',
      '  - binding of user "lea" to role "old"',
      '  - binding of user "lea" to role "stock-reader"',
    ],
  ]);
  // A name that no file owns is orphaned for the bindings to roles that no file owns.
  await client.authorization.bindings.assign({ user: 'ann', role: 'old', scope });
  const { out } = await online('plan', '--prune', '--users', 'ann');
  expect(out).toContain('\n  user "ann": role "old"\n');
});

test('each subcommand refuses what is beyond the limits, with the same words', async () => {
  const { folder, write, run, online } = await openTeams();
  writeFileSync(join(folder, 'before.yaml'), 'roles: {}');
  write('stock', teamFile('stock', ['ann']).replace('role: stock-reader', 'role: platform-admin'));
  const text = readFileSync(join(folder, 'permissions.yaml'), 'utf8');
  writeFileSync(join(folder, 'permissions.test.yaml'), 'expect: []');
  const refusal =
    'teams/stock.yaml:4:31: the role "platform-admin" is beyond the limits of this file (permissions.yaml:8): its roles are "stock-*"';
  const linted = await run('lint');
  expect([linted.code, linted.out]).toEqual([2, `${refusal} (invalid)\n`]);
  for (const ended of [
    await online('plan'),
    await online('apply', '--yes'),
    await online('adopt'),
    await online('report', '--file', 'permissions.yaml'),
    await run('diff', 'before.yaml', 'permissions.yaml'),
    await run('test'),
    await run('export', '--from', 'permissions.yaml', '--out', 'resources', '--deployment', 'main'),
    await run('who', 'stock:read', 'shop:7'),
  ]) {
    expect([ended.code, ended.out, ended.err]).toEqual([64, '', `arango-services: ${refusal}\n`]);
  }
  expect(readFileSync(join(folder, 'permissions.yaml'), 'utf8')).toBe(text);
});
