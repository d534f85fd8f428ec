import { describe, expect, test } from 'vitest';
import { catalog, defineCatalog } from '../../../src/policy/analysis/index.ts';
import {
  formatPath,
  type LintOptions,
  type LintRule,
  lint,
  type Policy,
  type PolicyState,
} from '../../../src/policy/index.ts';
import { everywhere, policy } from '../support/fixtures.ts';

const grant = (actions: string[], ...resources: string[]) => ({ effect: 'Allow' as const, actions, resources });
const needed = [grant(['db:UseApiVersion'], '*'), grant(['db:Read'], 'db:database:*')];
const stateOf = (role: Policy, scope: Policy = everywhere): PolicyState => ({
  policies: { p: role },
  roles: { r: { policies: ['p'] } },
  bindings: [{ user: 'u', role: 'r', scope }],
});
const orders = defineCatalog({
  name: 'orders',
  source: '1',
  actions: { 'orders:read': { description: 'Reads.', resources: ['order:*'] } },
});

/** The findings of the rules about catalogs as lines. */
function find(state: PolicyState, options: LintOptions = { catalog: catalog.database }): string[] {
  const rules: LintRule[] = ['unknown-action', 'unasked-resource', 'unreached-action', 'missing-action', 'unscoped'];
  return lint(state, options)
    .filter(({ rule }) => rules.includes(rule))
    .map(({ rule, path, message }) => `${rule} ${formatPath(path)}: ${message}`);
}

test('upstream role sets are clean, with and without the other catalogs', () => {
  const data = ['db:database:*', 'db:collection:*:*', 'db:view:*:*', 'db:analyzer:*:*', 'db:graph:*:*'];
  const developer = policy(
    grant(['db:UseApiVersion'], '*'),
    grant(['db:Read', 'db:WriteData', 'db:WriteMeta', 'db:Create', 'db:Drop'], ...data),
    grant(['db:Admin*'], '*'),
    grant(['orders:read'], 'order:*'),
    grant(['rbac:GetPolicy', 'invoices:read'], 'invoice:*'),
  );
  for (const all of [catalog.database, [catalog.database, catalog.integration, orders]]) {
    expect(find(stateOf(developer), { catalog: all })).toEqual([]);
  }
  expect(find(stateOf(policy(grant(['*'], '*'))))).toEqual([]);
  expect(find(stateOf(policy(grant(['*'], 'order:*'))))).toEqual([]);
  expect(find(stateOf(developer), {})).toEqual([]);
});

describe('actions', () => {
  test('unknown and misspelt actions are found, with the nearest known one', () => {
    const role = policy(...needed, grant(['db:Raed', 'db:read', 'bd:Read', 'db:Fly', 'db:Admni*', 'x:y', 'a:*'], '*'));
    expect(find(stateOf(role))).toEqual([
      'unknown-action policies.p.statements[2].actions[0]: no catalog has "db:Raed"; the nearest is "db:Read"',
      'unknown-action policies.p.statements[2].actions[1]: no catalog has "db:read"; the nearest is "db:Read"',
      'unknown-action policies.p.statements[2].actions[2]: no catalog has "bd:Read"; the nearest is "db:Read"',
      'unknown-action policies.p.statements[2].actions[3]: no catalog has "db:Fly"',
      'unknown-action policies.p.statements[2].actions[4]: no catalog has "db:Admni*"',
    ]);
  });

  test('of other services are not reported, even if a name is similar', () => {
    const others = ['web:Read', 'doc:Drop', 'job:Create', 'data:Read', 'mesh:GetKey', 'hub:Create'];
    expect(find(stateOf(policy(...needed, grant(others, 'x:*'))))).toEqual([]);
    expect(find(stateOf(policy(...needed, grant(['dbs:Read', 'DB:Read'], 'x:*'))))).toHaveLength(2);
  });

  test('in scopes are checked, too', () => {
    const scope = policy(...everywhere.statements, grant(['db:Rad'], '*'));
    expect(find({ ...stateOf(policy(...needed), scope), roles: { r: { policies: ['p'], scope } } })).toEqual([
      'unknown-action roles.r.scope.statements[1].actions[0]: no catalog has "db:Rad"; the nearest is "db:Read"',
      'unknown-action bindings[0].scope.statements[1].actions[0]: no catalog has "db:Rad"; the nearest is "db:Read"',
    ]);
  });
});

describe('resources', () => {
  test('that never occur are found', () => {
    const role = policy(...needed, grant(['db:Read', 'db:WriteData'], 'db:databse:shop', 'db:collection:shop:*'));
    expect(find(stateOf(role))).toEqual([
      'unasked-resource policies.p.statements[2].resources[0]: no action here applies to "db:databse:shop", ' +
        'but to "db:database:*", "db:collection:*:*", "db:view:*:*" and others',
    ]);
  });

  test('admin actions have the resource "", which only "*" matches', () => {
    const role = policy(...needed, grant(['db:AdminShutdown', 'db:Read'], 'db:database:*'));
    expect(find(stateOf(role))).toEqual([
      'unreached-action policies.p.statements[2].actions[0]: "db:AdminShutdown" applies to the resource "" alone, ' +
        'which only "*" matches',
    ]);
  });

  test('a scope without "*" never grants an admin action', () => {
    const scope = policy(
      grant(['db:UseApiVersion'], '*'),
      grant(['*'], 'db:database:_system', 'db:database:x', 'db:collection:x:*'),
    );
    const role = policy(...needed, grant(['db:AdminBackup'], '*'));
    expect(find(stateOf(role, scope))).toEqual([
      'unreached-action bindings[0].scope: role "r" allows "db:AdminBackup", which applies to the resource "" alone, ' +
        'which only "*" matches: nothing in this scope matches that',
    ]);
    const own = policy(...scope.statements, grant(['db:AdminBackup'], '*'));
    expect(find(stateOf(role, own))).toEqual([]);
  });

  test('a "*" beside other resources unscopes everything', () => {
    const scope = policy(grant(['db:*'], 'db:database:x', '*'));
    expect(find(stateOf(policy(...needed), scope))).toEqual([
      'unscoped bindings[0].scope.statements[0].resources[1]: the "*" makes the other resources meaningless; give ' +
        'actions that need it a statement of their own',
    ]);
    expect(find(stateOf(policy(grant(['orders:read'], '*', 'order:7'))))).toEqual([]);
  });
});

