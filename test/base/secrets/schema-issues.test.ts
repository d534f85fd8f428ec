import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { showIssues } from '../../../src/base/secrets/schema-issues.ts';
import type { StandardSchema } from '../../../src/client/connection/schema.ts';
import { createClient } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

const unfit = 'does not fit';
const list = (length: number) => Array.from({ length }, () => 0);

/** The shown message of an issue at a path of a body. */
const shown = (body: unknown, path: readonly (string | number)[], message: string) =>
  showIssues([{ message, path }], body, (text) => text)[0]?.message;

test.each<[what: string, body: unknown, path: (string | number)[], message: string]>([
  ['a number', { n: 4711 }, ['n'], 'got 4711'],
  ['a number at the end of a sentence', { n: 4711 }, ['n'], 'It is 4711.'],
  ['a long number below', { a: [{ card: 40_001_234 }] }, [], 'got 40001234'],
  ['a text of eight characters', { t: 'abcdefgh' }, ['t'], 'got abcdefgh'],
  ['a nested text of eight characters', { a: [{ b: 'abcdefgh' }] }, [], 'got abcdefgh'],
  ['a long text in JSON notation', { t: 'abcdef"gh' }, ['t'], String.raw`got "abcdef\"gh"`],
  ['a short text in JSON notation', { t: 'a"b' }, ['t'], String.raw`got "a\"b"`],
  ['a short text in double quotes', { t: 'x' }, ['t'], 'expected a number, got "x"'],
  ['a short text in single quotes', { t: 'x' }, ['t'], "got 'x'"],
  ['a short text in backticks', { t: 'x' }, ['t'], 'got `x`'],
  ['a nested key of eight characters', { a: { innermost: 1 } }, [], 'innermost is too much'],
  ['a short key in double quotes', { ab: 1, cd: 2 }, [], 'unrecognized key "ab"'],
  ['a short key in single quotes', { ab: 1, cd: 2 }, [], "unrecognized key 'cd'"],
])('hides a message that quotes %s', (_, body, path, message) => {
  expect(shown(body, path, message)).toBe(unfit);
});

test.each<[what: string, body: unknown, path: (string | number)[], message: string]>([
  ['calls a missing value undefined', {}, ['n'], 'got undefined'],
  ['is about an empty value', { t: '' }, ['t'], 'must not be empty, not ""'],
  ['is about something below null', { n: null }, ['n', 'x'], 'got null'],
  ['is about something below a text', { t: 'text' }, ['t', 'length'], 'got 4'],
  ['is about an inherited property', {}, ['constructor', 'name'], 'got Object'],
  ['names null', { n: null }, ['n'], 'expected string, received null'],
  ['names a boolean', { flag: false }, ['flag'], 'got false'],
  ['has the letter of a value in a word', { t: 'x' }, ['t'], 'expected number, received string'],
  ['has a word of seven characters', { t: 'string!' }, ['t'], 'string! is not a number'],
  ['has the digit of a number in another one', { n: 7 }, ['n'], 'at least 17, 7.5 or x7'],
  ['has a short key without quotes', { ab: 1 }, [], 'absent'],
  ['has a list index', { a: list(1_001) }, [], 'at least 1000'],
])('shows a message that %s', (_, body, path, message) => {
  expect(shown(body, path, message)).toBe(message);
});

test('omits messages if there is too much to search', () => {
  expect(shown(list(5_001), [], 'too long')).toBe('too long');
  expect(shown(list(5_002), [], 'too long')).toBe(unfit);
});

test('hides a key that the filter would change, shows others; parts of a path may be objects', () => {
  const issues = [{ message: 'wrong', path: ['secret', 'plain', { key: 'inner' }, 3] }];
  const show = (text: string) => text.replace('secret', '');
  expect(showIssues(issues, {}, show)).toEqual([{ message: 'wrong', path: ['…', 'plain', 'inner', 3] }]);
  expect(showIssues([{ message: 'secret' }], {}, show)).toEqual([{ message: unfit, path: [] }]);
});

