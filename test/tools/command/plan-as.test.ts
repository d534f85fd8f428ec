import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allow } from './support/admin.ts';
import { openDeployment } from './support/deployment.ts';
import { inFolder, permissions } from './support/in-process.ts';

const everywhere = allow(['*'], ['*']);
/** The permissions of the pipeline that applies, and of the job that reads. */
const manager = allow(['rbac:*'], ['*']);
const reader = allow(['rbac:List*', 'rbac:Get*'], ['*']);

const file = (admins: readonly string[], action = 'orders:read'): string => `
policies:
  orders: { statements: [{ effect: Allow, actions: ["${action}"], resources: ["*"] }] }
  rbac-manager: { statements: [{ effect: Allow, actions: ["rbac:*"], resources: ["*"] }] }
roles:
  managers: { policies: [rbac-manager] }
scopes:
  all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
bindings: [${admins.map((user) => `{ user: ${user}, role: managers, scope: all }`).join(', ')}]
manage: { users: [applier, other] }
`;

async function open() {
  const opened = await openDeployment(
    {
      fidelity: 'sidecar',
      policies: { 'rbac-manager': manager, 'rbac-reader': reader },
      roles: { managers: { policies: ['rbac-manager'] }, readers: { policies: ['rbac-reader'] } },
      bindings: [
        { user: 'applier', role: 'managers', scope: everywhere },
        { user: 'reader', role: 'readers', scope: everywhere },
      ],
    },
    { 'permissions.yaml': file(['applier']) },
  );
  const { mock, folder, url } = opened;
  for (const user of ['reader', 'applier']) writeFileSync(join(folder, user), await mock.tokens.issue({ user }));
  const path = (name: string) => join(folder, name);
  const run = (user: string, name: string, ...words: string[]) =>
    inFolder([name, '--url', url, '--token-file', path(user), ...words], folder);
  return { ...opened, run, path };
}

describe('a plan with the token of a reader', () => {
  test('is judged for the caller of the apply by --as', async () => {
    const { run, path } = await open();
    // The file forgets who applies it.
    writeFileSync(path('permissions.yaml'), file(['other']));
    const alone = await run('reader', 'plan', '--prune');
    expect(alone.out).toMatch(/^Missing permissions: user "reader"/);
    const judged = await run('reader', 'plan', '--prune', '--as', 'applier');
    expect(judged.out).toMatch(/^Self-lockout: user "applier", who applies this plan,/);
    expect(judged.out).not.toContain('"reader"');
    const kept = await run('reader', 'plan', '--prune', '--as', 'other');
    expect(kept.out).toMatch(/^Missing permissions: user "other", who applies this plan,/);
    for (const [as, message] of [
      ['a/b', '--as: expected <user[,group…]>: a name must not hold a "/"'],
      [',ops', '--as: expected <user[,group…]>: a name must not be empty'],
    ]) {
      const refused = await run('reader', 'plan', '--as', as ?? '');
      expect([refused.code, refused.err]).toEqual([64, expect.stringContaining(message ?? '')]);
    }
  });

  test('is saved without what the reader lacks, and applied by another token as it was reviewed', async () => {
    const { run, path, url, mock } = await open();
    writeFileSync(path('permissions.yaml'), file(['applier'], 'orders:list'));
    const keep = ['--record', path('record'), '--first-run'];
    const saved = await run('reader', 'plan', '--prune', '--out', path('plan.json'), ...keep);
    expect([saved.code, saved.out]).toEqual([2, expect.stringMatching(/^1 to create; no access changes\.\n/)]);
    expect(saved.out).not.toContain('"reader"');
    const apply = (user: string) =>
      permissions([
        ...['apply', path('plan.json'), '--url', url, '--token-file', path(user), '--settle-ms', '0'],
        ...['--record', path('record')],
      ]);
    // Another merge meanwhile changes nothing of what was reviewed.
    writeFileSync(path('permissions.yaml'), file(['other']));
    const refused = await apply('reader');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('user "reader"')]);
    const applied = await apply('applier');
    expect([applied.code, applied.out]).toEqual([
      0,
      expect.stringMatching(/^Plan sha256:[0-9a-f]{64}\nApplied: 1 call\.\n$/),
    ]);
    expect(mock.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect((await apply('applier')).err).toContain('is applied once');
  });

  test('names the missing permission if the reader may not list the bindings of the user of --as', async () => {
    const { run, path, client } = await open();
    writeFileSync(path('permissions.yaml'), file(['other']).replace('users: [applier, other]', 'users: [other]'));
    const narrow = [...allow(['rbac:ListPolicy', 'rbac:ListRole', 'rbac:Get*'], ['*']).statements];
    const listed = allow(['rbac:ListUserRoleBinding'], ['other', 'reader']).statements;
    await client.authorization.policies.upsert('rbac-reader', { statements: [...narrow, ...listed] });
    const { out } = await run('reader', 'plan', '--as', 'applier,ops');
    expect(out).toMatch(/^Not known: .* because the token has no rbac:ListUserRoleBinding on "applier"\.\n/);
  });
});
