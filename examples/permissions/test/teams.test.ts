import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readPermissions } from 'arango-services/permissions';
import { expect, test } from 'vitest';

/** Reads the files, with a line added to one of them below a section. */
const withLine = (file: string, section: string, line: string) =>
  readPermissions('permissions.yaml', {
    async read(name) {
      const text = await readFile(name, 'utf8');
      return name === file ? text.replace(`${section}:\n`, `$&  ${line}\n`) : text;
    },
  });

test('two people are shared by three teams', async () => {
  const { bindings } = await withLine('', '', '');
  const rolesOf = (name: string) => bindings.filter(({ user }) => user === name).map(({ role }) => role);
  expect([rolesOf('alice'), rolesOf('carol')]).toEqual([
    ['shop-seller', 'support-agent'],
    ['support-agent', 'warehouse-picker'],
  ]);
});

test.each([
  [
    'the role of a manager',
    'bindings',
    '- { user: eve, role: shop-manager, scope: everywhere }',
    /teams\/support\.yaml:13:24: the role "shop-manager" is beyond the limits/,
  ],
  [
    'the role of another team',
    'bindings',
    '- { user: frank, role: warehouse-picker, scope: everywhere }',
    /teams\/warehouse\.yaml:17 owns the bindings to the role "warehouse-picker": move it there/,
  ],
  [
    'a policy of the shop',
    'roles',
    'support-lead: { policies: [shop-owner] }',
    /^teams\/support\.yaml:9:30: allows orders:delete on shop:\*, beyond the limits/,
  ],
])('the file of support cannot grant %s', async (_, section, line, message) => {
  await expect(withLine('teams/support.yaml', section, line)).rejects.toThrow(message);
});

test('each file with limits has reviewers', () => {
  const owners = readFileSync('.github/CODEOWNERS', 'utf8');
  const limited = readFileSync('permissions.yaml', 'utf8').match(/(?<=^ {2})teams\/\w+\.yaml(?=:)/gm);
  expect(limited).toHaveLength(3);
  for (const file of limited ?? []) expect(owners).toMatch(new RegExp(`^/${file} +@`, 'm'));
});
