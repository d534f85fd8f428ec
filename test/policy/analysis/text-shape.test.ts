import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { covers, fill, meet, parseShape, type Shape, toPattern } from '../../../src/policy/analysis/text-shape.ts';
import { runsOf } from '../../support/thorough.ts';
import { naiveMatch } from '../support/naive.ts';

// Patterns and texts over two letters and the literal star, small enough to try every text.
const parts = ['', 'a', 'b', 'ab', 'ba', 'a*b', '*', 'a*', 'b*', 'ab*', '*a', '*b', '*ba', 'a*b*', '*a*b'];
const patterns = [1, 2, 3].flatMap((length) => (length === 1 ? parts : length === 2 ? pairs(parts) : triples(parts)));

function pairs(all: readonly string[]): string[] {
  return all.flatMap((one) => all.map((other) => `${one}:${other}`));
}

function triples(all: readonly string[]): string[] {
  const some = all.filter((_, i) => i % 2 === 0);
  return pairs(some).flatMap((one) => some.map((other) => `${one}:${other}`));
}

const words = ['', 'a', 'b', 'ab', 'ba', 'a*b', 'aba', 'bab', 'abba', 'baab', 'x'];
/** Every text of at most three segments, and some of four; `x` is in no pattern. */
const texts = [words, pairs(words), pairs(words).flatMap((one) => words.map((other) => `${one}:${other}`))]
  .flat()
  .concat(words.map((word) => `x:${word}:x:x`));

const takes = (pattern: ReturnType<typeof toPattern>, text: string): boolean =>
  typeof pattern === 'string' ? naiveMatch(pattern, text) : pattern.all.every((one) => naiveMatch(one, text));
const patternArb = fc.constantFrom(...patterns);
const shapeOf = (pattern: string): Shape => parseShape(pattern, false);
/** A shape, or the overlap of two. */
const shapeArb = fc
  .tuple(patternArb, patternArb, fc.boolean())
  .map(([one, other, both]) => (both ? meet(shapeOf(one), shapeOf(other)) : undefined) ?? shapeOf(one));

describe('the shapes of patterns', () => {
  test('characters beyond U+FFFF stay whole, also those whose first half is U+D800 or U+D801', () => {
    for (const character of ['\u{10000}', '\u{103ff}', '\u{10400}', '\u{1f600}']) {
      expect(toPattern(shapeOf(`${character}:${character}*`))).toBe(`${character}:${character}*`);
      const both = meet(shapeOf(`${character}*`), shapeOf(`*${character}`));
      expect(both && toPattern(both)).toEqual({ all: [`${character}*`, `*${character}`] });
    }
  });

  test('the overlap of two shapes matches the texts that both match, and is written as one or two patterns', () => {
    fc.assert(
      fc.property(shapeArb, shapeArb, (a, b) => {
        const both = meet(a, b);
        const inBoth = (text: string) => takes(toPattern(a), text) && takes(toPattern(b), text);
        for (const text of texts) {
          const found = both !== undefined && takes(toPattern(both), text);
          if (found !== inBoth(text)) expect({ a: a.key, b: b.key, text, found }).toBeUndefined();
        }
        if (both !== undefined) expect(inBoth(fill(both, 'x'))).toBe(true);
      }),
      runsOf(250),
    );
  });

  test('one shape covers another if and only if it matches every text of the other', () => {
    fc.assert(
      fc.property(shapeArb, shapeArb, (a, b) => {
        const escaping = texts.find((text) => takes(toPattern(b), text) && !takes(toPattern(a), text));
        if (covers(a, b)) expect(escaping).toBeUndefined();
        else expect(takes(toPattern(a), fill(b, 'x'))).toBe(false);
      }),
      runsOf(600),
    );
  });

  test('the text with a new character for each wildcard matches no pattern that does not cover the shape', () => {
    fc.assert(
      fc.property(shapeArb, fc.array(shapeArb, { maxLength: 12 }), (shape, others) => {
        const text = fill(shape, 'x');
        expect(takes(toPattern(shape), text)).toBe(true);
        expect(others.some((other) => takes(toPattern(other), text))).toBe(
          others.some((other) => covers(other, shape)),
        );
      }),
      runsOf(3_000),
    );
  });

  test('no pattern of actions matches the empty action, not even "*"', () => {
    const [any, empty] = [parseShape('*', true), parseShape('', true)];
    expect([covers(any, empty), meet(any, empty), covers(empty, empty)]).toEqual([false, undefined, true]);
    expect(covers(parseShape('*', false), parseShape('', false))).toBe(true);
    expect(fill(any, 'x')).toBe('x');
  });

  test.each([
    ['a*', '*b', { all: ['a*', '*b'] }],
    ['ab*', '*bc', { all: ['ab*', '*bc'] }],
    ['a*:*', '*:*b', 'a*:*b'],
    ['t:a*:*', '*:*b:x*', { all: ['t:a*:x*', 't:*b:*'] }],
    ['*', 'a:*', 'a:*'],
    ['*:b', 'a:*', 'a:b'],
    ['*:b:*', 'a:*', 'a:b:*'],
    ['a', 'a:*', undefined],
    ['a*', 'b*', undefined],
  ])('%s meets %s in %j', (a, b, expected) => {
    for (const both of [meet(shapeOf(a), shapeOf(b)), meet(shapeOf(b), shapeOf(a))]) {
      expect(both && toPattern(both)).toEqual(expected);
    }
  });
});
