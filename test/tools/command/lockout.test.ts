import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { openDeployment } from './support/deployment.ts';
import { command, start } from './support/process.ts';

const anything = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
const managing = { statements: [{ effect: 'Allow' as const, actions: ['rbac:*'], resources: ['*'] }] };
const binding = (user: string, role: string) => ({ user, role, scope: anything });

/** A deployment in sidecar fidelity that ann administers, with her token in a file. */
async function openShop(file: string, bindings = [binding('ann', 'admin'), binding('zoe', 'admin')]) {
  const policies = { 'admin-all': managing, reader: { statements: [] } };
  const roles = { admin: { policies: ['admin-all'] }, viewer: { policies: ['reader'] } };
  const files = { 'permissions.yaml': file };
  const opened = await openDeployment({ fidelity: 'sidecar', policies, roles, bindings }, files);
  writeFileSync(join(opened.folder, 'ann'), await opened.mock.tokens.issue({ user: 'ann' }));
  const flags = ['--url', opened.url, '--token-file', 'ann', '--fidelity', 'sidecar', '--prune', '--users', 'ann,zoe'];
  const quick = ['--yes', '--settle-ms', '0', ...flags];
  const writes = () => opened.mock.requests.filter(({ method }) => method !== 'GET').length;
  return { ...opened, flags, quick, writes };
}

const shop = (bindings: string, roles: string, action: string) => `
policies:
  admin-all: { statements: [{ effect: Allow, actions: ["rbac:*"], resources: ["*"] }] }
  reader: { statements: [{ effect: Allow, actions: ["${action}"], resources: ["*"] }] }
roles: { ${roles} }
scopes:
  all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
bindings: [${bindings}]
manage: { policies: ["*"], roles: ["*"], users: ["*"] }
`;
const forgetsAnn = shop(
  '{ user: zoe, role: admin, scope: all }',
  'admin: { policies: [admin-all] }, viewer: { policies: [reader] }',
  'orders:read',
);
const renames = shop(
  '{ user: ann, role: operator, scope: all }, { user: zoe, role: operator, scope: all }',
  'operator: { policies: [admin-all, reader] }, viewer: { policies: [reader] }',
  'orders:list',
);

const lastOf = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

/** Runs the command that the last line of a run names, as an operator does who copies it. */
async function follow(err: string, folder: string): Promise<void> {
  const [, line = ''] = /: (arango-services permissions .*)$/.exec(lastOf(err)) ?? [];
  const words = line.replace(/^arango-services /, `"${process.execPath}" "${root}dist/command/index.js" `);
  await promisify(execFile)('/bin/sh', ['-c', words], { cwd: folder });
}

describe('an ordinary admin applies over a port', () => {
  test('a file without the admin: the plan warns first, apply refuses it, and the command on the last line applies it', async () => {
    const { folder, flags, quick, writes } = await openShop(forgetsAnn);
    const planned = await command(['plan', ...flags], folder);
    expect(planned).toMatchObject({ code: 2, out: expect.stringMatching(/^Self-lockout: user "ann", who applies/) });
    const refused = await command(['apply', ...quick], folder);
    expect([refused.code, writes()]).toEqual([1, 0]);
    expect(refused.err).toContain('has no rbac:* on * any more in the end; nothing was written');
    expect(lastOf(refused.err)).toMatch(/0 of 2 calls were made; to apply it all the same: .* --allow-self-lockout$/);
    await follow(refused.err, folder);
    const superuser = flags.map((flag) => (flag === 'ann' ? 'token' : flag));
    expect(await command(['plan', ...superuser], folder)).toMatchObject({ code: 0 });
  });

  test.each(['revoke-first', 'grant-first'])(
    'a role renamed while another right changes, %s: completed',
    async (order) => {
      const { folder, flags, quick } = await openShop(renames);
      expect(await command(['apply', '--order', order, ...quick], folder)).toMatchObject({
        code: 0,
        err: expect.any(String),
      });
      expect(await command(['plan', ...flags], folder)).toMatchObject({ code: 0 });
    },
  );

  test('a saved plan is refused by the token that it would lock out', async () => {
    const { folder, flags, writes } = await openShop(forgetsAnn);
    const superuser = flags.map((flag) => (flag === 'ann' ? 'token' : flag));
    const planned = await command(['plan', '--out', 'plan.json', ...superuser], folder);
    expect([planned.code, planned.out]).toEqual([2, expect.not.stringContaining('Self-lockout')]);
    const applied = await command(['apply', 'plan.json', ...flags.slice(0, 4), '--settle-ms', '0'], folder);
    expect([applied.code, writes()]).toEqual([1, 0]);
    expect(applied.err).toContain('refused, because user "ann", who applies it,');
  });
});

describe('the last line of a stopped run', () => {
  test('names the permission that another admin took away, and the command that goes on with it', async () => {
    const { folder, quick, client, mock, flags } = await openShop(renames);
    const running = start(['apply', ...quick], folder);
    await new Promise<void>((resolve) => {
      const end = mock.onRequest(({ method }) => {
        if (method === 'GET') return;
        end();
        running.child.kill('SIGSTOP');
        resolve();
      });
    });
    const narrow = { effect: 'Allow' as const, actions: ['rbac:*Policy', 'rbac:GetRole'], resources: ['*'] };
    const { bindings } = client.authorization;
    await bindings.replaceScope({ user: 'ann', role: 'admin', scope: { statements: [narrow] } });
    running.child.kill('SIGCONT');
    const { code, err } = await running.ended();
    expect(code).toBe(1);
    expect(lastOf(err)).toMatch(/missing is rbac:\w+ on "\w+"; with it, run it again to finish: arango-services /);
    await bindings.replaceScope(binding('ann', 'admin'));
    await follow(err, folder);
    expect(await command(['plan', ...flags], folder)).toMatchObject({ code: 0 });
  });

  test('is the command that goes on after a signal', async () => {
    const { folder, flags } = await openShop(renames);
    const running = start(['apply', '--yes', ...flags, '--settle-ms', '400', '--concurrency', '1'], folder);
    await running.printed(/1\/\d+ /);
    running.child.kill('SIGTERM');
    const { code, err } = await running.ended();
    expect(code).toBe(1);
    expect(lastOf(err)).toMatch(
      /\d of \d+ calls were made; run it again to finish: arango-services permissions apply --/,
    );
    await follow(err, folder);
    expect(await command(['plan', ...flags], folder)).toMatchObject({ code: 0 });
  });
});