describe('actions that each client of the database needs', () => {
  const [version, system] = needed as [(typeof needed)[0], (typeof needed)[1]];
  const user = (at: string, need: string, because: string) =>
    `missing-action bindings[0].${at}: user "u" has actions of the database core, but not ${need}: ${because}`;
  const noVersion = [
    '"db:UseApiVersion" on "db:apiversion:*"',
    'the database asks for it before each request, so every request is denied',
  ] as const;
  const noSystem = [
    '"db:Read" on "db:database:_system"',
    'every client needs it for the handshake, wherever its data is',
  ] as const;
  const work = grant(['db:WriteData'], 'db:collection:shop:*');

  test('a role without them is found', () => {
    expect(find(stateOf(policy(work)))).toEqual([user('role', ...noVersion), user('role', ...noSystem)]);
    expect(find(stateOf(policy(work, version)))).toEqual([user('role', ...noSystem)]);
    expect(find(stateOf(policy(work, version, system)))).toEqual([]);
  });

  test('a scope without them is found', () => {
    const scope = policy(grant(['*'], 'db:database:shop', 'db:collection:shop:*'));
    expect(find(stateOf(policy(work, ...needed), scope))).toEqual([
      user('scope', ...noVersion),
      user('scope', ...noSystem),
    ]);
    const wider = policy(...scope.statements, grant(['*'], 'db:apiversion:v1', 'db:database:_system'));
    expect(find(stateOf(policy(work, ...needed), wider))).toEqual([]);
  });

  test('another role of the user may have them', () => {
    const state: PolicyState = {
      policies: { p: policy(work), base: policy(...needed) },
      roles: { r: { policies: ['p'] }, base: { policies: ['base'] } },
      bindings: ['r', 'base'].map((role) => ({ user: 'u', role, scope: everywhere })),
    };
    expect(find(state)).toEqual([]);
  });

  test('a role without users and a policy without roles are checked, too', () => {
    const lines = find({
      policies: { p: policy(work, system), q: policy(work, version) },
      roles: { r: { policies: ['q'] } },
    });
    expect(lines).toEqual([
      `missing-action policies.p: policy "p" has actions of the database core, but not ${noVersion.join(': ')}`,
      `missing-action roles.r: role "r" has actions of the database core, but not ${noSystem.join(': ')}`,
    ]);
  });
});

test('rules can be turned off', () => {
  const state: PolicyState = { roles: { r: { policies: ['p'] } } };
  expect(lint(state).map(({ rule }) => rule)).toEqual(['missing-policy', 'unused-role']);
  expect(lint(state, { rules: { 'unused-role': 'off' } }).map(({ rule }) => rule)).toEqual(['missing-policy']);
  expect(lint(state, { rules: { 'unused-role': 'on' } })).toHaveLength(2);
});

test.each([
  [
    { rules: { 'unused-rule': 'off' } },
    'rules.unused-rule: unknown (did you mean "unused-role"?); accepted are invalid, ',
  ],
  [{ rules: { 'unused-role': 'warn' } }, 'rules.unused-role: expected one of on, off, got a string'],
  [{ rules: { 'unused-rol': 'off' } }, 'rules.unused-rol: unknown (did you mean "unused-role"?)'],
  [{ rules: null }, 'rules: expected an object, got null'],
  [{ rules: ['unused-role'] }, 'rules: expected an object, got a list'],
  [null, 'options: expected an object, got null'],
  [{ catalog: 'database' }, 'catalog: expected a catalog or a list of catalogs, got '],
  [{ catalog: [{ name: 'x', actions: ['a:b'] }] }, 'catalog: expected a catalog or a list of catalogs, got '],
  [
    { catalog: { name: 'x', actions: [{ action: 'a:b', resources: '*' }] } },
    'catalog: expected a catalog or a list of catalogs, got ',
  ],
  [
    { catalog: { name: 'x', actions: [], needs: [{ action: 'a:b' }] } },
    'catalog: expected a catalog or a list of catalogs, got ',
  ],
])('refuses the options %j', (options, message) => {
  expect(() => lint({}, options as never)).toThrow(message);
});

test('a large state takes seconds, not minutes', () => {
  const policies = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, i) => [
      `p${i}`,
      policy(...Array.from({ length: 20 }, (_, j) => grant(['db:Read'], `db:collection:d${i}:c${j}`))),
    ]),
  );
  const roles = Object.fromEntries(Object.keys(policies).map((name) => [name, { policies: [name] }]));
  const bindings = Array.from({ length: 10_000 }, (_, i) => ({
    user: `u${i}`,
    role: `p${i % 1_000}`,
    scope: everywhere,
  }));
  const started = process.cpuUsage();
  expect(lint({ policies, roles, bindings }, { catalog: catalog.database })).toHaveLength(1_000);
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000);
});
