import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isStyle,
  type ParameterPlace,
  type ParameterStyle,
  type StyledParameter,
  takesShape,
} from '../../../src/base/openapi-document/parameter-style.ts';
import { readParameter } from '../../../src/base/openapi-document/read-parameter.ts';
import { readPairs } from '../../../src/base/openapi-document/read-texts.ts';
import { variantsOf } from '../../../src/base/openapi-document/reference.ts';
import { writeParameter } from '../../../src/base/openapi-document/write-parameter.ts';
import { runsOf } from '../../support/thorough.ts';

type Row = readonly [
  place: ParameterPlace,
  style: ParameterStyle,
  empty: string,
  value: string,
  list: string,
  object: string,
];

// The table of "Style Examples" of OpenAPI 3.0.4 and 3.1.1; `-` is "n/a".
const table: readonly Row[] = [
  ['path', 'matrix', ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['path', 'matrix*', ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  ['path', 'label', '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['path', 'label*', '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['path', 'simple', '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['path', 'simple*', '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['header', 'simple', '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['header', 'simple*', '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['query', 'form', 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['query', 'form*', 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['cookie', 'form', 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['cookie', 'form*', 'color=', 'color=blue', '-', '-'],
  ['query', 'spaceDelimited', '-', '-', 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['query', 'pipeDelimited', '-', '-', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['query', 'deepObject*', '-', '-', '-', 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
];

const shapes = ['value', 'value', 'list', 'object'] as const;
const values = ['', 'blue', ['blue', 'black', 'brown'], { R: '100', G: '200', B: '150' }] as const;

/** What a server gets of a written parameter, beside other parameters. */
function sent({ in: place }: StyledParameter, text: string) {
  if (place === 'path' || place === 'header') return text;
  const separator = place === 'query' ? '&' : '; ';
  return readPairs(`other=1${separator}${text}`, separator.trim());
}
const read = (parameter: StyledParameter, shape: (typeof shapes)[number], text: string) =>
  readParameter(parameter, shape, sent(parameter, text), new Set(['other']));

const rows = table.flatMap(([place, style, ...texts]) =>
  texts.map((text, index) => [place, style, ['empty', 'value', 'list', 'object'][index], text, index] as const),
);

describe('the table of the specification', () => {
  test.each(rows)('%s %s: %s', (place, style, _, text, index) => {
    const parameter = { name: 'color', in: place, style } as const;
    const [shape = 'value', value] = [shapes[index], values[index]];
    expect(isStyle(place, style)).toBe(true);
    expect(takesShape(parameter, shape)).toBe(text !== '-');
    if (text === '-') expect(() => writeParameter(parameter, value)).toThrow(`${place}.color: its style has no form`);
    else {
      expect(writeParameter(parameter, value)).toBe(text);
      expect(read(parameter, shape, text)).toEqual(value);
    }
  });

  test('older texts of the same table are read, too', () => {
    expect(read({ name: 'color', in: 'query', style: 'pipeDelimited' }, 'list', 'color=blue|black')).toEqual([
      'blue',
      'black',
    ]);
    expect(read({ name: 'color', in: 'query', style: 'spaceDelimited' }, 'list', 'color=blue+black')).toEqual([
      'blue',
      'black',
    ]);
    expect(read({ name: 'color', in: 'query', style: 'deepObject*' }, 'object', 'color[R]=1&color[G]=2')).toEqual({
      R: '1',
      G: '2',
    });
    expect(read({ name: 'color', in: 'header', style: 'simple' }, 'list', 'blue, black')).toEqual(['blue', 'black']);
  });

  test.each([
    ['query', 'simple'],
    ['path', 'form'],
    ['header', 'form'],
    ['cookie', 'simple'],
    ['query', 'pipeDelimited*'],
    ['query', 'deepObject'],
    ['path', '+simple'],
  ] as const)('has no %s parameters of the style %s', (place, style) => {
    expect(isStyle(place, style)).toBe(false);
  });
});

describe('allowReserved', () => {
  const parameter = { name: 'q', in: 'query', style: '+form' } as const;
  test('keeps what does not end a part of the query', () => {
    expect(writeParameter(parameter, "/a:b?@!$'()*;c=d")).toBe("q=/a:b?@!$'()*;c=d");
    expect(writeParameter(parameter, 'a&b#c+d[e]%')).toBe('q=a%26b%23c%2Bd%5Be%5D%25');
    expect(writeParameter(parameter, ['a/b', 'c,d'])).toBe('q=a/b,c%2Cd');
  });
});

const anyName = fc
  .oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), fc.constantFrom('a=b', 'a[b]', 'a&b', '+', '.'))
  .filter((text) => text.isWellFormed());
const anyText = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('a,b', 'a.b', 'a;b=c', '%2C', 'a&b', 'a+b', 'a b', '=', '[x]', 'größe', '/', '..', '|'),
  )
  .filter((text) => text.isWellFormed());
const names = fc.constantFrom('color', 'ids[]', 'filter[state]', 'größe', '@type', 'a b', 'x-tags');

describe('a written parameter is read as it was given', () => {
  const styles = [
    ...new Set(table.map(([place, style]) => `${place} ${style}`)),
    'query +form',
    'query +form*',
    'query +deepObject*',
  ];
  test.each(styles)('%s', (both) => {
    const [place, style] = both.split(' ') as [ParameterPlace, ParameterStyle];
    // No encoded form exists for these.
    const isPart = (text: string) =>
      place === 'header'
        ? !/[,=]/.test(text) && text.trim() === text
        : style.includes('space')
          ? !text.includes(' ')
          : !style.includes('pipe') || !text.includes('|');
    // As fetch sends them.
    const isHeader = (text: string) => place !== 'header' || text.trim() === text;
    const part = anyText.filter(isPart);
    const object = fc
      .dictionary(
        anyName.filter((name) => isPart(name) && name !== 'other' && (place !== 'header' || !name.includes('='))),
        part,
        { minKeys: 1, maxKeys: 3, noNullPrototype: true },
      )
      .filter((fields) => !Object.hasOwn(fields, '__proto__'));
    const value = fc.oneof(anyText.filter(isHeader), fc.array(part, { minLength: 1, maxLength: 3 }), object);
    fc.assert(
      fc.property(names, value, (name, given) => {
        const parameter = { name, in: place, style };
        const shape = Array.isArray(given) ? 'list' : typeof given === 'object' ? 'object' : 'value';
        if (!takesShape(parameter, shape)) return;
        expect(read(parameter, shape, writeParameter(parameter, given))).toEqual(given);
      }),
      { ...runsOf(1_500), endOnFailure: true },
    );
  });
});

describe('a value that its style cannot hold is refused by its name', () => {
  const write =
    (style: ParameterStyle, value: unknown, place: ParameterPlace = 'query') =>
    () =>
      writeParameter({ name: 'color', in: place, style }, value);
  test.each([
    ['an object in a list', write('form*', [{}]), 'query.color'],
    ['a list in an object', write('deepObject*', { a: [1] }), 'query.color'],
    ['NaN', write('form', Number.NaN), 'query.color'],
    ['an invalid Date', write('form', new Date(Number.NaN)), 'query.color'],
    ['a function as JSON', write('json', () => 1), 'query.color'],
    ['the delimiter', write('pipeDelimited', ['a|b']), 'query.color'],
    ['a comma in a header', write('simple', ['a,b'], 'header'), 'header.color'],
    ['a name with =', write('simple*', { 'a=b': 1 }, 'header'), 'header.color'],
  ])('%s', (_, call, field) => {
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
  });
});

test('the variants of kinds that refer to their base, as discriminators do, are found without going in circles', () => {
  const kinds = Array.from({ length: 40 }, (_, index) => `Kind${index}`);
  const base = { $ref: '#/Base' };
  const document = {
    Base: { type: 'object', oneOf: kinds.map((kind) => ({ $ref: `#/${kind}` })) },
    ...Object.fromEntries(kinds.map((kind) => [kind, { allOf: [base], properties: { [kind]: {} } }])),
  };
  const found = variantsOf(document, base);
  expect(found.flatMap(({ properties }) => Object.keys(Object(properties)))).toEqual(kinds);
  expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['object']));
});
