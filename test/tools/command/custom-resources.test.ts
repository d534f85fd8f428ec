import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf, openDeployment, shopFile } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const resource = (kind: string, name: string, spec: string, deployment = 'main') =>
  `apiVersion: permission.arangodb.com/v1alpha1
kind: ArangoPermission${kind}
metadata: { name: ${name} }
spec: { deployment: { name: ${deployment} }${spec && `, ${spec}`} }
`;
const allow = (action: string) => `{ statements: [{ effect: Allow, actions: ["${action}"], resources: ["*"] }] }`;
const shop = (user: string, deployment?: string) =>
  [
    resource('Policy', 'reader', `policy: ${allow('orders:read')}`, deployment),
    resource('Role', 'viewer', '', deployment),
    resource('PolicyRoleBinding', 'viewer.reader', 'policy: { name: reader }, role: { name: viewer }', deployment),
    resource('RoleUserBinding', 'x', `role: { name: viewer }, userName: ${user}, scope: ${allow('*')}`, deployment),
  ].join('---\n');

describe('permissions over custom resources', () => {
  test('plan exits with 2 and says to use kubectl; apply writes nothing', async () => {
    const { flags, folder, client, mock } = await openDeployment({}, { 'shop.yaml': shop('alice') });
    const named = ['--file', join(folder, 'shop.yaml'), ...flags.slice(0, 3), join(folder, 'token')];
    const planned = await permissions(['plan', ...named]);
    expect([planned.code, planned.err]).toEqual([2, '']);
    expect(planned.out).toMatch(/^3 changes of custom resources to make with kubectl; 1 user gains access\.\n/);
    expect(planned.out).toContain('+ role "viewer": is missing: apply its custom resource with kubectl');
    const asked = mock.requests.length;
    const applied = await permissions(['apply', '--yes', ...named]);
    expect(applied.code).toBe(0);
    expect(applied.err).toContain('3 changes left to the operator: apply its custom resources with kubectl');
    const methods = mock.requests.slice(asked).map(({ method }) => method);
    expect(new Set(methods)).toEqual(new Set(['GET']));
    await expect(client.authorization.roles.get('viewer')).rejects.toMatchObject({ status: 404 });
  });

  test('diff of two versions shows the changes, and on stderr the binding that stays', async () => {
    const folder = folderOf({ 'a.yaml': shop('alice'), 'b.yaml': shop('bob') });
    const [a, b] = [join(folder, 'a.yaml'), join(folder, 'b.yaml')];
    const { code, out, err } = await permissions(['diff', a, b]);
    expect(code).toBe(2);
    expect(out).toContain('- binding of user "alice" to role "viewer": has no custom resource: delete it with kubectl');
    expect(err).toBe(
      `arango-services: ${b}:18:19: has another userName: ` +
        'the binding of user "alice" to role "viewer" stays, remove it\n',
    );
    expect((await permissions(['diff', a, a])).code).toBe(0);
  });

  test('lint prints their traps with file, line and column, and exits with 2', async () => {
    const trap = resource('PolicyRoleBinding', 'x', 'policy: { direct: reader }, role: { name: viewer }');
    const folder = folderOf({ 'x.yaml': `${resource('Role', 'viewer', '')}---\n${trap}` });
    const { code, out } = await permissions(['lint', '--file', join(folder, 'x.yaml')]);
    expect(code).toBe(2);
    expect(out).toContain(
      `${join(folder, 'x.yaml')}:9:55: is looked up as the name of an ArangoPermissionPolicy and never found`,
    );
    const off = ['--off', 'custom-resource,unused-role'];
    expect(await permissions(['lint', '--file', join(folder, 'x.yaml'), ...off])).toMatchObject({ code: 0 });
  });

  test('--deployment chooses among those of several', async () => {
    const folder = folderOf({ 'x.yaml': `${shop('alice')}---\n${shop('bob', 'other')}` });
    const ask = (...more: string[]) =>
      permissions(['explain', 'bob', 'orders:read', 'x', '--file', join(folder, 'x.yaml'), ...more]);
    expect((await ask()).code).toBe(64);
    expect((await ask('--deployment', 'other')).out).toMatch(/Allow/);
    expect((await ask('--deployment=main')).out).not.toMatch(/Allow/);
  });

  test('export --deployment writes them, and names the policies that get another name', async () => {
    const { flags, folder, client } = await openDeployment({}, { 'shop.yaml': shopFile() });
    const connect = [...flags.slice(0, 3), join(folder, 'token')];
    await permissions(['apply', '--yes', '--settle-ms=0', '--file', join(folder, 'shop.yaml'), ...connect]);
    expect((await client.authorization.roles.get('viewer')).item.policies).toEqual(['reader']);
    const to = join(folder, 'resources.yaml');
    const exported = await permissions(['export', to, '--deployment', 'n/main', '--users=alice', ...connect]);
    expect(exported.code).toBe(0);
    expect(exported.err).toContain('policy "reader" becomes "managed:operator:reader"');
    expect(readFileSync(to, 'utf8')).toMatch(
      /kind: ArangoPermissionRole\nmetadata:\n {2}name: viewer\n {2}namespace: "n"/,
    );
    const text = await permissions(['who', 'orders:read', 'orders:1', '--file', to]);
    expect(text.out).toContain('alice');
    const refused = await permissions(['export', '--json', '--deployment=main', ...connect]);
    expect([refused.code, refused.err]).toEqual([64, expect.stringContaining('--deployment: writes YAML, not JSON')]);
  });

  test.each([
    ['a/b/c', 'expected [namespace/]name'],
    ['shop/', 'must be lower-case letters'],
    ['Main', 'must be lower-case letters'],
  ])('export --deployment %s exits with 64, before anything is sent', async (name, problem) => {
    const { code, err } = await permissions(['export', '--deployment', name, '--url', 'http://localhost:8529']);
    expect([code, err]).toEqual([64, expect.stringContaining(`--deployment: ${problem}`)]);
  });
});

