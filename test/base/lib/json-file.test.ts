import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJsonFile } from '../../../src/base/lib/json-file.ts';

const problemOf = (text: string) => {
  const reading = readJsonFile('a.json', text);
  return 'problem' in reading ? `${reading.problem.where}: ${reading.problem.message}` : undefined;
};

describe('a duplicate key in a JSON file', () => {
  test.each([
    ['{"a":1,"a":2}', '1:8', 'a'],
    ['{"a":1,\n "b":2,\r\n  "a":1}', '3:3', 'a'],
    ['[{"b":{}},{"x":[{"k":1,"k":1}]}]', '1:24', 'k'],
    ['{"a":{"b":1},"a":{"b":1}}', '1:14', 'a'],
    ['{"a":1,"\\u0061":2}', '1:8', 'a'],
    ['{"__proto__":1,"__proto__":2}', '1:16', '__proto__'],
    ['{"":1,"":2}', '1:7', ''],
    ['{"a\\"":1,"b":"\\\\","a\\"":2}', '1:19', 'a"'],
    ['\ufeff{"a":1,"a":2}', '1:8', 'a'],
    ['{"a":[1,2,{"a":3}],"b":0,"b":1}', '1:26', 'b'],
  ])('is reported with its place: %j', (text, place, key) => {
    expect(problemOf(text)).toBe(`a.json:${place}: the key ${JSON.stringify(key)} is there twice`);
  });

  test.each([
    '{"a":{"a":{"a":[{"a":1},{"a":2}]}}}',
    '["a","a",{"b":"a"},"a"]',
    '{"a":"b","b":"a","c":"a\\",\\"a"}',
    '{"a":"{\\"x\\":1,\\"x\\":2}"}',
    '"a"',
    '\ufeff{"a":1}',
  ])('is not reported for %s', (text) => {
    expect(readJsonFile('a.json', text)).toEqual({ value: JSON.parse(text.replace('\ufeff', '')) });
  });

  test('is found at any depth of generated JSON, which is otherwise read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(readJsonFile('a.json', text)).toEqual({ value: JSON.parse(text) });
        // The first object with a key once more, with this key twice: a field marks its place.
        let key: string | undefined;
        const marked = JSON.stringify(
          value,
          (_, one) => {
            if (key !== undefined || one === null || Array.isArray(one) || typeof one !== 'object') return one;
            [key] = Object.keys(one);
            return key === undefined ? one : Object.fromEntries([['the mark', 0], ...Object.entries(one)]);
          },
          indent,
        );
        if (key === undefined) return;
        const quoted = JSON.stringify(key);
        expect(problemOf(marked.replace('"the mark"', () => quoted))).toContain(`${quoted} is there twice`);
      }),
    );
    const deep = `${'[{"a":'.repeat(5_000)}1${'}]'.repeat(5_000)}`;
    expect(problemOf(deep)).toBeUndefined();
  });
});

test('a text that is not JSON has its place, and is not quoted', () => {
  expect(problemOf('{\n "canary": 1,\n}')).toBe('a.json: is not valid JSON (line 3 column 1)');
  expect(problemOf('{ "canary": canary }')).toBe('a.json: is not valid JSON');
  expect(problemOf('')).toBe('a.json: is not valid JSON');
  expect(problemOf('{"a":1}}')).toMatch(/is not valid JSON/);
});
