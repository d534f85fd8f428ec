import { expect, test } from 'vitest';
import {
  adoptPermissions,
  answerWhoCan,
  explainAccess,
  exportPermissions,
  formatExplainedAccess,
  formatPlan,
  formatTests,
  formatWhoCan,
  type PermissionsState,
  plan,
  readTests,
  runTests,
} from '../../../src/permissions/index.ts';
import { scopeOf } from '../../../src/policy/analysis/index.ts';
import { samePolicy } from '../../../src/policy/index.ts';
import { issuesOf, reading, readText } from '../support/files.ts';

const head = `
policies: { reading: { statements: [{ effect: Allow, actions: ["db:Read"], resources: ["*"] }] } }
`;
const file = `${head}
scopes:
  orders: { collections: [shop/orders] }
roles:
  reader: { policies: [reading], scope: { database: bank } }
bindings:
  - { user: ada, role: reader, scope: { database: shop } }
  - { user: bob, role: reader, scope: { database: shop } }
  - { user: eve, role: reader, scope: orders }
  - user: root
    role: reader
    scope: { database: shop, admin: true }
groupBindings:
  - { group: staff, role: reader, scope: { pattern: "db:collection:shop:log-*" } }
`;
const empty: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' };

test('a scope in words stands wherever a scope may, and is the one of scopeOf', async () => {
  const { scopes, roles, bindings, groupBindings = [] } = await readText(file);
  const found = [
    scopes.get('orders'),
    roles.get('reader')?.scope,
    ...[...bindings, ...groupBindings].map((one) => one.scope),
  ];
  const expected = [
    { collections: ['shop/orders'] },
    { database: 'bank' },
    { database: 'shop' },
    { database: 'shop' },
    { collections: ['shop/orders'] },
    { database: 'shop', admin: true },
    { pattern: 'db:collection:shop:log-*' },
  ];
  expect(expected.map((request, i) => samePolicy(found[i], scopeOf(request)))).toEqual(expected.map(() => true));
  expect(found).toHaveLength(expected.length);
});

test('exports write scopes in words, which read back to the same state, as YAML and as JSON', async () => {
  const state = await readText(file);
  for (const as of ['yaml', 'json'] as const) {
    const { text } = exportPermissions({ ...state, users: 'all' }, { as });
    const again = await readText(text);
    expect([again.bindings, again.groupBindings, again.roles]).toEqual([
      state.bindings,
      state.groupBindings,
      state.roles,
    ]);
    if (as === 'json') continue;
    expect(text).toContain('- { user: ada, role: reader, scope: { database: shop } }\n');
    expect(text).toContain('scope: { database: shop, admin: true } }\n');
    expect(text).toContain('scope: { pattern: "db:collection:shop:log-*" } }\n');
    expect(text).not.toContain('scopes:');
    expect(plan({ ...state, users: 'all' }, again).changes).toEqual([]);
  }
});

test('adopted bindings have their scope in words, or the name that the file gives to it', async () => {
  const state = await readText(file);
  const text = 'scopes:\n  the-shop: { database: shop }\nroles: { other: { policies: [] } }\n';
  const adopted = await adoptPermissions('f.yaml', state, { read: reading({ 'f.yaml': text }) });
  expect(adopted.text).toContain('- { user: ada, role: reader, scope: the-shop }\n');
  expect(adopted.text).toContain('- { user: eve, role: reader, scope: { collections: ["shop/orders"] } }\n');
  expect((await readText(adopted.text)).bindings).toEqual(state.bindings);
});

test.each([
  [
    '{ databse: shop }',
    '5 unknown field "databse" (did you mean "database"?); accepted are database, admin, collections',
  ],
  ['{ database: shop, admn: true }', '21 unknown field "admn" (did you mean "admin"?); accepted are database'],
  ['{ statments: [] }', '5 unknown field "statments" (did you mean "statements"?); accepted are'],
  ['{ datastore: shop }', '5 unknown field "datastore"'],
  ['{ database: "a:b" }', '15 must not hold ":", "*" or "/"; see pattern'],
  ['{ database: 7 }', '15 expected a string, got a number'],
  [
    '{ database: shop, pattern: "*" }',
    '3 expected one of database, collections, views, graphs, analyzers, pattern, everything',
  ],
  ['{ views: [shop/v], admin: true }', '3 expected admin only with database'],
  ['{ graphs: [shop] }', '14 expected "<database>/<name>"'],
  ['{ collections: [] }', '3 collections: expected at least one'],
  ['{ pattern: "*x*" }', '14 has the segment "*x*"'],
  ['{ everything: false }', '17 expected true, got a boolean'],
])('%s is refused at its place', async (scope, problem) => {
  const start = '- { user: ada, role: reader, scope: '.length;
  const [column = '', ...message] = problem.split(' ');
  const binding = await issuesOf(`bindings:\n- { user: ada, role: reader, scope: ${scope} }\n`);
  expect(binding).toContainEqual(expect.stringContaining(`2:${Number(column) - 2 + start} ${message.join(' ')}`));
  expect(binding).toHaveLength(scope.includes('statments') ? 2 : 1);
  const named = await issuesOf(`scopes:\n  s: ${scope}\n`);
  expect(named).toContainEqual(expect.stringContaining(message.join(' ')));
});

test('plans, explanations and answers show the words', async () => {
  const state = await readText(file);
  const shown = formatPlan(plan(empty, state), 'details');
  expect(shown).toContain('+ binding of user "ada" to role "reader": is missing\n      + scope: database shop\n');
  expect(shown).toContain('+ scope: database bank\n');
  expect(shown).toContain('+ scope: database shop and admin actions\n');
  expect(shown).not.toContain('Allow * on');
  const moved = file.replace(
    'user: ada, role: reader, scope: { database: shop }',
    'user: ada, role: reader, scope: { database: bank }',
  );
  expect(formatPlan(plan({ ...state, users: 'all' }, await readText(moved)), 'details')).toContain(
    '      - scope: database shop\n      + scope: database bank\n',
  );
  const explain = (resource: string) =>
    formatExplainedAccess(explainAccess(state, { user: 'ada', action: 'db:Read', resource })).split('\n');
  expect(explain('db:database:shop').slice(1, 3)).toEqual([
    '- bound to role "reader" (database shop): allows',
    '    policy "reading" statement 1: Allow db:Read on *',
  ]);
  expect(explain('db:database:bank')[1]).toBe('- bound to role "reader" (database shop): outside the scope');
  const who = (resource: string) => formatWhoCan(answerWhoCan(state, { action: 'db:Read', resource })).split('\n');
  expect(who('db:view:shop:v')).toContain('2 users: "ada", "bob"');
  expect(who('db:view:shop:v')).toContain('    by role "reader", policy "reading" statement 1 (database shop)');
  expect(who('db:collection:shop:log-1')).toContain(
    '    by role "reader", policy "reading" statement 1 (pattern db:collection:shop:log-*)',
  );
});

test('tests of permissions add bindings whose scope is in words', async () => {
  const state = await readText(`${head}roles: { reader: { policies: [reading] } }\n`);
  const tests = `
given: [{ user: ada, role: reader, scope: { database: shop } }]
expect:
  - { user: ada, action: "db:Read", resource: "db:database:shop", effect: Allow }
  - { user: ada, action: "db:Read", resource: "db:database:bank", effect: Deny }
`;
  const report = runTests(state, [await readTests('t.yaml', { read: reading({ 't.yaml': tests }) })]);
  expect(formatTests(report)).toContain('2 passed, 0 failed');
});