describe('rows[0].id', () => {
  const body = { rows: [{ id: 'x', 'x y': 1, note: 'canary-note' }] };
  const issue = async (schema: StandardSchema) => {
    const client = createClient({ url: 'http://a.test', fetch: async () => Response.json(body) });
    return (await failureOf(client.route('x').with({ schema }).get())).message.replace(/^.*unexpected body: /, '');
  };
  /** A schema as a function, which cannot be searched for names. */
  const byHand = (...issues: { message: string; path: readonly PropertyKey[]; expected?: unknown }[]) =>
    ({ '~standard': { version: 1, vendor: 'x', validate: () => ({ issues }) } }) as const;

  test.each<[string, StandardSchema, string]>([
    [
      'zod',
      z.object({ rows: z.array(z.object({ id: z.number() })) }),
      'rows[0].id: Invalid input: expected number, received string',
    ],
    [
      'valibot, which quotes the value',
      v.object({ rows: v.array(v.object({ id: v.number() })) }),
      'rows[0].id: expected number, received string',
    ],
    [
      'arktype, which begins with the path',
      byHand({ message: 'rows[0].id must be a number (was a string)', path: ['rows', 0, 'id'], expected: 'a number' }),
      'rows[0].id: must be a number (was a string)',
    ],
    [
      'arktype, which quotes a literal',
      byHand({
        message: 'rows[0].note must be "a" or "b" (was "canary-note")',
        path: ['rows', 0, 'note'],
        expected: 'rows[0].note must be "a" or "b" (was "canary-note")',
      }),
      'rows[0].note: does not fit',
    ],
    [
      'a schema by hand',
      byHand({ message: 'expected number, received string', path: ['rows', 0, 'id'] }),
      'rows[0].id: expected number, received string',
    ],
    [
      'a name with a space, and two issues',
      byHand({ message: 'wrong', path: ['rows', 0, 'x y'] }, { message: 'wrong', path: [] }),
      'rows[0]["x y"]: wrong (and 1 more)',
    ],
    ['no path', byHand({ message: 'is no order', path: [] }), 'is no order'],
  ])('is the place in the text of an error: %s', async (_, schema, text) => {
    expect(await issue(schema)).toBe(text);
  });
});

describe('a name in a path', () => {
  const tokenLike = 'eyJhbGciOiJIUzI1NiJ9';
  const key = '9f86d081884c7d659a2feaa0c55ad015';
  const body = {
    orders: { 'key-of-data': { price: 'x' }, [tokenLike]: { price: 'x' }, [key]: { price: 'x' } },
    list: [{ id: 1 }],
  };
  const paths = async (schema: StandardSchema) => {
    const { issues = [] } = await schema['~standard'].validate(body);
    return showIssues(issues, body, (text) => text).map(({ path }) => path.join('.'));
  };

  test.each<[string, StandardSchema]>([
    ['zod', z.object({ orders: z.record(z.string(), z.object({ price: z.number() })), list: z.array(z.string()) })],
    ['valibot', v.object({ orders: v.record(v.string(), v.object({ price: v.number() })), list: v.array(v.string()) })],
    [
      'zod, lazy',
      z.lazy(() =>
        z.object({ orders: z.record(z.string(), z.object({ price: z.number() })), list: z.array(z.string()) }),
      ),
    ],
  ])('stays, unless it has the form of a token: %s', async (_, schema) => {
    expect(await paths(schema)).toEqual(['orders.key-of-data.price', 'orders.….price', 'orders.….price', 'list.0']);
  });

  test('with the form of a token is hidden in a message, too', () => {
    const message = `orders.${tokenLike}.price must be a number`;
    const own = { message, path: ['orders', tokenLike, 'price'], expected: 'a number' };
    expect(showIssues([own, { ...own, path: [] }], body, (text) => text)).toEqual([
      { message: 'must be a number', path: ['orders', '…', 'price'] },
      { message: 'expected a number, received object', path: [] },
    ]);
  });

  test('of a body that is too large to search stays', () => {
    const issues = [{ message: 'wrong', path: ['known', 'missing'] }];
    expect(showIssues(issues, { known: list(6_000) }, (text) => text)[0]?.path).toEqual(['known', 'missing']);
  });
});

test('a schema that fails without issues still fails', async () => {
  expect(showIssues([], { a: 1 }, (text) => text)).toEqual([{ message: unfit, path: [] }]);
  const schema = { '~standard': { version: 1, vendor: 'x', validate: () => ({ issues: [] }) } } as const;
  const client = createClient({ url: 'http://a.test', fetch: async () => Response.json({ a: 1 }) });
  const error = await failureOf(client.route('x').with({ schema }).get());
  expect(error).toMatchObject({ code: 'SCHEMA', issues: [{ message: unfit, path: [] }] });
  expect(error.message).toMatch(/answered with an unexpected body: does not fit$/);
});
