import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { StandardSchema } from '../../src/connection/schema.ts';
import { showIssues } from '../../src/connection/schema-issues.ts';
import { createClient } from '../../src/index.ts';
import { failureOf } from '../support/failure.ts';

const unfit = 'does not fit';
const list = (length: number) => Array.from({ length }, () => 0);

/** The shown message of an issue at a path of a body. */
const shown = (body: unknown, path: readonly (string | number)[], message: string) =>
  showIssues([{ message, path }], body, (text) => text)[0]?.message;

test.each<[what: string, body: unknown, path: (string | number)[], message: string]>([
  ['a number', { n: 4711 }, ['n'], 'got 4711'],
  ['false', { flag: false }, ['flag'], 'got false'],
  ['null', { n: null }, ['n'], 'got null'],
  ['a text', { t: 'abc' }, ['t'], 'got abc'],
  ['a text in JSON notation', { t: 'a"bc' }, ['t'], String.raw`got "a\"bc"`],
  ['a text with an unescaped quote', { t: 'a"bc' }, ['t'], 'got a"bc'],
  ['a nested text of four characters', { a: [{ b: 'abcd' }] }, [], 'got abcd'],
  ['a nested key', { a: { inner: 1 } }, [], 'inner is too much'],
  ['a short key in double quotes', { ab: 1, cd: 2 }, [], 'unrecognized key "ab"'],
  ['a short key in single quotes', { ab: 1, cd: 2 }, [], "unrecognized key 'cd'"],
])('hides a message that quotes %s', (_, body, path, message) => {
  expect(shown(body, path, message)).toBe(unfit);
});

test.each<[what: string, body: unknown, path: (string | number)[], message: string]>([
  ['calls a missing value undefined', {}, ['n'], 'got undefined'],
  ['is about an empty value', { t: '' }, ['t'], 'must not be empty'],
  ['is about something below null', { n: null }, ['n', 'x'], 'got null'],
  ['is about something below a text', { t: 'text' }, ['t', 'length'], 'got 4'],
  ['is about an inherited property', {}, ['constructor', 'name'], 'got Object'],
  ['has three characters of the body', { a: [{ b: 'abc' }] }, [], 'got abc'],
  ['has a short key without quotes', { ab: 1 }, [], 'absent'],
  ['has a list index', { a: list(1_001) }, [], 'at least 1000'],
])('shows a message that %s', (_, body, path, message) => {
  expect(shown(body, path, message)).toBe(message);
});

test('omits messages if there is too much to search', () => {
  expect(shown(list(5_000), [], 'too long')).toBe('too long');
  expect(shown(list(5_001), [], 'too long')).toBe(unfit);
});

test('hides a key that the filter would change, shows others; parts of a path may be objects', () => {
  const issues = [{ message: 'wrong', path: ['secret', 'plain', { key: 'inner' }, 3] }];
  const show = (text: string) => text.replace('secret', '');
  expect(showIssues(issues, {}, show)).toEqual([{ message: 'wrong', path: ['…', 'plain', 'inner', 3] }]);
  expect(showIssues([{ message: 'secret' }], {}, show)).toEqual([{ message: unfit, path: [] }]);
});

describe('a name in a path', () => {
  const body = { orders: { 'canary-key': { price: 'x' }, ab: { price: 1 } }, list: [{ id: 1 }] };
  const paths = async (schema: StandardSchema) => {
    const { issues = [] } = await schema['~standard'].validate(body);
    return showIssues(issues, body, (text) => text, schema).map(({ path }) => path.join('.'));
  };

  test.each<[string, StandardSchema]>([
    ['zod', z.object({ orders: z.record(z.string(), z.object({ price: z.number() })), list: z.array(z.string()) })],
    ['valibot', v.object({ orders: v.record(v.string(), v.object({ price: v.number() })), list: v.array(v.string()) })],
  ])('of a record is omitted, names that the schema knows stay: %s', async (_, schema) => {
    expect(await paths(schema)).toEqual(['orders.….price', 'list.0']);
  });

  test.each<[string, StandardSchema, string]>([
    ['zod', z.object({ orders: z.record(z.enum(['canary-key', 'ab']), z.string()) }), 'orders.canary-key'],
    ['valibot', v.object({ orders: v.strictObject({ ab: v.any() }) }), 'orders.…'],
    ['zod, lazy', z.object({ orders: z.lazy(() => z.object({ ab: z.string() })) }), 'orders.ab'],
  ])('that occurs in the schema is known: %s', async (_, schema, first) => {
    expect((await paths(schema))[0]).toBe(first);
  });

  test('of a schema that is only a function stays if it does not occur in the body', () => {
    const path = ['orders', 'missing', 'ab', 0];
    const [issue] = showIssues([{ message: 'wrong', path }], body, (text) => text, { validate: () => undefined });
    expect(issue?.path).toEqual(['…', 'missing', '…', 0]);
  });

  test('that is a number is known in a list only', () => {
    const users = { users: { 4711: { age: 'x' } }, list: [1] };
    const issues = [
      { message: 'wrong', path: ['users', 4711, 'age'] },
      { message: 'wrong', path: ['list', 0] },
    ];
    const schema = { users: { age: 1 }, list: 1 };
    expect(showIssues(issues, users, (text) => text, schema).map(({ path }) => path)).toEqual([
      ['users', '…', 'age'],
      ['list', 0],
    ]);
  });

  test('of a body that is too large to search must occur in the schema', () => {
    const issues = [{ message: 'wrong', path: ['known', 'missing'] }];
    expect(showIssues(issues, { known: list(6_000) }, (text) => text, { known: 1 })[0]?.path).toEqual(['known', '…']);
  });

  test('is looked up without calling a getter of the schema', () => {
    const schema = {
      get price(): never {
        throw new Error('called');
      },
    };
    expect(showIssues([{ message: 'wrong', path: ['price'] }], { price: 1 }, (text) => text, schema)).toHaveLength(1);
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
