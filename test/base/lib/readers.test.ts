import { describe, expect, test } from 'vitest';
import { isInvalidArgumentError } from '../../../src/base/error-guards.ts';
import {
  accepting,
  listOf,
  messageOf,
  optional,
  optionsOf,
  type Reader,
  readArgument,
  readFields,
  readFlag,
  readName,
  readText,
  readWith,
  strictObject,
  transform,
} from '../../../src/base/lib/readers.ts';
import { formatPath } from '../../../src/base/lib/text/paths.ts';
import { unknownName } from '../../../src/base/lib/unknown-name.ts';

const readOrder = strictObject({
  id: readName,
  lines: listOf(strictObject({ item: readName, gift: optional(readFlag, false) })),
});
const problems = (value: unknown, reader: Reader<unknown>) =>
  readWith(value, reader).issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);

/** The error for an argument. */
function refusalOf(read: () => unknown): readonly [field: string, problem: string, message: string] {
  try {
    read();
  } catch (error) {
    if (isInvalidArgumentError(error)) return [error.field, error.problem, error.message];
  }
  return expect.fail('expected a refusal');
}

describe('a reading', () => {
  test('collects every issue, each with its path', () => {
    const order = { id: '', lines: [{ item: 'a', gift: 1 }, 5, { item: 'b', more: true }], total: 5 };
    expect(problems(order, readOrder)).toEqual([
      'id: must not be empty',
      'lines[0].gift: expected true or false',
      'lines[1]: expected an object',
      'lines[2].more: unknown; accepted are item, gift',
      'total: unknown; accepted are id, lines',
    ]);
    expect(problems({ lines: [] }, readOrder)).toEqual(['id: expected a string']);
  });

  test('returns a copy with defaults filled in', () => {
    const given = { id: 'o', lines: [{ item: 'a' }, { item: 'b', gift: true }] };
    const { value, issues } = readWith(given, readOrder);
    expect([value, issues]).toEqual([{ id: 'o', lines: [{ item: 'a', gift: false }, given.lines[1]] }, []]);
    expect([value.lines === given.lines, value.lines[1] === given.lines[1]]).toEqual([false, false]);
  });

  test('converts no invalid value', () => {
    const made: unknown[] = [];
    const reader = transform(readOrder, (order) => made.push(order));
    expect(problems({ id: 'o' }, reader)).toHaveLength(1);
    expect(made).toEqual([]);
    const late = transform(readName, (name, reading) => (name === 'x' ? reading.report('is taken') : name));
    expect(problems(['ok', 'x'], listOf(late))).toEqual(['[1]: is taken']);
  });
});

describe('an argument', () => {
  test('is rejected for its first issue, by the name of the field', () => {
    const order = { id: 'o', lines: [{ item: 5 }, 5] };
    expect(refusalOf(() => readArgument(order, 'order', readOrder))).toEqual([
      'order.lines[0].item',
      'expected a string, got a number',
      'order.lines[0].item: expected a string, got a number',
    ]);
    expect(refusalOf(() => readFields(order, 'request', readOrder))[0]).toBe('lines[0].item');
    expect(refusalOf(() => readArgument([5], 'names', listOf(readName)))[0]).toBe('names[0]');
    expect(refusalOf(() => readFields(5, 'request', readOrder))[0]).toBe('request');
    expect(refusalOf(() => readArgument({ 'a b': 1 }, 'order', readOrder))[0]).toBe('order["a b"]');
  });

  test.each([
    ['', 'must not be empty'],
    ['x'.repeat(1025), 'holds more than 1024 characters'],
    ['a\ud800', 'holds a lone surrogate'],
    [4711, 'expected a string, got a number'],
    [true, 'expected a string, got a boolean'],
    [null, 'expected a string, got null'],
    [undefined, 'expected a string, got undefined'],
    [['x'], 'expected a string, got a list'],
  ])('%j as a name: the message has the rule, not the value', (value, problem) => {
    expect(refusalOf(() => readArgument(value, 'user', readName))).toEqual(['user', problem, `user: ${problem}`]);
  });

  test('a list that is too long is rejected before its items are read', () => {
    const reader = listOf(readText, 3);
    expect(problems([1, 2, 3, 4], reader)).toEqual([': holds more than 3 items']);
    expect(problems(new Array(2), reader)).toEqual(['[0]: expected a string', '[1]: expected a string']);
  });
});

describe('options', () => {
  const reader = optionsOf({
    retry: accepting<number>('a number', (value) => typeof value === 'number'),
    log: readFlag,
  });

  test('are all optional; an explicit undefined stays, a missing one does not appear', () => {
    expect(Object.entries(readFields({ retry: undefined }, 'options', reader))).toEqual([['retry', undefined]]);
    expect(readFields({}, 'options', reader)).toEqual({});
  });

  test.each(['{"__proto__":1}', '{"constructor":1}', '{"toString":1}'])(
    '%s: inherited names are not options',
    (json) => {
      expect(refusalOf(() => readFields(JSON.parse(json), 'options', reader))[1]).toBe(
        'unknown; accepted are retry, log',
      );
    },
  );
});

describe('an unknown name', () => {
  const names = ['url', 'database', 'retry', 'timeout', 'idleTimeoutMs', 'password', 'ky'];

  test.each([
    ['databse', 'database'],
    ['retries', 'retry'],
    ['pasword', 'password'],
    ['tiemout', 'timeout'],
    ['timeoutMs', 'timeout'],
    ['idleTimeout', 'idleTimeoutMs'],
    ['URL', undefined],
    ['cors', undefined],
    ['k', undefined],
    ['', undefined],
  ])('%s: the nearest is %s', (name, near) => {
    const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
    expect(unknownName(name, names)).toBe(`unknown${hint}; accepted are ${names.join(', ')}`);
  });

  test('of any length takes no longer than the accepted names', () => {
    expect(unknownName('x'.repeat(1e7), ['x'.repeat(20), ''])).toContain('x'.repeat(20));
  });
});

describe('a message', () => {
  const reader = messageOf({ isValid: readFlag, lifeTime: optional(readText, '') });

  test('may use snake_case, null fields and unknown fields', () => {
    const { value, issues } = readWith({ is_valid: true, life_time: null, more: 1 }, reader);
    expect([value, issues]).toEqual([{ isValid: true, lifeTime: '' }, []]);
    expect(problems(JSON.parse('{"__proto__": {"isValid": true}}'), reader)).toEqual([
      'isValid: expected true or false',
    ]);
  });
});
