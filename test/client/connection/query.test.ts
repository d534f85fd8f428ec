import { describe, expect, test } from 'vitest';
import type { Query } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { pathOf, routeEchoes, routeOf } from '../../support/transports.ts';

const rows: readonly (readonly [row: string, qs: Query | undefined, wire: string])[] = [
  ['{a: 1, b: true}', { a: 1, b: true }, '?a=1&b=true'],
  ["'x=1&y=2' is used unchanged", 'x=1&y=2', '?x=1&y=2'],
  ["'?x=1' gets one `?`", '?x=1', '?x=1'],
  ['a string with `?` inside keeps it', 'x=a?b', '?x=a?b'],
  ['a string with brackets, escapes and + is used unchanged', 'f[a]=%5B1%5D+2', '?f[a]=%5B1%5D+2'],
  ['characters that a URL cannot contain are encoded', 'x=ü 50%#y', '?x=%C3%BC%2050%25%23y'],
  ['{} adds no `?`', {}, ''],
  ["'' adds no `?`", '', ''],
  ["'?' adds no `?`", '?', ''],
  ['an absent query adds no `?`', undefined, ''],
  ['empty URLSearchParams add no `?`', new URLSearchParams(), ''],
  ['{a: undefined} is left out', { a: undefined, b: 1 }, '?b=1'],
  ['{a: null} is `a=`', { a: null }, '?a='],
  ["{a: ''} is `a=`", { a: '' }, '?a='],
  ['{a: [1, 2]} repeats the key', { a: [1, 2] }, '?a=1&a=2'],
  ['an array with null and undefined', { a: [null, undefined, 'x'] }, '?a=&a=x'],
  ['an empty array adds no pair', { a: [], b: 1 }, '?b=1'],
  ['a Date is ISO 8601', { at: new Date(0) }, '?at=1970-01-01T00%3A00%3A00.000Z'],
  ['a bigint is decimal', { n: 12345678901234567890n }, '?n=12345678901234567890'],
  ['negative, fractional and large numbers', { a: -1.5, b: 1e21 }, '?a=-1.5&b=1e%2B21'],
  ['names and values are encoded', { 'a&b=c': 'ü &=+#?/%' }, '?a%26b%3Dc=%C3%BC%20%26%3D%2B%23%3F%2F%25'],
  [
    'names like __proto__ and constructor are names',
    JSON.parse('{"__proto__":1,"constructor":2}'),
    '?__proto__=1&constructor=2',
  ],
  ['URLSearchParams keep repeated keys', new URLSearchParams('a=1&a=2&b=%20'), '?a=1&a=2&b=+'],
];

const refused: readonly (readonly [what: string, qs: unknown, field: string])[] = [
  ['a nested object', { a: { b: 1 } }, 'qs.a'],
  ['a nested array', { a: [[1]] }, 'qs.a'],
  ['a symbol', { a: Symbol('s') }, 'qs.a'],
  ['a function', { a: () => 1 }, 'qs.a'],
  ['NaN', { a: Number.NaN }, 'qs.a'],
  ['an invalid Date', { a: new Date(Number.NaN) }, 'qs.a'],
  ['a lone surrogate', { a: '\ud800' }, 'qs.a'],
  ['an array', [1], 'qs'],
  ['a Map', new Map([['a', 1]]), 'qs'],
  ['a Date', new Date(0), 'qs'],
  ['null', null, 'qs'],
  ['a number', 5, 'qs'],
  ['a function as a query', () => 1, 'qs'],
  ['a control character in a string', 'a=\n', 'qs'],
  [
    'a getter that throws',
    {
      get a() {
        throw new Error('canary');
      },
    },
    'arguments',
  ],
];

describe.each(routeEchoes)('Query string over $name', ({ open }) => {
  test.each(rows)('is sent as expected: %s', async (_row, qs, wire) => {
    const echo = await open();
    const base = pathOf(echo);
    const R = routeOf(echo, echo);
    await R.get('u', qs);
    await R.post('u', undefined, qs);
    await R.request({ path: 'u', qs });
    expect(echo.seen.map(({ target }) => target)).toEqual(Array(3).fill(`${base}/u${wire}`));
  });

  test.each(refused)('rejects %s, sends nothing', async (what, qs, field) => {
    const echo = await open();
    const base = pathOf(echo);
    const R = routeOf(echo, echo);
    // The casts: values that TypeScript would reject.
    const calls = [R.get('u', qs as Query), R.put('u', {}, qs as Query), R.request({ path: 'u', qs: qs as Query })];
    for (const call of calls) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field, path: base });
      expect(error.message, what).not.toContain('canary');
    }
    expect(echo.seen).toEqual([]);
  });

  test("neither changes nor keeps the caller's query objects", async () => {
    const echo = await open();
    const base = pathOf(echo);
    const R = routeOf(echo, echo);
    const params = new URLSearchParams('a=1');
    const list = [1];
    const object = { list };
    const calls = [R.get('u', params), R.get('u', object)];
    params.append('a', 'changed');
    list.push(2);
    await Promise.all(calls);
    expect(echo.seen.map(({ target }) => target).sort()).toEqual([`${base}/u?a=1`, `${base}/u?list=1`]);
    expect([params.toString(), object]).toEqual(['a=1&a=changed', { list: [1, 2] }]);
  });
});
