// The proposals of `rehearse` and `tighten`, written into the files that they are about.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { jsonLine } from '../../policy/decisions/platform-lines.ts';
import { folderOf, openDeployment } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const asked = (user: string, action: string, resource: string, granted = false) =>
  `${jsonLine({ user, roles: [], action, resource, granted })}\n`;

const files = {
  'permissions.yaml': `# The house
include: [team.yaml]
scopes:
  all: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] }
policies:
  shop-reader: # reads
    statements:
      # Orders of all countries
      - { effect: Allow, actions: ["orders:read", "orders:list"], resources: ["orders:*"] } # wide
roles:
  shop-viewer: { policies: [shop-reader] }
bindings:
  # The office
  - { user: alice, role: shop-viewer, scope: all } # until June
  - { user: bob, role: shop-viewer, scope: all }
manage: { policies: ["shop-*"], roles: ["shop-*"], users: [alice, bob] }
`,
  'team.yaml': `policies:
  stock-reader: { statements: [{ effect: Allow, actions: ["stock:read"], resources: ["*"] }] } # looks
roles:
  stock-viewer: { policies: [stock-reader] }
bindings:
  - { user: carol, role: stock-viewer, scope: all }
  - { user: dan, role: stock-viewer, scope: all } # a comment
manage: { policies: ["stock-*"], roles: ["stock-*"], users: [carol, dan] }
`,
  'a.log': [
    asked('alice', 'orders:read', 'orders:7', true),
    asked('carol', 'stock:read', 'bolt', true),
    asked('carol', 'stock:move', 'bolt'),
    asked('eve', 'orders:read', 'orders:8'),
  ].join(''),
};

/** Runs a subcommand in place over the files of a folder. */
async function inPlace(args: readonly string[], content: Readonly<Record<string, string>> = files) {
  const folder = folderOf(content);
  const place = (arg: string) => (/^[\w-]+\.\w+$/.test(arg) ? join(folder, arg) : arg);
  const run = (words: readonly string[]) => permissions(words.map(place));
  const answer = await run([...args, '--file', 'permissions.yaml', '--log', 'a.log']);
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  const strip = (output: string) => output.replaceAll(`${folder}/`, '');
  return { ...answer, out: strip(answer.out), err: strip(answer.err), text, run };
}

test('rehearse --out of its own file edits the files where the items stand, and lint finds nothing new', async () => {
  const { out, text, run } = await inPlace(['rehearse', '--out', 'permissions.yaml']);
  expect(out).toContain('Users who are not known, so they get nothing without --include-unknown:\n  user "eve":');
  expect(out).toContain('\nEdited team.yaml.\n');
  expect(text('permissions.yaml')).toBe(files['permissions.yaml']);
  expect(text('team.yaml')).toBe(`policies:
  stock-reader: { statements: [{ effect: Allow, actions: ["stock:read"], resources: ["*"] }] } # looks
  stock-rehearsed-1:
    statements:
      - { effect: Allow, actions: ["stock:move"], resources: [bolt] }
roles:
  stock-viewer: { policies: [stock-reader] }
  stock-rehearsed-1: { policies: [stock-rehearsed-1] }
bindings:
  - { user: carol, role: stock-viewer, scope: all }
  - { user: dan, role: stock-viewer, scope: all } # a comment
  - { user: carol, role: stock-rehearsed-1, scope: all }
manage: { policies: ["stock-*"], roles: ["stock-*"], users: [carol, dan] }
`);
  expect(await run(['lint', '--file', 'permissions.yaml'])).toMatchObject({ code: 0 });
  const again = await run(['rehearse', '--file', 'permissions.yaml', '--log', 'a.log', '--out', 'permissions.yaml']);
  expect(again.out).toContain('Enforcing would deny 1 of 4 requests: 1 user, 1 action.');
  expect(again.out).toContain('permissions.yaml needs no change.\n');
});

