import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bindings } from '../../../src/mock/recordings/references.ts';

const part = fc.oneof(
  fc.string({ maxLength: 5 }).map((text) => text.replaceAll('<', '(')),
  fc.constantFrom('<uuid:1>', '<token:1>', '<text:2>', '<number:3>'),
);
const pattern = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));

test('a filled pattern matches itself, with the same values', () => {
  fc.assert(
    fc.property(pattern, (text) => {
      const filling = new Bindings();
      const filled = filling.fill(text);
      expect(filled).not.toMatch(/<\w+:\d+>/);
      expect(new Bindings(filling).match(text.replace(/"(<number:\d+>)"/g, '$1'), filled)).toBe(true);
      expect(filling.fill(text)).toBe(filled);
    }),
  );
});

test.each([
  ['a<text:1>c', 'abc', true],
  ['a<text:1>c', 'ac', false],
  ['a<text:1>c', 'abcd', false],
  ['<text:1>', '', false],
  ['<text:1>-<text:1>', 'x-x', true],
  ['<text:1>-<text:1>', 'x-y', false],
  ['<text:1>-<text:2>', 'x-x', false],
  ['<text:1>-<text:2>', 'x-y', true],
  ['<text:1><text:2>', 'xy', false],
  ['<text:1>.<text:1>', 'a.b.a.b', false],
  ['<other:1>', '<other:1>', true],
  ['<other:1>', 'x', false],
])('%s and %s: %s', (recorded, text, matches) => {
  expect(new Bindings().match(recorded, text)).toBe(matches);
});

test('a number and an equal text have references of their own', () => {
  const bindings = new Bindings();
  expect(bindings.matchScalar('<number:1>', 7)).toBe(true);
  expect(bindings.matchScalar('<text:1>', '7')).toBe(true);
  expect(bindings.matchScalar('<number:2>', 7)).toBe(false);
  expect(bindings.matchScalar('<text:2>', '7')).toBe(false);
  expect(bindings.matchScalar('x-<number:1>', 7)).toBe(false);
  expect(bindings.match('/<number:1>', '/7')).toBe(true);
  expect(bindings.fillJson({ a: ['<number:1>', '<text:1>'], '<text:1>': 'n <number:1>' })).toEqual({
    a: [7, '7'],
    7: 'n 7',
  });
});

test('copies do not change what they were made from', () => {
  const bindings = new Bindings();
  expect(new Bindings(bindings).match('<text:1>', 'a')).toBe(true);
  expect(bindings.match('<text:1>', 'b')).toBe(true);
});
