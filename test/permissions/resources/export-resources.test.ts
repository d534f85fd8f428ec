import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { exportCustomResources, type PermissionsState } from '../../../src/permissions/index.ts';
import { normalizePolicy, type Policy } from '../../../src/policy/index.ts';
import { runsOf } from '../../support/thorough.ts';
import { readText } from '../support/files.ts';
import { namedStateArb } from '../support/names.ts';
import { answersOf, stateArb } from '../support/states.ts';

const options = { deployment: 'main' };
const allow = (action: string, description?: string): Policy => ({
  statements: [{ effect: 'Allow', actions: [action], resources: ['*'], ...(description && { description }) }],
  ...(description && { description }),
});
const bare = ({ statements }: Policy): Policy =>
  normalizePolicy({ statements: statements.map(({ description, ...rest }) => rest) });

const prefix = 'managed:operator:';
const renamed = (name: string) => (name.startsWith(prefix) ? name : prefix + name);

/** The state that the resources of a state make: without what was omitted and without descriptions. */
function expectedOf(state: PermissionsState, omitted: ReturnType<typeof exportCustomResources>['omitted']) {
  const isOmitted = (kind: string, key: string) =>
    omitted.some((one) => one.kind === kind && (one.name ?? JSON.stringify([one.user, one.role])) === key);
  return {
    policies: new Map(
      [...state.policies].flatMap(([name, policy]) =>
        isOmitted('policy', name) ? [] : [[renamed(name), bare(policy)] as const],
      ),
    ),
    roles: new Map(
      [...state.roles].flatMap(([name, { policies }]) =>
        isOmitted('role', name)
          ? []
          : [[name, { policies: [...new Set(policies.map(renamed))].sort(), scope: null, description: '' }] as const],
      ),
    ),
    bindings: new Map(
      state.bindings.flatMap(({ user, role, scope }) => {
        const key = JSON.stringify([user, role]);
        return isOmitted('binding', key) ? [] : [[key, bare(scope ?? { statements: [] })] as const];
      }),
    ),
  };
}

async function readBack(text: string) {
  const { policies, roles, bindings, findings } = await readText(text);
  const byKey = new Map(bindings.map(({ user, role, scope }) => [JSON.stringify([user, role]), scope]));
  return { state: { policies, roles, bindings: byKey }, findings };
}

describe('custom resources that were written', () => {
  test.each([
    ['with names of resources', stateArb],
    ['with any names', namedStateArb],
  ])('read back as the same state, but for what is named (%s)', async (_, states) => {
    await fc.assert(
      fc.asyncProperty(states, async (state) => {
        const { text, omitted } = exportCustomResources(state, options);
        const { state: found, findings } = await readBack(text);
        expect(found).toEqual(expectedOf(state, omitted));
        expect(findings).toEqual([]);
        // Nothing is left out in silence, and what was written is written again in the same way.
        expect(found.policies.size + found.roles.size + found.bindings.size + omitted.length).toBe(
          state.policies.size + state.roles.size + state.bindings.length,
        );
        const again = exportCustomResources(await readText(text), options);
        expect(again.omitted).toEqual([]);
        expect((await readBack(again.text)).state).toEqual(found);
      }),
      runsOf(150),
    );
  });

  test('decide as the state does', async () => {
    await fc.assert(
      fc.asyncProperty(stateArb, async (state) => {
        const { text, omitted } = exportCustomResources(state, options);
        fc.pre(omitted.length === 0);
        expect(answersOf(await readText(text))).toEqual(answersOf(state));
      }),
      runsOf(150),
    );
  });
});

const shop: PermissionsState = {
  policies: new Map([
    ['orders-reader', allow('orders:read', 'reads orders')],
    ['managed:operator:other', allow('other:read')],
  ]),
  roles: new Map([
    ['viewer', { policies: ['orders-reader', 'managed:operator:other'], description: 'views' }],
    ['managed:predefined:coredb-reader', { policies: ['managed:operator:other'] }],
    ['managed:predefined:ai-user', { policies: [] }],
  ]),
  bindings: [
    { user: 'alice@example.com', role: 'viewer', scope: allow('*') },
    { user: 'bob', role: 'managed:predefined:coredb-reader', scope: allow('*') },
  ],
  users: 'all',
};