describe('a folder of custom resources', () => {
  const exportTo = (folder: string, ...more: string[]) =>
    permissions([
      'export',
      ...['--from', join(folder, 'shop.yaml'), '--deployment', 'n/main', '--out', join(folder, 'crds'), ...more],
    ]);
  const planTo = (folder: string, ...more: string[]) =>
    permissions([
      'plan',
      ...['--file', join(folder, 'shop.yaml'), '--deployment', 'n/main', '--to', join(folder, 'crds'), ...more],
    ]);
  const textsOf = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

  test('is planned, written, and written again only where it changes', async () => {
    const folder = folderOf({ 'shop.yaml': shopFile(['alice', 'bob']) });
    const planned = await planTo(folder);
    expect([planned.code, planned.err]).toEqual([2, '']);
    expect(planned.out).toMatch(/^4 to create; 2 users gain access\./);
    const written = await exportTo(folder);
    const names = ['policies.yaml', 'roles.yaml', 'user-bindings.yaml'];
    const lines = (sign: string, some: readonly string[]) =>
      some.map((name) => `${sign} ${join(folder, 'crds', name)}\n`).join('');
    expect([written.code, written.out]).toEqual([0, lines('+', names)]);
    expect(written.err).toContain('gives 1 name of policies the prefix managed:operator:');
    const first = textsOf(join(folder, 'crds'));
    expect(await planTo(folder)).toEqual({ code: 0, out: 'No changes.\n', err: '' });
    expect((await exportTo(folder)).out).toBe('');
    writeFileSync(join(folder, 'shop.yaml'), shopFile(['alice'], 'orders:list'));
    const changed = await planTo(folder, '--markdown');
    expect([changed.code, changed.out]).toEqual([2, expect.stringContaining('2 users lose access, 1 gains')]);
    expect((await exportTo(folder)).out).toBe(lines('~', ['policies.yaml', 'user-bindings.yaml']));
    writeFileSync(join(folder, 'shop.yaml'), shopFile([]));
    expect((await exportTo(folder)).out).toBe(lines('~', ['policies.yaml']) + lines('-', ['user-bindings.yaml']));
    writeFileSync(join(folder, 'shop.yaml'), shopFile(['bob', 'alice']));
    await exportTo(folder);
    expect(textsOf(join(folder, 'crds'))).toEqual(first);
  });

  test('overwrites no file of another author, and then writes none', async () => {
    const folder = folderOf({ 'shop.yaml': shopFile(), 'roles.yaml': '# mine\n' });
    const { code, err } = await permissions([
      'export',
      ...['--from', join(folder, 'shop.yaml'), '--deployment=main', '--out', folder],
    ]);
    expect([code, err]).toEqual([64, expect.stringContaining('roles.yaml: was not written by this command')]);
    expect(readdirSync(folder).sort()).toEqual(['roles.yaml', 'shop.yaml']);
  });

  test('of another deployment is refused with the place in the folder', async () => {
    const folder = folderOf({ 'shop.yaml': shopFile() });
    await exportTo(folder);
    const other = ['--file', join(folder, 'shop.yaml'), '--to', join(folder, 'crds'), '--deployment', 'n/other'];
    const { code, err } = await permissions(['plan', ...other]);
    expect([code, err]).toEqual([
      64,
      expect.stringContaining(`${join(folder, 'crds', 'policies.yaml')}:8:3: no custom`),
    ]);
  });

  test('that cannot be created is named', async () => {
    const folder = folderOf({ 'shop.yaml': shopFile() });
    const from = ['--from', join(folder, 'shop.yaml'), '--deployment', 'main', '--out'];
    const [within, below] = [join(folder, 'shop.yaml', 'x'), '/proc/arango-services/x'];
    for (const out of [within, below]) {
      const { code, err } = await permissions(['export', ...from, out]);
      expect([code, err]).toEqual([64, expect.stringMatching(/: cannot be (read|written) \(E(NOTDIR|NOENT|ACCES)\)/)]);
    }
  });

  test('is refused with the places of what resources cannot hold; nothing is written', async () => {
    const folder = folderOf({ 'shop.yaml': shopFile().replaceAll('viewer', 'The_Viewer') });
    const { code, err } = await exportTo(folder);
    expect([code, err]).toEqual([
      64,
      expect.stringMatching(/shop\.yaml:5:3: the role "The_Viewer" must be lower-case/),
    ]);
    expect(readdirSync(folder)).toEqual(['shop.yaml']);
  });

  test.each([
    [['export', '--from=x.yaml', '--out=y'], '--deployment: is needed with --from'],
    [['export', '--from=x.yaml', '--deployment=main'], '--out: is needed with --from: a folder'],
    [['export', '--from=x.yaml', '--deployment=main', '--url=http://a'], '--url: cannot be combined with --from'],
    [['export', '--from=x.yaml', '--deployment=main', '--out=y', 'z'], 'arguments: expected none with --from'],
    [['export', '--out=y'], '--out: is for --from'],
    [['plan', '--to=y'], '--deployment: is needed with --to'],
    [['plan', '--to=y', '--deployment=main', '--prune'], '--prune: cannot be combined with --to'],
  ])('%j exits with 64', async (args, problem) => {
    const { code, err } = await permissions(args);
    expect([code, err]).toEqual([64, expect.stringContaining(problem)]);
  });
});
