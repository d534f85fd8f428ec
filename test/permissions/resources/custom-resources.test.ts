import { describe, expect, test } from 'vitest';
import { type Document, parseAllDocuments } from 'yaml';
import { readPermissions } from '../../../src/permissions/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { findingsOf, issuesOf, reading, readText } from '../support/files.ts';

const head = 'apiVersion: permission.arangodb.com/v1alpha1';

/** Custom resources in short: kind, name and the lines of a spec, which begin at line 5 of their document. */
const documents = (...all: readonly (readonly [kind: string, name: string, spec: string])[]): string =>
  all
    .map(([kind, name, spec]) => {
      const lines = ['deployment: { name: main }', ...spec.split('\n').filter((line) => line !== '')];
      const metadata = `metadata: { name: ${name} }`;
      return [head, `kind: ArangoPermission${kind}`, metadata, 'spec:', ...lines.map((line) => `  ${line}`)].join('\n');
    })
    .join('\n---\n');

const allow = (action: string, resource: string) =>
  `{ statements: [{ description: d, effect: Allow, actions: ["${action}"], resources: ["${resource}"] }] }`;
const bound = (user: string, role = '{ name: viewer }', scope = allow('*', 'orders:eu')) =>
  `role: ${role}\nuserName: ${user}\nscope: ${scope}`;
const policy = ['Policy', 'orders-reader', `description: d\npolicy: ${allow('orders:read', 'orders:*')}`] as const;
const role = ['Role', 'viewer', 'description: d'] as const;
const attach = [
  'PolicyRoleBinding',
  'viewer-orders',
  'policy: { name: orders-reader }\nrole: { name: viewer }',
] as const;
const alice = ['RoleUserBinding', 'alice-viewer', bound('alice')] as const;
const shop = documents(policy, role, attach, alice);

/** A statement as the services store it. */
const stored = (action: string, resource: string) => ({
  statements: [{ effect: 'Allow', actions: [action], resources: [resource], description: '' }],
  description: '',
});