describe('writing custom resources', () => {
  test('makes the kinds, references and names that the operator takes', () => {
    const { text, renamed, omitted } = exportCustomResources(shop, { ...options, namespace: 'shop' });
    // The cast: documents of YAML without errors have content.
    const resources = parseAllDocuments(text).map((one) => (one as { toJS(): unknown }).toJS()) as {
      readonly kind: string;
      readonly metadata: { readonly name: string; readonly namespace: string };
      readonly spec: object;
    }[];
    // Folders in repositories hold these names: a renamed resource is deleted and created.
    expect(resources.map(({ kind, metadata: { name } }) => `${kind.replace('ArangoPermission', '')} ${name}`)).toEqual([
      'Policy other',
      'Policy orders-reader',
      'PolicyRoleBinding managed-predefined-coredb-reader-3532ee67.other',
      'Role viewer',
      'PolicyRoleBinding viewer.other',
      'PolicyRoleBinding viewer.orders-reader',
      'RoleUserBinding alice-example-com-94a4b546.viewer',
      'RoleUserBinding bob.managed-predefined-coredb-reader-3532ee67',
    ]);
    expect(new Set(resources.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['shop']));
    expect(resources[1]).toMatchObject({
      apiVersion: 'permission.arangodb.com/v1alpha1',
      spec: { deployment: { name: 'main' }, policy: allow('orders:read', 'reads orders') },
    });
    expect(resources[2]?.spec).toMatchObject({ role: { direct: 'managed:predefined:coredb-reader' } });
    expect(resources[3]?.spec).toEqual({ deployment: { name: 'main' }, description: 'views' });
    expect(renamed).toEqual([{ from: 'orders-reader', to: 'managed:operator:orders-reader' }]);
    expect(omitted).toEqual([]);
  });

  test('is the same text for the same state in another order', () => {
    const turned = {
      ...shop,
      policies: new Map([...shop.policies].reverse()),
      roles: new Map([...shop.roles].reverse()),
      bindings: [...shop.bindings].reverse(),
    };
    expect(exportCustomResources(turned, options)).toEqual(exportCustomResources(shop, options));
  });

  test('names what custom resources cannot express, and leaves a role out as a whole', () => {
    const state: PermissionsState = {
      policies: new Map([
        ['Orders_Reader', allow('orders:read')],
        ['reader', allow('orders:read')],
        ['managed:operator:reader', allow('orders:*')],
        ['managed:operator:0-1:policy', allow('a:b')],
        ['managed:predefined:super-admin', allow('*')],
      ]),
      roles: new Map([
        ['Viewer', { policies: ['reader'] }],
        ['mixed', { policies: ['reader', 'Orders_Reader'] }],
        ['narrow', { policies: ['reader'], scope: allow('a:b') }],
        ['managed:operator:0-1', { policies: ['managed:operator:0-1:policy'] }],
        ['managed:predefined:super-admin', { policies: ['managed:predefined:super-admin'] }],
      ]),
      bindings: [
        { user: 'alice', role: 'mixed', scope: allow('*') },
        { user: 'operator-svc-ab12cd', role: 'managed:operator:0-1', scope: allow('*') },
        { user: 'root', role: 'managed:predefined:super-admin', scope: allow('*') },
      ],
      users: 'all',
    };
    const { omitted } = exportCustomResources(state, options);
    const name = /^must be lower-case letters/;
    expect(omitted.map(({ kind, name, user, reason }) => [kind, name ?? user, reason])).toEqual([
      ['policy', 'Orders_Reader', expect.stringMatching(name)],
      ['policy', 'managed:operator:0-1:policy', 'belongs to a token'],
      ['policy', 'managed:operator:reader', 'has the same resource as the policy "reader": rename one'],
      ['policy', 'managed:predefined:super-admin', 'belongs to the platform'],
      ['role', 'Viewer', expect.stringMatching(name)],
      ['role', 'managed:operator:0-1', 'belongs to a token'],
      ['role', 'managed:predefined:super-admin', 'belongs to the platform'],
      ['role', 'mixed', 'names the policy "Orders_Reader", which has no resource: write it in the file'],
      [
        'role',
        'narrow',
        'has a scope, which a custom resource cannot give to a role: narrow the bindings to the role instead',
      ],
      ['binding', 'alice', 'is to a role that is left out'],
      ['binding', 'operator-svc-ab12cd', 'belongs to a token'],
      ['binding', 'root', 'is to the role of the platform that custom resources cannot bind: use apply'],
    ]);
  });

  test.each([
    [{ deployment: 'Main' }, 'deployment: must be lower-case letters, digits and "-", at most 63 characters'],
    [{ deployment: undefined }, 'deployment: expected a string, got undefined'],
    [{ deployment: 'main', namespace: 'a.b' }, /^namespace: must be lower-case/],
  ])('refuses %j', (given, message) => {
    // @ts-expect-error -- one of them has no deployment
    expect(() => exportCustomResources(shop, given)).toThrow(message);
  });
});
