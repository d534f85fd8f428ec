import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applySpans, applyToPieces, joinSpans } from '../../../../src/tools/command/record/spans.ts';

const text = fc.string({ minLength: 1, maxLength: 40 });
const spansOf = (length: number) =>
  fc.array(
    fc.tuple(fc.nat(length), fc.nat(length)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 })),
    { maxLength: 6 },
  );
const cases = text.chain((all) =>
  fc.record({
    all: fc.constant(all),
    spans: spansOf(all.length - 1),
    cuts: fc.array(fc.nat(all.length), { maxLength: 5 }),
  }),
);

test('each character of a span is replaced, whatever spans overlap and wherever a text is cut', () => {
  fc.assert(
    fc.property(cases, ({ all, spans, cuts }) => {
      const given = spans.map((span, index) => ({ ...span, text: `[${index}]` }));
      const joined = joinSpans(given, () => '[*]');
      const hidden = new Set(spans.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i)));
      const kept = [...Array(all.length).keys()].filter((at) => !hidden.has(at));
      const marked = joined.map((span) => ({ ...span, text: '' }));
      const left = kept.map((at) => all[at]).join('');
      expect(applySpans(all, marked)).toBe(left);
      const places = [0, ...cuts.sort((a, b) => a - b), all.length];
      const pieces = places.slice(1).map((to, index) => all.slice(places[index], to));
      expect(applyToPieces(pieces, joined).join('')).toBe(applySpans(all, joined));
      expect(applyToPieces(pieces, [])).toEqual(pieces);
    }),
    { numRuns: 500 },
  );
});

test('a span stands in the piece where it begins', () => {
  const spans = [{ from: 1, to: 5, text: '<token:1>' }];
  expect(applyToPieces(['ab', 'cd', 'ef'], spans)).toEqual(['a<token:1>', '', 'f']);
});
