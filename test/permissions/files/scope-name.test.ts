import { expect, test } from 'vitest';
import { scopeName } from '../../../src/permissions/files/scope-name.ts';
import type { Statement } from '../../../src/policy/index.ts';

const allow = (actions: string[], resources: string[]): Statement => ({ effect: 'Allow', actions, resources });
const deny = (actions: string[], resources: string[]): Statement => ({ effect: 'Deny', actions, resources });
const all = allow(['*'], ['*']);

test.each<[string, Statement[]]>([
  ['nowhere', []],
  ['nowhere', [deny(['*'], ['*'])]],
  ['nowhere', [allow([], ['*'])]],
  ['everywhere', [all]],
  ['orders', [allow(['*'], ['orders:*'])]],
  ['orders-and-invoices', [allow(['*'], ['orders:*', 'invoices:*'])]],
  ['orders-and-invoices', [allow(['*'], ['orders:*']), allow(['*'], ['invoices:*'])]],
  ['orders-and-2-more', [allow(['*'], ['orders:*', 'invoices:*', 'goods:7'])]],
  ['read', [allow(['*:read'], ['*'])]],
  ['read-on-orders', [allow(['*:read'], ['orders:*'])]],
  ['orders-and-everywhere', [allow(['*'], ['orders:*']), all]],
  ['everywhere-except-secrets', [all, deny(['*'], ['secrets:*'])]],
  ['everywhere-except-delete-on-orders', [all, deny(['*:delete'], ['orders:*'])]],
  ['others', [allow(['*'], ['заказы:*'])]],
  [
    'project-with-a-long-name-and-another-project-with-a-long-with-exceptions',
    [
      allow(['*'], ['project-with-a-long-name:*', 'another-project-with-a-long-name:*']),
      deny(['*:delete'], ['project-with-a-long-name:*']),
    ],
  ],
])('a scope is named by what it allows: %s', (name, statements) => {
  expect(scopeName({ statements })).toBe(name);
});
