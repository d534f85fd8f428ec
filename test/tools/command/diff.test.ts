import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, shopFile } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const files = {
  'a.yaml': shopFile(['alice', 'bob']),
  'b.yaml': shopFile(['alice'], 'orders:list'),
  'a.json': JSON.stringify({
    policies: { reader: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['orders:*'] }] } },
    roles: { viewer: { policies: ['reader'] } },
    bindings: ['alice', 'bob'].map((user) => ({
      user,
      role: 'viewer',
      scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] },
    })),
  }),
};

test('diff prints the changes and the access, exit 2; nothing is sent', async () => {
  const folder = folderOf(files);
  const { code, out, err } = await permissions(['diff', join(folder, 'a.yaml'), join(folder, 'b.yaml')]);
  expect([code, err]).toEqual([2, '']);
  expect(out).toContain('~ policy "reader": differs');
  expect(out).toContain('- binding of user "bob" to role "viewer": is not wanted any more');
  expect(out).toContain(
    '- users "alice", "bob" of role "viewer" and requests that name role "viewer" lose orders:read on orders:*',
  );
  expect(out).not.toMatch(/while it is applied|bindings are known/);
});

test('diff of two forms of one state is empty, exit 0', async () => {
  const folder = folderOf(files);
  const result = await permissions(['diff', join(folder, 'a.yaml'), join(folder, 'a.json')]);
  expect(result).toEqual({ code: 0, out: 'No changes.\n', err: '' });
});

test('diff --json prints the plan as data', async () => {
  const folder = folderOf(files);
  const { code, out } = await permissions(['diff', '--json', join(folder, 'a.yaml'), join(folder, 'b.yaml')]);
  const { changes, users } = JSON.parse(out);
  expect([code, changes.length, users]).toEqual([2, 2, 'all']);
});

test('diff deletes only what the later file owns, as a plan does, and counts the rest', async () => {
  const owned = shopFile(['alice']).replace('users: ["*"]', 'users: ["alice"]');
  const folder = folderOf({ ...files, 'c.yaml': owned });
  const { code, out } = await permissions(['diff', join(folder, 'a.yaml'), join(folder, 'c.yaml')]);
  expect(code).toBe(2);
  expect(out).toMatch(/^1 orphaned user; nothing to change\.\n/);
  expect(out).toMatch(/\n {2}user "bob": role "viewer"\n\n1 binding is not in "manage": it stays\.\n$/);
});
