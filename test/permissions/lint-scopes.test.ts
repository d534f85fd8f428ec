import { expect, test } from 'vitest';
import { lintPermissions } from '../../src/permissions/index.ts';
import { catalog } from '../../src/policy/analysis/index.ts';
import { type LintRule, lint } from '../../src/policy/index.ts';
import { freshDeployment } from '../../src/policy/model/fresh-deployment.ts';

const reader = 'managed:predefined:coredb-reader';

/** The findings of a file with one binding, as `rule: message`. */
async function find(scope: string, binding = `user: ada, role: "${reader}"`, off: LintRule[] = ['empty-role']) {
  const rules = Object.fromEntries(off.map((rule) => [rule, 'off'] as const));
  const text = `bindings:\n  - { ${binding}, scope: ${scope} }\n`;
  const found = await lintPermissions('p.yaml', { read: () => text, catalog: catalog.database, rules });
  return found.map(({ rule, line, column, message }) => `${line}:${column} ${rule}: ${message}`);
}
const policy = (...resources: string[]) =>
  `{ statements: [{ effect: Allow, actions: ["*"], resources: ${JSON.stringify(resources)} }] }`;

test.each([
  '{ database: shop }',
  '{ database: shop, admin: true }',
  '{ collections: [shop/orders] }',
  '{ views: [shop/v] }',
  '{ pattern: "db:collection:shop:log-*" }',
  '{ everything: true }',
  policy('orders:*'),
])('%s has no trap', async (scope) => {
  expect(await find(scope)).toEqual([]);
});

test('a scope of a predefined role without db:UseApiVersion or without _system is found', async () => {
  const shop = ['db:database:shop', 'db:collection:shop:*'];
  expect(await find(policy('db:database:_system', ...shop))).toEqual([
    expect.stringMatching(/^2:\d+ missing-action: .*not "db:UseApiVersion" on "db:apiversion:\*"/),
  ]);
  expect(await find(policy('db:apiversion:*', ...shop))).toEqual([
    expect.stringMatching(/^2:\d+ missing-action: .*not "db:Read" on "db:database:_system"/),
  ]);
});

test('a predefined role grants nothing on the known versions', async () => {
  expect(await find('{ database: shop }', undefined, [])).toEqual([
    expect.stringMatching(/^2:\d+ empty-role: .*grants nothing$/),
  ]);
  const { policies, roles, bindings } = freshDeployment;
  const state = { policies, roles, bindings: [...bindings, { user: 'ada', role: reader, scope: { statements: [] } }] };
  const found = lint(state, { rules: { 'unused-role': 'off' } });
  expect(found).toEqual([
    { rule: 'empty-role', path: ['bindings', 1, 'role'], message: expect.stringContaining('grants nothing') },
  ]);
});

test.each([
  ['1.4.4', 'managed:predefined:coredb-reader', 'platform 1.4.4 lacks this role: the binding grants nothing'],
  ['1.4.4', 'managed:predefined:super-admin', 'platform 1.4.4 lacks this role: the binding grants nothing'],
  ['next', 'managed:predefined:coredb-reader', 'platform next gives this role no policies: the binding grants nothing'],
  ['next', 'managed:predefined:super-admin', undefined],
] as const)('on platform %s a binding of root to %s is judged by that version', async (platform, role, message) => {
  const text = `bindings: [{ user: root, role: "${role}", scope: { everything: true } }]`;
  const found = await lintPermissions('p.yaml', { read: () => text, platform, catalog: catalog.database });
  expect(found.filter(({ rule }) => rule === 'empty-role').map((finding) => finding.message)).toEqual(
    message === undefined ? [] : [message],
  );
});

test('super-admin is for root alone', async () => {
  const role = 'role: "managed:predefined:super-admin"';
  expect(await find('{ everything: true }', `user: root, ${role}`, [])).toEqual([]);
  expect(await find('{ everything: true }', `user: ada, ${role}`, [])).toEqual([
    expect.stringMatching(/^2:\d+ super-admin: may do everything/),
  ]);
  const scope = { statements: [] };
  const state = { groupBindings: [{ group: 'root', role: 'managed:predefined:super-admin', scope }] };
  expect(lint(state).map(({ rule }) => rule)).toContain('super-admin');
});

test.each(['db:databse:shop', 'db:table:shop:orders', 'db:collections:shop:*'])(
  '%s is of no type of the core',
  async (resource) => {
    const needed = ['db:apiversion:*', 'db:database:_system'];
    expect(await find(policy(...needed, resource))).toEqual([
      expect.stringContaining(`unasked-resource: no action of the catalog applies to "${resource}"`),
    ]);
    expect(await find(`{ pattern: "${resource}" }`)).toHaveLength(1);
  },
);

test('the role sets of the core are clean below a scope of a database', () => {
  const { source, ...sets } = catalog.roleSets;
  expect([source, Object.keys(sets)]).toEqual([expect.stringContaining('arangodb'), ['reader', 'developer', 'admin']]);
  for (const set of Object.values(sets)) {
    const state = { policies: { p: set }, roles: { r: { policies: ['p'] } } };
    expect(lint(state, { catalog: catalog.database, rules: { 'unused-role': 'off' } })).toEqual([]);
  }
});
