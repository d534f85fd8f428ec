import { expect, test } from 'vitest';
import { createEvaluator, explain, lint, type PolicyState } from '../../../src/policy/index.ts';
import { everything } from '../support/arbitrary.ts';

const reader = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } as const;
const state: PolicyState = {
  policies: { reader },
  roles: { viewer: { policies: ['reader'] } },
  groupBindings: [{ group: 'dev', role: 'viewer', scope: everything }],
};
const rulesOf = (given: PolicyState) => lint(given).map(({ rule, path }) => `${rule} ${path.join('.')}`);

test('a role that only a group has is used', () => {
  expect(rulesOf(state)).toEqual([]);
  expect(rulesOf({ ...state, groupBindings: [] })).toEqual(['unused-role roles.viewer']);
});

test('bindings of groups have the mistakes of those of users, at their own places', () => {
  const groupBindings = [
    { group: 'dev:web', role: 'viewer', scope: everything },
    { group: 'ops', role: 'vewer', scope: everything },
    { group: 'ops', role: 'viewer' },
    { group: 'dev', role: 'web:viewer', scope: everything },
    { group: '', role: 'viewer', scope: everything },
  ];
  const roles = { ...state.roles, 'web:viewer': { policies: ['reader'] } };
  const found = lint({ ...state, roles, groupBindings });
  expect(found.map(({ rule, path }) => `${rule} ${path.join('.')}`)).toEqual([
    'invalid groupBindings.4.group',
    'colon-in-user groupBindings.0.group',
    'missing-role groupBindings.1.role',
    'no-scope groupBindings.2',
    'shared-binding groupBindings.0',
    'same-binding-name groupBindings.3',
    'shared-binding groupBindings.3',
  ]);
  expect(found.find(({ rule }) => rule === 'shared-binding')?.message).toContain('to group "dev", too');
});

test('two scopes of a group and a role are not reported, because both count', () => {
  const narrow = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['orders:*'] }] } as const;
  const groupBindings = [
    { group: 'dev', role: 'viewer', scope: everything },
    { group: 'dev:web', role: 'viewer', scope: narrow },
  ];
  const twice = { ...state, groupBindings };
  expect(rulesOf(twice)).not.toContain('two-scopes groupBindings.1');
  const users = groupBindings.map(({ group, ...rest }) => ({ user: group, ...rest }));
  expect(rulesOf({ ...state, groupBindings: [], bindings: users })).toContain('two-scopes bindings.1');
});

test('a role that may create tokens reaches every group, if there are groups', () => {
  const mint = { statements: [{ effect: 'Allow', actions: ['authentication:*'], resources: ['alice'] }] } as const;
  const deny = { statements: [{ ...mint.statements[0], effect: 'Deny' }] } as const;
  const minting: PolicyState = {
    ...state,
    policies: { reader, mint, deny },
    roles: { ...state.roles, minter: { policies: ['reader', 'mint'] }, denied: { policies: ['deny'] } },
    bindings: ['minter', 'denied'].map((role) => ({ user: 'svc', role, scope: everything })),
  };
  const found = lint(minting).filter(({ rule }) => rule === 'reaches-groups');
  expect(found).toEqual([
    {
      rule: 'reaches-groups',
      path: ['roles', 'minter'],
      message: 'may create tokens by policy "mint": it can reach every group',
    },
  ]);
  expect(rulesOf({ ...minting, groupBindings: [] }).join()).not.toContain('reaches-groups');
  expect(lint(minting, { rules: { 'reaches-groups': 'off' } }).map(({ rule }) => rule)).not.toContain('reaches-groups');
});

test('a role that denies what it allows to create reaches no group', () => {
  const roleOf = (...resources: string[]): PolicyState => ({
    ...state,
    policies: {
      mint: {
        statements: [
          { effect: 'Allow', actions: ['authentication:*'], resources: ['svc:*'] },
          { effect: 'Deny', actions: ['authentication:Create*'], resources },
        ],
      },
    },
    roles: { viewer: { policies: ['mint'] } },
  });
  expect(rulesOf(roleOf('svc:*')).join()).not.toContain('reaches-groups');
  expect(rulesOf(roleOf('*')).join()).not.toContain('reaches-groups');
  expect(rulesOf(roleOf('svc:a')).join()).toContain('reaches-groups roles.viewer');
});

test('catalogs check the scopes of groups, and name the group', () => {
  const catalog = {
    name: 'Orders',
    actions: [{ action: 'orders:read', resources: ['order:*'] }],
    needs: [{ action: 'orders:list', resource: 'orders', because: 'the page lists first' }],
  };
  const scope = {
    statements: [{ effect: 'Allow', actions: ['orders:raed', 'orders:read'], resources: ['*'] }],
  } as const;
  const found = lint(
    { ...state, groupBindings: [{ group: 'dev', role: 'viewer', scope }] },
    { catalog: catalog as never },
  );
  const places = found.map(({ rule, path }) => `${rule} ${path.join('.')}`);
  expect(places).toContain('unknown-action groupBindings.0.scope.statements.0.actions.0');
  expect(found.find(({ rule }) => rule === 'missing-action')?.message).toContain('group "dev" has actions of Orders');
});

test('a role of a user that is named like the binding of a group hides it', () => {
  const roles = { ...state.roles, 'dev:viewer': { policies: ['reader'] }, 'dev:other': { policies: ['reader'] } };
  const bindings = ['dev:other', 'dev:viewer'].map((role) => ({ user: 'bob', role, scope: everything }));
  const found = lint({ ...state, roles, bindings }).filter(({ rule }) => rule === 'hides-group');
  expect(found.map(({ path }) => path)).toEqual([['bindings', 1]]);
  expect(found[0]?.message).toContain('hides what group "dev" has by role "viewer" from user "bob"');
  const hidden = createEvaluator({ ...state, roles, bindings }, { fidelity: 'sidecar' });
  expect(
    explain(hidden, { user: 'bob', roles: ['dev'], action: 'orders:read', resource: 'o' }).considered.at(-1),
  ).toMatchObject({
    outcome: 'hidden',
  });
});
