import { expect, test } from 'vitest';
import { explanationTree } from '../../src/console/answers/explanation-tree.js';
import { toHolders, toMatrix } from '../../src/console/answers/policy-views.js';
import { createEvaluator, type Policy } from '../../src/policy/index.js';

const allow = (action: string, ...resources: string[]): Policy => ({
  statements: [{ effect: 'Allow', actions: [action], resources }],
});
const deny = (action: string, ...resources: string[]): Policy => ({
  statements: [{ effect: 'Deny', actions: [action], resources }],
});
const all = allow('*', '*');

/** Users named by what they may read. */
const evaluator = createEvaluator({
  policies: {
    everything: all,
    orders: allow('orders:read', 'order:*'),
    'one-order': allow('orders:read', 'order:7'),
    halves: {
      statements: [...allow('orders:read', 'order:*').statements, ...deny('orders:read', 'order:9').statements],
    },
    other: allow('orders:write', 'order:7'),
  },
  roles: {
    everything: { policies: ['everything'] },
    orders: { policies: ['orders'] },
    one: { policies: ['one-order'] },
    halves: { policies: ['halves'] },
    other: { policies: ['other'] },
  },
  bindings: [
    { user: 'every', role: 'everything', scope: all },
    { user: 'scoped', role: 'everything', scope: allow('*', 'order:*') },
    { user: 'orders', role: 'orders', scope: all },
    { user: 'one', role: 'one', scope: all },
    { user: 'halves', role: 'halves', scope: all },
    { user: 'writer', role: 'other', scope: all },
    { user: 'outside', role: 'orders', scope: allow('*', 'order:8') },
    { user: 'unscoped', role: 'orders' },
  ],
});
const users = ['every', 'scoped', 'orders', 'one', 'halves', 'writer', 'nobody'];
const column = (resource: string) => {
  const { cells, granted } = toMatrix(evaluator, 1, { of: 'users', names: users, actions: ['orders:read'], resource });
  return { cells: cells.map(([cell]) => cell), granted: granted?.map(([text]) => text) };
};

test('without a resource a cell says if all, some or no resources are allowed, with the patterns', () => {
  expect(column('')).toEqual({
    cells: ['all', 'some', 'some', 'some', 'some', 'none', 'none'],
    granted: [
      'orders:read on *',
      'orders:read on order:*',
      'orders:read on order:*',
      'orders:read on order:7',
      'orders:read on order:*, except orders:read on order:9',
      '',
      '',
    ],
  });
});

test('a resource with a "*" is a pattern, and without one it is a single resource', () => {
  expect(column('order:*').cells).toEqual(['all', 'all', 'all', 'some', 'some', 'none', 'none']);
  expect(column('order:7*').cells).toEqual(['all', 'all', 'all', 'some', 'all', 'none', 'none']);
  expect(column('invoice:*').cells).toEqual(['all', 'none', 'none', 'none', 'none', 'none', 'none']);
  expect(column('order:9')).toEqual({
    cells: ['allow', 'allow', 'allow', 'deny', 'explicit-deny', 'deny', 'nothing'],
    granted: undefined,
  });
  expect(() => column('*x*')).toThrow(expect.objectContaining({ code: 'ANALYSIS' }));
});

test('lists who can do an action, on the whole resource and on a part', () => {
  expect(toHolders(evaluator, { action: 'orders:read', resource: 'order:7' })).toMatchObject({
    users: ['every', 'halves', 'one', 'orders', 'scoped'],
    partly: { users: [], roles: [] },
  });
  expect(toHolders(evaluator, { action: 'orders:read', resource: '' })).toMatchObject({
    users: ['every'],
    partly: { users: ['halves', 'one', 'orders', 'outside', 'scoped'] },
  });
  expect(toHolders(evaluator, { action: 'orders:erase', resource: 'order:7' }).users).toEqual(['every', 'scoped']);
});

test.each<[string, string, string, string, object | null]>([
  ['a resource', 'one', 'orders:read', 'order:8', { policy: 'one-order', index: 0, but: 'its resources are order:7' }],
  ['an action', 'writer', 'orders:read', 'order:7', { policy: 'other', but: 'its actions are orders:write' }],
  ['the scope', 'outside', 'orders:read', 'order:7', { policy: 'orders', but: 'it is outside the scope' }],
  ['a missing scope', 'unscoped', 'orders:read', 'order:7', { role: 'orders', but: 'the binding has no scope' }],
  ['a Deny', 'halves', 'orders:read', 'order:9', { policy: 'halves', but: 'policy "halves" denies it' }],
  ['two parts', 'writer', 'orders:read', 'order:8', null],
  ['resource and scope', 'outside', 'orders:read', 'invoice:7', null],
  ['no binding', 'nobody', 'orders:read', 'order:7', null],
  ['an empty action', 'every', '', 'order:7', null],
  ['nothing, as it is allowed', 'every', 'orders:read', 'order:7', null],
])('an explanation names what comes nearest to an Allow: %s', (_, user, action, resource, nearest) => {
  const tree = explanationTree(evaluator, { user }, { action, resource });
  if (nearest === null) expect(tree.nearest).toBeNull();
  else expect(tree.nearest).toMatchObject(nearest);
});

test.each([
  ['order:7', 'a role of the user has the name of this binding, and hides it'],
  // Two parts.
  ['invoice:7', undefined],
])('an explanation names what comes nearest to an Allow if a role hides a binding: %s', (resource, but) => {
  const state = {
    policies: { orders: allow('orders:read', 'order:*') },
    roles: { orders: { policies: ['orders'] }, 'dev:orders': { policies: [] } },
    bindings: [{ user: 'bob', role: 'dev:orders', scope: all }],
    groupBindings: [{ group: 'dev', role: 'orders', scope: all }],
  };
  const hiding = createEvaluator(state, { fidelity: 'sidecar' });
  const { nearest } = explanationTree(hiding, { user: 'bob', roles: ['dev'] }, { action: 'orders:read', resource });
  expect(nearest?.but).toBe(but);
});
