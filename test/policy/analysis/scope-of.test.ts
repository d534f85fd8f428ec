import { expect, test } from 'vitest';
import { scopeOf } from '../../../src/policy/analysis/catalog/scope-of.ts';
import { createEvaluator, normalizePolicy } from '../../../src/policy/index.ts';
import { describeScope, requestOf, type ScopeRequest } from '../../../src/policy/model/scope-forms.ts';

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

const requests: readonly (readonly [ScopeRequest, string | undefined])[] = [
  [{ database: 'shop' }, 'database shop'],
  [{ database: '_system' }, 'database _system'],
  [{ database: 'shop', admin: true }, 'database shop and admin actions'],
  [{ collections: ['bank/log', 'shop/orders'] }, 'collections bank/log, shop/orders'],
  [{ views: ['shop/v'] }, 'views shop/v'],
  [{ graphs: ['_system/g'] }, 'graphs _system/g'],
  [{ analyzers: ['shop/a'] }, 'analyzers shop/a'],
  [{ pattern: 'db:collection:shop:log-*' }, 'pattern db:collection:shop:log-*'],
  [{ everything: true }, undefined],
];

test.each(requests)('%o is read back from its scope, also as the services store it', (request, words) => {
  const scope = scopeOf(request);
  const stored = normalizePolicy({ statements: [...scope.statements].reverse() });
  for (const one of [scope, stored]) expect([requestOf(one), describeScope(one)]).toEqual([request, words]);
});

test.each([
  [{ statements: [] }],
  [{ statements: [{ effect: 'Deny', actions: ['*'], resources: ['*'] }] }],
  [{ statements: [...scopeOf({ database: 'shop' }).statements, ...scopeOf({ database: 'bank' }).statements] }],
  [{ statements: [{ ...scopeOf({ database: 'shop' }).statements[0], resources: ['db:database:shop'] }] }],
  [{ ...scopeOf({ database: 'shop' }), description: 'The shop' }],
  [{ statements: [{ ...scopeOf({ everything: true }).statements[0], resources: ['db:apiversion:*'] }] }],
])('a scope of another form has no words: %#', (scope) => {
  expect([requestOf(scope as never), describeScope(scope as never)]).toEqual([undefined, undefined]);
});

test.each([
  [{}, 'request: expected one of database, collections, views, graphs, analyzers, pattern, everything; got none'],
  [{ database: 'a', pattern: 'b' }, 'got database, pattern'],
  [{ database: 'a:b' }, 'database: must not hold ":", "*" or "/"'],
  [{ database: '*' }, 'database: must not hold'],
  [{ database: 'shop ' }, 'database: must not hold a control character or half a surrogate pair, nor begin or end'],
  [{ database: '\ud800' }, 'half a surrogate pair'],
  [{ views: ['shop/a\n'] }, 'views[0]: must not hold a control character'],
  [{ collections: ['orders'] }, 'expected "<database>/<name>"'],
  [{ collections: [] }, 'collections: expected at least one'],
  [{ pattern: 'db:*x*' }, 'pattern: has the segment "*x*" with "*" at both ends'],
  [{ collections: ['a/b'], admin: true }, 'expected admin only with database'],
  [{ databse: 'shop' }, 'databse'],
])('%j is refused', (request, message) => {
  expect(() => scopeOf(request as ScopeRequest)).toThrow(message);
});