test('rehearse --include-unknown binds a user who is new, and makes the file own the user', async () => {
  const { out, text, run } = await inPlace(['rehearse', '--out', 'permissions.yaml', '--include-unknown']);
  expect(out).toContain('\nEdited permissions.yaml, team.yaml.\n');
  expect(text('permissions.yaml')).toContain(
    '\n  - { user: bob, role: shop-viewer, scope: all }\n' +
      '  - user: eve\n' +
      '    role: shop-viewer\n' +
      '    scope: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["orders:8"] }] }\n',
  );
  expect(text('permissions.yaml')).toContain('users: [alice, bob, eve] }\n');
  expect(await run(['lint', '--file', 'permissions.yaml'])).toMatchObject({ code: 0 });
  const again = await run(['rehearse', '--file', 'permissions.yaml', '--log', 'a.log']);
  expect(again).toMatchObject({ code: 0 });
});

test('tighten --out of its own file narrows and removes items where they stand', async () => {
  const { code, out, text, run } = await inPlace(['tighten', '--out', 'permissions.yaml']);
  expect([code, out]).toEqual([
    0,
    [
      '- binding of user "bob" to role "shop-viewer"',
      '- binding of user "dan" to role "stock-viewer"',
      '~ policy "shop-reader"',
      '~ policy "stock-reader"',
      'Edited permissions.yaml, team.yaml. ' +
        'The log has 3 users on 1 day, from 2026-11-23T04:06:12Z to 2026-11-23T04:06:12Z.',
      '',
    ].join('\n'),
  ]);
  expect(text('permissions.yaml')).toBe(
    files['permissions.yaml']
      .replace('["orders:read", "orders:list"], resources: ["orders:*"]', '["orders:read"], resources: ["orders:7"]')
      .replace('  - { user: bob, role: shop-viewer, scope: all }\n', ''),
  );
  expect(text('team.yaml')).toBe(
    files['team.yaml']
      .replace('resources: ["*"]', 'resources: [bolt]')
      .replace('  - { user: dan, role: stock-viewer, scope: all } # a comment\n', ''),
  );
  expect(await run(['lint', '--file', 'permissions.yaml'])).toMatchObject({ code: 0 });
  expect((await run(['diff', 'permissions.yaml', 'permissions.yaml'])).code).toBe(0);
});

test('a new file named by --out holds all items, and owns those that are new', async () => {
  const { out, text, run } = await inPlace(['rehearse', '--out', 'new.yaml', '--include-unknown']);
  expect(out).toContain('\nWrote new.yaml; plan and diff compare it.\n');
  expect(text('new.yaml')).toContain('"users":["alice","bob","carol","dan","eve"]');
  expect(text('permissions.yaml')).toBe(files['permissions.yaml']);
  expect(await run(['lint', '--file', 'new.yaml'])).toMatchObject({ code: 0 });
});

test.each(['rehearse', 'tighten'])('%s does not undo an edit that was made while the log was read', async (name) => {
  const folder = folderOf(files);
  const file = join(folder, 'permissions.yaml');
  const edited = files['permissions.yaml'].replace(
    '\nmanage',
    '\n  - { user: zoe, role: shop-viewer, scope: all }\nmanage',
  );
  async function* log() {
    writeFileSync(file, edited);
    yield Buffer.from(files['a.log']);
  }
  const stdin = Readable.from(log());
  const { code, err } = await permissions([name, '--file', file, '--log', '-', '--out', file], { stdin });
  const problem = 'cannot be edited: the binding of user "zoe" to role "shop-viewer" was changed since it was read';
  expect([code, err]).toEqual([64, expect.stringContaining(`${file}:16:5: ${problem}; run it again\n`)]);
  expect(readFileSync(file, 'utf8')).toBe(edited);
});

test('--out refuses to edit a file for a deployment, or a file by which another one is included', async () => {
  const opened = await openDeployment({}, files);
  const path = (name: string) => join(opened.folder, name);
  const flags = ['--file', path('permissions.yaml'), '--log', path('a.log'), '--out', path('permissions.yaml')];
  const deployed = await permissions(['tighten', ...flags, '--url', opened.url, '--token-file', path('token')]);
  expect([deployed.code, deployed.err]).toEqual([64, expect.stringContaining('leave out --url, or name a new file')]);
  const { code, err } = await inPlace(['tighten', '--out', 'team.yaml']);
  const advice = 'is included by permissions.yaml: name that to edit the files where the items stand';
  expect([code, err]).toEqual([64, expect.stringContaining(`--out: ${advice}`)]);
});
