import { describe, expect, test } from 'vitest';
import type { RequestRow } from '../../src/console/api.js';
import { filterRows, readFilter } from '../../src/console/page/requests/filter-rows.js';
import { containing } from '../../src/console/page/ui/words.js';

const row = (id: number, fields: Partial<RequestRow>): RequestRow => ({
  id,
  time: '2026-11-20T12:00:00.000Z',
  method: 'GET',
  path: '/_api/version',
  query: '',
  user: null,
  status: 200,
  decision: null,
  items: [],
  itemCount: 0,
  console: false,
  ...fields,
});

const rows = [
  row(5, {
    method: 'POST',
    path: '/evaluate',
    decision: 'Deny',
    user: 'alice',
    items: [decided('orders:write', 'o-7')],
  }),
  row(4, { method: 'POST', path: '/evaluate', decision: 'Allow', user: 'bob', items: [decided('orders:read', 'o-7')] }),
  row(3, { status: 404, query: 'Details=true' }),
  row(2, { status: 503 }),
  row(1, { status: 0, user: 'alice' }),
];

function decided(action: string, resource: string): RequestRow['items'][number] {
  return { action, resource, effect: 'Allow' };
}

test.each([
  ['nothing', {}, [5, 4, 3, 2, 1]],
  ['text in an action', { text: 'orders:WRITE' }, [5]],
  ['text in a resource', { text: 'o-7' }, [5, 4]],
  ['text in a query, in any case', { text: ' details ' }, [3]],
  ['text in a user', { text: 'alice' }, [5, 1]],
  ['a method', { method: 'POST' }, [5, 4]],
  ['a class of status', { status: '4xx' }, [3]],
  ['a status', { status: '503' }, [2]],
  ['dropped connections', { status: 'dropped' }, [1]],
  ['a user', { user: 'alice' }, [5, 1]],
  ['a decision', { decision: 'Deny' }, [5]],
  ['several at once', { user: 'alice', decision: 'Deny', method: 'POST' }, [5]],
  ['a filter that nothing passes', { status: '2xx', text: 'zzz' }, []],
])('filters the log by %s', (_, filters, expected) => {
  expect(filterRows(rows, readFilter(filters)).map(({ id }) => id)).toEqual(expected);
});

test('the log without filters is the same list, so that nothing is rendered anew', () => {
  expect(filterRows(rows, readFilter({}))).toBe(rows);
});

describe('accents do not matter', () => {
  // "Lucía" with one character for the letter and its accent, and with two.
  const [composed, separate] = ['Luc\u00eda', 'Luci\u0301a'];

  test.each(['lucia', composed, separate, 'LUCIA'])('in a list that is searched for %s', (text) => {
    const names = [composed, separate, 'Lucia', 'Luca', '中文'];
    expect(containing(names, text, (name) => name)).toEqual([composed, separate, 'Lucia']);
  });

  test.each([composed, separate])('in the log of requests of user %s', (user) => {
    expect(filterRows([row(1, { user }), row(2, {})], readFilter({ text: 'lucia' })).map(({ id }) => id)).toEqual([1]);
  });
});
