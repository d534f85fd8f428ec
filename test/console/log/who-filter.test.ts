import { expect, test } from 'vitest';
import type { Who } from '../../../src/console/page/log/reader-messages.js';
import { filtersOf, whoIn } from '../../../src/console/page/log/who-filter.js';

test.each<Who>([
  { kind: 'user', name: 'alice' },
  { kind: 'user', name: 'superuser' },
  { kind: 'hash', name: 'h1' },
  { kind: 'roles', name: 'clerk, auditor' },
  { kind: 'superuser', name: '' },
])('the address keeps %o', (who) => {
  expect(whoIn(filtersOf(who))).toEqual(who);
});

test('an address without a subject, or with an unknown kind, does not filter', () => {
  expect(whoIn(filtersOf(undefined))).toBeUndefined();
  expect(whoIn({})).toBeUndefined();
  expect(whoIn({ user: 'alice', as: 'constructor' })).toBeUndefined();
  expect(whoIn({ as: 'hash' })).toBeUndefined();
});