describe('custom resources are read', () => {
  test('as what the operator makes of them: its names, without descriptions', async () => {
    const state = await readText(shop);
    expect([...state.policies]).toEqual([['managed:operator:orders-reader', stored('orders:read', 'orders:*')]]);
    expect([...state.roles]).toEqual([
      ['viewer', { policies: ['managed:operator:orders-reader'], scope: null, description: '' }],
    ]);
    expect(state.bindings).toEqual([{ user: 'alice', role: 'viewer', scope: stored('*', 'orders:eu') }]);
    expect(state).toMatchObject({ users: ['alice'], findings: [], files: ['f.yaml'] });
    expect(state.operator).toEqual({
      policies: ['managed:operator:orders-reader'],
      roles: ['viewer'],
      bindings: [{ user: 'alice', role: 'viewer' }],
      tokens: [],
    });
    const evaluator = createEvaluator(state);
    const may = (resource: string) => evaluator.isAllowed({ user: 'alice', action: 'orders:read', resource });
    expect([may('orders:eu'), may('orders:us')]).toEqual([true, false]);
  });

  test('with their places, kinds and fields as data', async () => {
    const { resources, locate } = await readText(shop);
    expect(resources.map(({ kind, name, line, column }) => [kind, name, line, column])).toEqual([
      ['ArangoPermissionPolicy', 'orders-reader', 3, 19],
      ['ArangoPermissionRole', 'viewer', 11, 19],
      ['ArangoPermissionPolicyRoleBinding', 'viewer-orders', 18, 19],
      ['ArangoPermissionRoleUserBinding', 'alice-viewer', 26, 19],
    ]);
    expect(resources[3]).toMatchObject({ spec: { userName: 'alice' }, namespace: '', file: 'f.yaml' });
    expect(locate(['policies', 'managed:operator:orders-reader', 'statements', 0])?.line).toBe(7);
    expect(locate(['bindings', 0, 'scope'])?.line).toBe(31);
  });

  test('from YAML and from a list of kubectl in JSON, beside resources of others and empty documents', async () => {
    const text = `---\n${shop}\n---\napiVersion: apps/v1\nkind: Deployment\nspec: 7\n---\n`;
    const state = await readText(text);
    const items = parseAllDocuments(text)
      // The cast: without documents there is an empty list of another type.
      .map((one) => (one as Document).toJS() as unknown)
      .filter((one) => one !== null);
    const list = await readText(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    expect([list.policies, list.roles, list.bindings]).toEqual([state.policies, state.roles, state.bindings]);
    expect(list.policies.size).toBe(1);
  });

  test('by an include, beside policies, roles and bindings of files, whose manage leaves them alone', async () => {
    const main = `include: [operator.yaml]
roles: { both: { policies: ["managed:operator:orders-reader"] } }
bindings: [{ user: bob, role: viewer, scope: { statements: [] } }]
manage: { policies: ["*"], roles: ["*"], users: ["*"] }`;
    const state = await readPermissions('main.yaml', { read: reading({ 'main.yaml': main, 'operator.yaml': shop }) });
    expect([...state.roles.keys()]).toEqual(['both', 'viewer']);
    expect(state.users).toEqual(['alice', 'bob']);
    expect(state.operator?.roles).toEqual(['viewer']);
    expect(state.files).toEqual(['main.yaml', 'operator.yaml']);
  });

  test('a policy that is attached to a predefined role, and a user bound to it', async () => {
    const predefined = '{ direct: "managed:predefined:coredb-reader" }';
    const state = await readText(
      documents(
        policy,
        ['PolicyRoleBinding', 'a', `policy: { name: orders-reader }\nrole: ${predefined}`],
        ['RoleUserBinding', 'b', bound('alice', predefined)],
      ),
    );
    expect(state.roles.get('managed:predefined:coredb-reader')?.policies).toEqual(['managed:operator:orders-reader']);
    expect(state.bindings.map((one) => one.role)).toEqual(['managed:predefined:coredb-reader']);
    expect(state.findings).toEqual([]);
  });

  test('a token, once the cluster has named its user', async () => {
    const spec = `policy: ${allow('orders:*', '*')}\nscope: ${allow('*', '*')}\nttl: 2h`;
    const fresh = await readText(documents(['Token', 'orders-svc', spec]));
    expect([fresh.policies.size, fresh.roles.size, fresh.operator?.tokens]).toEqual([0, 0, ['orders-svc']]);
    const named = documents(['Token', 'orders-svc', spec]).replace('name: orders-svc', 'name: orders-svc, uid: 0-1');
    const state = await readText(`${named}\nstatus: { user: { name: operator-orders-svc-ab12cd } }`);
    expect([...state.policies.keys()]).toEqual(['managed:operator:0-1:policy']);
    expect(state.roles.get('managed:operator:0-1')?.policies).toEqual(['managed:operator:0-1:policy']);
    expect(state.bindings).toEqual([
      { user: 'operator-orders-svc-ab12cd', role: 'managed:operator:0-1', scope: stored('*', '*') },
    ]);
    expect(state.operator?.tokens).toEqual([]);
  });

  test('for one deployment at a time', async () => {
    const two = `${shop}\n---\n${documents(role).replace('main', 'other')}`;
    expect(await issuesOf(two)).toEqual([expect.stringMatching(/^37:3 is for the deployment "other", but f\.yaml:3 /)]);
    expect((await readText(two, { deployment: 'other' })).resources).toHaveLength(1);
    const spaced = two.replaceAll('name: viewer }\nspec', 'name: viewer, namespace: n }\nspec');
    expect((await readText(spaced, { deployment: 'n/main' })).resources.map((one) => one.namespace)).toEqual(['n']);
    const dropped = two.replace('  deployment: { name: other }', '  other: 1\n  deployment: { name: other }');
    expect((await readText(dropped, { deployment: 'main' })).findings).toEqual([]);
    expect((await readText(dropped, { deployment: 'other' })).findings).toHaveLength(1);
    await expect(readText(two, { deployment: 'none' })).rejects.toThrow(
      'f.yaml:5:3: no custom resource is for the deployment "none"; this one is for "main"',
    );
  });
});

test('a name that Kubernetes refuses is reported once, where it stands first', async () => {
  const names = shop.replaceAll('orders-reader', 'Orders_R');
  expect(await issuesOf(names)).toEqual([expect.stringMatching(/^3:19 must be lower-case letters/)]);
  const both = names.replaceAll('name: main', 'name: Main_DB').replaceAll('name: viewer }', 'name: Viewer }');
  expect((await issuesOf(both)).map((issue) => issue.split(' ')[0])).toEqual(['3:19', '5:23', '11:19']);
});

describe('a custom resource that is refused names line and column', () => {
  const one = (kind: string, spec: string) => documents([kind, 'x', spec]);

  test.each<[string, string, string | RegExp]>([
    ['an unknown kind', one('Polcy', ''), /^2:7 unknown kind \(did you mean "ArangoPermissionPolicy"\?\); accepted/],
    ['another version', shop.replace('v1alpha1', 'v1'), '1:13 expected permission.arangodb.com/v1alpha1'],
    ["a group that is not the operator's", shop.replace('permission.', 'permissions.'), /^1:13 expected permission\./],
    ['no name', shop.replace('name: orders-reader', 'generateName: o'), '3:11 the field "name" is missing'],
    ['a name', shop.replace('name: orders-reader', 'name: Orders_R'), /^3:19 must be lower-case letters/],
    [
      'no deployment',
      `${head}\nkind: ArangoPermissionRole\nmetadata: { name: x }\nspec: {}`,
      '4:7 the field "deployment" is missing',
    ],
    ['a deployment as text', shop.replace('{ name: main }', 'main'), '5:15 expected an object, got a string'],
    ['the name of a deployment', shop.replace('name: main', 'name: Main_DB'), /^5:23 must be lower-case letters/],
    ['no spec', `${head}\nkind: ArangoPermissionRole\nmetadata: { name: x }`, '1:1 the field "spec" is missing'],
    [
      'an effect',
      one('Policy', `policy: ${allow('a:b', '*').replace('Allow', 'allow')}`),
      '6:52 expected Allow or Deny, got "allow"',
    ],
    [
      'an action of three parts',
      one('Policy', `policy: ${allow('a:b:c', '*')}`),
      '6:69 must be "*" or "<namespace>:<name>"',
    ],
    ['an empty resource', one('Policy', `policy: ${allow('a:b', '')}`), /^6:89 must not be empty/],
    ['a policy without statements', one('Token', 'policy: {}'), '6:11 the field "statements" is missing'],
    [
      'both ways to name',
      one('PolicyRoleBinding', 'policy: { name: p }\nrole: { name: r, direct: r }'),
      '7:9 expected one of the fields name, direct',
    ],
    [
      'no way to name',
      one('PolicyRoleBinding', 'policy: {}\nrole: { name: r }'),
      '6:11 expected one of the fields name, direct',
    ],
    [
      'the super-admin',
      one('PolicyRoleBinding', 'policy: { name: p }\nrole: { direct: "managed:predefined:super-admin" }'),
      /^7:19 the operator does not bind/,
    ],
    [
      'a user as the super-admin',
      one('RoleUserBinding', bound('u', '{ direct: "managed:predefined:super-admin" }')),
      /^6:19 the operator does not bind/,
    ],
    ['no scope', one('RoleUserBinding', 'role: { name: r }\nuserName: u'), '5:3 the field "scope" is missing'],
    ['no user', one('RoleUserBinding', bound('""')), '7:13 must not be empty'],
    ['a user with a colon', one('RoleUserBinding', bound('"a:b"')), /^7:13 holds a ":"/],
    [
      'a scope around its policy',
      one('RoleUserBinding', bound('u', '{ name: r }', '{ policy: { statements: [] } }')),
      '8:10 the field "statements" is missing',
    ],
    ['a short ttl', one('Token', 'ttl: 10m'), '6:8 must be at least 15m'],
    ['a ttl', one('Token', 'ttl: soon'), /^6:8 expected a duration/],
    ['roles of the old form', one('Token', 'roles: [viewer]'), '6:11 expected an object, got a string'],
    [
      'a resource that is there twice',
      documents(role, role),
      /^10:13 the ArangoPermissionRole "viewer" is also in f\.yaml:3/,
    ],
    [
      'a binding that is there twice',
      documents(role, alice, ['RoleUserBinding', 'b', bound('alice')]),
      /the binding of user "alice" to role "viewer" is also in f\.yaml:/,
    ],
    ['a file of permissions among them', `${shop}\n---\nroles: {}`, /^8:1 holds more than one document/],
    ['wrong YAML in a later document', `${shop}\n---\nspec: {`, /^33:8 /],
    [
      'a key that is there twice in a later document',
      `${shop}\n---\nkind: a\nkind: b`,
      '34:1 the key "kind" is there twice',
    ],
    [
      '101 aliases in two documents',
      `${head}\nkind: &a x\nb: [${Array(51).fill('*a').join()}]\n---\nkind: &a x\nb: [${Array(50).fill('*a').join()}]`,
      /^6:\d+ the file has more than 100 aliases/,
    ],
    ['an anchor of another document', `kind: &a x\n---\nkind: *a`, '3:7 names an anchor that is not defined before it'],
  ])('%s', async (_, text, expected) => {
    const issues = await issuesOf(text);
    if (typeof expected === 'string') expect(issues).toContain(expected);
    else expect(issues).toContainEqual(expect.stringMatching(expected));
  });

  test('a name that a file of permissions has as well', async () => {
    const files = {
      'main.yaml': 'include: [operator.yaml]\nroles: { viewer: { policies: [] } }',
      'operator.yaml': shop,
    };
    const error = readPermissions('main.yaml', { read: reading(files) });
    await expect(error).rejects.toThrow('operator.yaml:11:13: the role "viewer" is also in main.yaml:2');
  });
});

describe('a trap is a finding with line and column', () => {
  const binding = (policy: string, role: string) =>
    documents(
      ['Policy', 'orders-reader', `policy: ${allow('a:b', '*')}`],
      ['Role', 'viewer', ''],
      ['PolicyRoleBinding', 'x', `policy: ${policy}\nrole: ${role}`],
    );

  test.each<[string, string, string]>([
    [
      'a direct policy by its name in the service',
      binding('{ direct: "managed:operator:orders-reader" }', '{ name: viewer }'),
      '19:21 is looked up as the name of an ArangoPermissionPolicy and never found; write name: orders-reader',
    ],
    [
      'a direct policy that no resource has',
      binding('{ direct: orders-raeder }', '{ name: viewer }'),
      '19:21 is looked up as the name of an ArangoPermissionPolicy and never found (did you mean "orders-reader"?)',
    ],
    [
      'a direct role that is not predefined',
      binding('{ name: orders-reader }', '{ direct: viewer }'),
      '20:19 has no effect: policies are attached to direct roles of the platform only; use name',
    ],
    [
      'a predefined role that is not there',
      binding('{ name: orders-reader }', '{ direct: "managed:predefined:coredb-raeder" }'),
      '20:19 the platform has no role "managed:predefined:coredb-raeder" (did you mean "managed:predefined:coredb-reader"?)',
    ],
    [
      'a policy that is not in the files',
      binding('{ name: order-reader }', '{ name: viewer }'),
      '19:19 these files have no ArangoPermissionPolicy "order-reader" (did you mean "orders-reader"?)',
    ],
    ['a role that is not in the files', documents(alice), '6:17 these files have no ArangoPermissionRole "viewer"'],
    [
      'a changed userName',
      `${documents(role, alice)}\nstatus: { userRoleBinding: { name: bob }, role: { name: viewer } }`,
      '14:13 was "bob", whose binding to role "viewer" stays: remove it',
    ],
    [
      'a changed role of a user',
      `${documents(role, alice)}\nstatus: { userRoleBinding: { name: alice }, role: { name: editor } }`,
      '13:9 was "editor", and the user\'s binding to it stays: remove it',
    ],
    [
      'a token with roles',
      documents(['Token', 't', 'roles: [{ role: { name: viewer } }]']),
      '6:3 has no effect: the operator does not read the roles of a token',
    ],
    [
      'a token without a scope',
      documents(['Token', 't', `policy: ${allow('a:b', '*')}`]),
      '4:1 the token grants nothing, because it has no scope',
    ],
    [
      'a binding of the user of a token',
      documents(role, ['Token', 't', ''], ['RoleUserBinding', 'b', bound('operator-t-ab12cd')]),
      '20:13 is the user of the token "t": the operator removes the binding',
    ],
    [
      'a field that the API server drops',
      documents(['Role', 'viewer', 'policies: [orders-reader]']),
      '6:3 unknown field "policies"; accepted are deployment, description; the API server drops it',
    ],
  ])('%s', async (_, text, expected) => {
    expect(await findingsOf(text)).toEqual([expected]);
  });

  test('a direct policy that is never found is not attached, nor is any policy to a direct role', async () => {
    for (const text of [
      binding('{ direct: "managed:operator:orders-reader" }', '{ name: viewer }'),
      binding('{ name: orders-reader }', '{ direct: viewer }'),
    ]) {
      expect((await readText(text)).roles.get('viewer')?.policies).toEqual([]);
    }
    const found = await readText(binding('{ direct: orders-reader }', '{ name: viewer }'));
    expect([found.roles.get('viewer')?.policies, found.findings]).toEqual([['managed:operator:orders-reader'], []]);
  });

  test('a file without traps has no findings; others have theirs in the order of the files', async () => {
    expect(await findingsOf(shop)).toEqual([]);
    const both = documents(['Token', 't', 'roles: [{ role: { name: r } }]'], alice);
    expect((await findingsOf(both)).map((line) => line.split(':', 1)[0])).toEqual(['6', '13']);
  });
});
