import { expect, test } from 'vitest';
import { showIssues } from '../../src/connection/schema-issues.ts';

const unfit = 'does not fit';
const list = (length: number) => Array.from({ length }, () => 0);

/** What is shown of a message about what stands at a path of a body. */
const shown = (body: unknown, path: readonly (string | number)[], message: string) =>
  showIssues([{ message, path }], body, (text) => text)[0]?.message;

test.each<[what: string, body: unknown, path: (string | number)[], message: string]>([
  ['a number', { n: 4711 }, ['n'], 'got 4711'],
  ['false', { flag: false }, ['flag'], 'got false'],
  ['null', { n: null }, ['n'], 'got null'],
  ['a text', { t: 'abc' }, ['t'], 'got abc'],
  ['a text as JSON writes it', { t: 'a"bc' }, ['t'], String.raw`got "a\"bc"`],
  ['a text with a quote as it is', { t: 'a"bc' }, ['t'], 'got a"bc'],
  ['a text of four characters further down', { a: [{ b: 'abcd' }] }, [], 'got abcd'],
  ['a key further down', { a: { inner: 1 } }, [], 'inner is too much'],
  ['a short key in double quotes', { ab: 1, cd: 2 }, [], 'unrecognized key "ab"'],
  ['a short key in single quotes', { ab: 1, cd: 2 }, [], "unrecognized key 'cd'"],
])('a message that quotes %s is not shown', (_, body, path, message) => {
  expect(shown(body, path, message)).toBe(unfit);
});

test.each<[what: string, body: unknown, path: (string | number)[], message: string]>([
  ['says undefined of what is missing', {}, ['n'], 'got undefined'],
  ['is about what is empty', { t: '' }, ['t'], 'must not be empty'],
  ['is about something below null', { n: null }, ['n', 'x'], 'got null'],
  ['is about something below a text', { t: 'text' }, ['t', 'length'], 'got 4'],
  ['is about what a body inherits', {}, ['constructor', 'name'], 'got Object'],
  ['has three characters of the body', { a: [{ b: 'abc' }] }, [], 'got abc'],
  ['has a short key without quotes', { ab: 1 }, [], 'absent'],
  ['has a number that is the place in a list', { a: list(1_001) }, [], 'at least 1000'],
])('a message that %s is shown', (_, body, path, message) => {
  expect(shown(body, path, message)).toBe(message);
});

test('what is too much to look through has no message', () => {
  expect(shown(list(5_000), [], 'too long')).toBe('too long');
  expect(shown(list(5_001), [], 'too long')).toBe(unfit);
});

test('a key that the filter would change is not shown, others are, and parts of a path may be objects', () => {
  const issues = [{ message: 'wrong', path: ['secret', 'plain', { key: 'inner' }, 3] }];
  const show = (text: string) => text.replace('secret', '');
  expect(showIssues(issues, {}, show)).toEqual([{ message: 'wrong', path: ['…', 'plain', 'inner', 3] }]);
  expect(showIssues([{ message: 'secret' }], {}, show)).toEqual([{ message: unfit, path: [] }]);
});
