import { describe, expect, test } from 'vitest';
import { Pattern } from '../../../src/policy/model/pattern.ts';
import { naiveMatch } from '../support/naive.ts';
import { covers, overlaps } from '../support/overlap.ts';

// The table of the guide "Decide in process" and its edge cases: pattern, matching texts, others.
const table: [pattern: string, matches: string[], not: string[]][] = [
  ['*', ['', 'a', 'a:b', ':', '*'], []],
  ['a', ['a'], ['', 'A', 'aa', 'a:', 'a:b', ':a']],
  ['a:b', ['a:b'], ['a', 'a:b:', 'a:bc', 'a:b:c']],
  ['a:*', ['a:', 'a:b', 'a:b:c', 'a::'], ['a', 'ab:c', 'aa:b', '']],
  ['a:b:*', ['a:b:c', 'a:b:', 'a:b:c:d'], ['a:b', 'a:c:b']],
  ['*:*', [':', 'a:b', 'a:b:c'], ['', 'a']],
  ['*:b', ['a:b', ':b'], ['b', 'a:b:c', 'a:bb', 'a:c:b']],
  ['*:b:*', ['a:b:c', ':b:', 'a:b:c:d'], ['a:b', 'a:bb:c', 'a:c:b']],
  ['a:*:c', ['a:b:c', 'a::c'], ['a:c', 'a:b:b:c', 'a:b:c:d', 'a:b:cc']],
  ['ab*', ['ab', 'abc', 'abab'], ['a', 'xab', 'ab:c', 'abc:']],
  ['a*:b', ['a:b', 'ax:b'], ['x:b', 'a:bb', 'ax', 'a:b:b']],
  ['a*:*', ['a:', 'ax:b:c'], ['a', 'ax', 'xa:b']],
  ['*b', ['b', 'ab', 'bb'], ['', 'ba', 'a:b', 'b:']],
  ['*bc', ['bc', 'abc'], ['c', 'b:c', 'bcd']],
  ['x:*bc', ['x:bc', 'x:abc'], ['x:c', 'x:', 'x', ':bc', 'x:a:bc']],
  ['*b:c', ['b:c', 'ab:c'], ['a:c', ':c', 'b:cc']],
  ['*b:*c', ['b:c', 'xb:xc'], ['b:', 'b', 'bx:c', 'b:cx']],
  ['*b:*', ['b:', 'ab:c:d'], ['b', 'ba:c']],
  ['a*b', ['a*b'], ['ab', 'axb', 'a*bc']],
  ['a*b*', ['a*b', 'a*bc'], ['axb', 'a*']],
  ['*a*b', ['a*b', 'xa*b'], ['ab', 'axb']],
  ['a*b:*', ['a*b:c'], ['axb:c', 'a*b']],
  [':', [':'], ['', 'a:', ':a', '::']],
  [':*', [':', ':a', ':a:b'], ['', 'a', 'a:']],
  ['ü:*', ['ü:1'], ['u:1', 'Ü:1']],
];

describe('the matching of patterns', () => {
  test.each(table)('finds the texts that %s matches, and no other', (pattern, matches, not) => {
    const parsed = new Pattern(pattern);
    const answer = (text: string) => ({ text, matches: parsed.matches(text) });
    expect(matches.map(answer)).toEqual(matches.map((text) => ({ text, matches: true })));
    expect(not.map(answer)).toEqual(not.map((text) => ({ text, matches: false })));
  });

  test('each pattern of the table matches each text of the table like the naive matcher', () => {
    const texts = new Set(table.flatMap(([pattern, matches, not]) => [pattern, ...matches, ...not]));
    for (const [pattern] of table) {
      const parsed = new Pattern(pattern);
      for (const text of texts) {
        expect({ pattern, text, matches: parsed.matches(text) }).toEqual({
          pattern,
          text,
          matches: naiveMatch(pattern, text),
        });
      }
    }
  });

  test('`any` and `exact` tell the kind of pattern', () => {
    const kind = (text: string) => [new Pattern(text).any, new Pattern(text).exact];
    expect(kind('*')).toEqual([true, undefined]);
    expect(kind('a:*')).toEqual([false, undefined]);
    expect(kind('*a')).toEqual([false, undefined]);
    expect(kind('a*b:c')).toEqual([false, 'a*b:c']);
  });
});

describe('comparing patterns', () => {
  const pairs: [a: string, b: string, covers: boolean, covered: boolean, overlaps: boolean][] = [
    ['*', '*', true, true, true],
    ['*', 'a:b', true, false, true],
    ['a', 'a', true, true, true],
    ['a', 'b', false, false, false],
    ['a', 'a:b', false, false, false],
    ['a:*', 'a:b', true, false, true],
    ['a:*', 'a:b:c', true, false, true],
    ['a:*', 'a', false, false, false],
    ['a:*', 'a:b:*', true, false, true],
    ['a:*', 'b:*', false, false, false],
    ['*:*', 'a:*', true, false, true],
    ['*:b', 'a:*', false, false, true],
    ['*:b', 'a:b:c', false, false, false],
    ['a:b', 'a:b:*', false, false, false],
    ['a:b', 'a:*:*', false, false, false],
    ['ab*', 'abc', true, false, true],
    ['ab*', 'a', false, false, false],
    ['a*', 'ab*', true, false, true],
    ['a*', 'b*', false, false, false],
    ['a*', '*b', false, false, true],
    ['*b', 'ab', true, false, true],
    ['*b', '*ab', true, false, true],
    ['*b', '*c', false, false, false],
    ['*b', 'b:c', false, false, false],
    ['*b:c', '*b:*', false, true, true],
    ['*:b', 'a*:b', true, false, true],
    ['a:*', 'a:b*', true, false, true],
    ['*', '*:*', true, false, true],
    ['*', '*b', true, false, true],
    ['a*b', 'axb', false, false, false],
    ['a*b', 'a*', false, true, true],
  ];
  test.each(pairs)('tells if %s and %s cover or overlap each other', (a, b, over, under, meet) => {
    expect({ covers: covers(a, b), covered: covers(b, a) }).toEqual({ covers: over, covered: under });
    expect([overlaps(a, b), overlaps(b, a)]).toEqual([meet, meet]);
  });

  test('covering and overlapping agree with actual matches', () => {
    const patterns = [...new Set([...table.map(([one]) => one), ...pairs.map(([a]) => a), ...pairs.map(([, b]) => b)])];
    const texts = [...new Set(table.flatMap(([pattern, matches, not]) => [pattern, ...matches, ...not]))];
    for (const a of patterns) {
      for (const b of patterns) {
        const both = texts.filter((text) => naiveMatch(a, text) && naiveMatch(b, text));
        if (both.length > 0) expect([a, b, overlaps(a, b)]).toEqual([a, b, true]);
        const left = texts.filter((text) => naiveMatch(b, text) && !naiveMatch(a, text));
        if (left.length > 0) expect([a, b, covers(a, b)]).toEqual([a, b, false]);
      }
    }
  });
});
