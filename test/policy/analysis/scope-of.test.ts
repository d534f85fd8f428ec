import { expect, test } from 'vitest';
import { describeScope, requestOf, type ScopeRequest, scopeOf } from '../../../src/policy/analysis/catalog/scope-of.ts';
import { createEvaluator } from '../../../src/policy/index.ts';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** The questions that a scope allows to a role that may do everything, of those given as `action resource`. */
function allowedBy(request: ScopeRequest, questions: readonly string[], fidelity: 'documented' | 'sidecar') {
  const state = {
    policies: { all: everything },
    roles: { admin: { policies: ['all'] } },
    bindings: [{ user: 'ada', role: 'admin', scope: scopeOf(request) }],
  };
  const evaluator = createEvaluator(state, { fidelity });
  return questions.filter((question) => {
    const [action = '', resource = ''] = question.split(' ');
    return evaluator.evaluate({ user: 'ada', action, resource }).allowed;
  });
}

const base = ['db:UseApiVersion db:apiversion:v1', 'db:Read db:database:_system', 'db:Read db:collection:_system:_x'];
const inShop = ['db:Drop db:database:shop', 'db:WriteData db:collection:shop:orders', 'db:Read db:graph:shop:g'];
const others = ['db:Read db:database:shop2', 'db:Read db:collection:bank:orders', 'db:AdminShutdown '];

test.each(['documented', 'sidecar'] as const)('scopes allow what they name and no more: %s', (fidelity) => {
  const ask = (request: ScopeRequest) => allowedBy(request, [...base, ...inShop, ...others], fidelity);
  expect(ask({ database: 'shop' })).toEqual([...base, ...inShop]);
  expect(ask({ database: 'shop', admin: true })).toEqual([...base, ...inShop, 'db:AdminShutdown ']);
  expect(ask({ collections: ['shop/orders'] })).toEqual([...base, inShop[1]]);
  expect(ask({ graphs: ['shop/g', 'shop/h'] })).toEqual([...base, inShop[2]]);
  expect(ask({ pattern: 'db:collection:bank:*' })).toEqual([...base, others[1]]);
  expect(ask({ everything: true })).toEqual([...base, ...inShop, ...others]);
  expect(allowedBy({ collections: ['shop/orders'] }, ['db:Read db:database:shop'], fidelity)).toHaveLength(1);
});

const requests: readonly (readonly [ScopeRequest, string])[] = [
  [{ database: 'shop' }, 'database shop'],
  [{ database: 'shop', admin: true }, 'database shop with admin actions'],
  [{ collections: ['shop/orders', 'bank/log'] }, 'collections shop/orders, bank/log'],
  [{ views: ['shop/v'] }, 'views shop/v'],
  [{ analyzers: ['shop/a'] }, 'analyzers shop/a'],
  [{ pattern: 'db:collection:shop:log-*' }, 'pattern db:collection:shop:log-*'],
  [{ everything: true }, 'everything'],
];

test.each(requests)('%o is read back from its scope', (request, words) => {
  expect([requestOf(scopeOf(request)), describeScope(scopeOf(request))]).toEqual([request, words]);
});

test.each([
  [{ statements: [] }],
  [{ statements: [{ effect: 'Deny', actions: ['*'], resources: ['*'] }] }],
  [{ statements: [...scopeOf({ database: 'shop' }).statements, ...scopeOf({ database: 'bank' }).statements] }],
  [{ statements: [{ ...scopeOf({ database: 'shop' }).statements[0], resources: ['db:database:shop'] }] }],
])('a scope of another form has no words: %#', (scope) => {
  expect(describeScope(scope as never)).toBeUndefined();
});

test.each([
  [{}, 'request: expected one of database, collections, views, graphs, analyzers, pattern, everything, got none'],
  [{ database: 'a', pattern: 'b' }, 'got database, pattern'],
  [{ database: 'a:b' }, 'database: must not hold ":" or "*"'],
  [{ database: '*' }, 'database: must not hold'],
  [{ collections: ['orders'] }, 'expected "<database>/<name>"'],
  [{ collections: [] }, 'collections: expected at least one'],
  [{ pattern: 'db:x*y' }, 'pattern'],
  [{ collections: ['a/b'], admin: true }, 'admin: expected none without database'],
  [{ databse: 'shop' }, 'databse'],
])('%j is refused', (request, message) => {
  expect(() => scopeOf(request as ScopeRequest)).toThrow(message);
});
