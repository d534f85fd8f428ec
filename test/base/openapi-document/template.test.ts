import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeText, fold } from '../../../src/base/openapi-document/path-text.ts';
import { sentSegments } from '../../../src/base/openapi-document/sent-path.ts';
import {
  compareTemplates,
  isMoreSpecific,
  matchTemplate,
  mayMatch,
  parseTemplate,
} from '../../../src/base/openapi-document/template.ts';

const template = (path: string) => parseTemplate(path, 'path');
const sent = (path: string) => sentSegments(path, []) ?? [];

describe('a text in a path', () => {
  test.each([
    ["a-z_A.Z~0!$&'()*+,;=:@9", "a-z_A.Z~0!$&'()*+,;=:@9"],
    ['my shop', 'my%20shop'],
    ['ü', '%C3%BC'],
    ['a "quoted" <b> `c` |d| ^ [e] \\', 'a%20%22quoted%22%20%3Cb%3E%20%60c%60%20%7Cd%7C%20%5E%20%5Be%5D%20%5C'],
    ['😀', '%F0%9F%98%80'],
    ['100%', '100%25'],
    ['%2', '%252'],
    ['%g0', '%25g0'],
    ['%2G', '%252G'],
    ['a%20b%c3', 'a%20b%c3'],
  ])('%s is sent as %s', (text, encoded) => {
    expect(encodeText(text)).toBe(encoded);
    expect(encodeText(encoded)).toBe(encoded);
  });

  test.each([
    ['Orders', 'oRDERS'],
    ['a%2Etxt', 'a.TXT'],
    ['%C3%BC', 'U\u0308'],
    ['\uff21', 'a'],
    ['ß', 'SS'],
    ['\u017f', 's'],
    ['ας', 'ΑΣ'],
    ['\u212a', 'k'],
    ['%41%42', 'ab'],
    ['%c3%28', '%C3%28'],
  ])('%s is the same as %s for a router that compares loosely', (one, other) => {
    expect(fold(one)).toBe(fold(other));
  });

  test.each([
    ['a', 'b'],
    ['a%2541', 'aA'],
    ['é', 'e'],
    ['a', 'a '],
  ])('%s is not the same as %s', (one, other) => {
    expect(fold(one)).not.toBe(fold(other));
  });

  test('stays a part of a longer text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 6 }).map((given) => given.toWellFormed().replaceAll('%', ''));
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(fold(one + other)).toBe(fold(one) + fold(other));
      }),
    );
  });
});

describe('matchTemplate', () => {
  test.each([
    ['/orders/{id}', '/orders/7', { id: '7' }],
    ['/orders/{id}', '/orders/a%20b', { id: 'a b' }],
    ['/orders/{id}', '/orders/%37', { id: '7' }],
    ['/orders/{id}', '/order%73/7', undefined],
    ['/orders/{id}', '/orders', undefined],
    ['/orders/{id}', '/orders/', undefined],
    ['/orders/{id}', '/orders/7/8', undefined],
    ['/orders/{id}', '/orders/7/', undefined],
    ['/orders/', '/orders/', {}],
    ['/', '/', {}],
    ['/{a}/{b}', '/1/2', { a: '1', b: '2' }],
    ['/f/{name}.txt', '/f/a.txt', { name: 'a' }],
    ['/f/{name}.txt', '/f/a.txt.txt', { name: 'a.txt' }],
    ['/f/{name}.txt', '/f/.txt', undefined],
    ['/f/{name}.txt', '/f/a%2Etxt', undefined],
    ['/f/{name}.txt', '/f/a.tx', undefined],
    ['/f/v{name}', '/f/v1', { name: '1' }],
    ['/f/v{name}', '/f/v', undefined],
    ['/f/v{name}', '/f/1v', undefined],
    ['/f/a{name}a', '/f/a', undefined],
    ['/f/a{name}a', '/f/aa', undefined],
    ['/f/a{name}a', '/f/aaa', { name: 'a' }],
    ['/f/{name}1', '/f/%31', undefined],
    ['/f/{name}0', '/f/%20', undefined],
    ['/f/{a}-{b}', '/f/x-y', { a: 'x', b: 'y' }],
    ['/f/{a}-{b}', '/f/x-y-z', undefined],
    ['/f/{a}-{b}', '/f/x%2Dy-z', undefined],
    ['/f/{a}-{b}', '/f/-y', undefined],
    ['/f/{a}-{b}', '/f/x-', undefined],
    ['/f/{a}-{b}', '/f/xy', undefined],
    ['/f/{a}x{b}', '/f/1x2X3', undefined],
    ['/f/{a}-{b}-{c}', '/f/1-2-3', { a: '1', b: '2', c: '3' }],
    ['/f/{a}-{b}-{c}', '/f/1-2-3-4', undefined],
    ['/f/{a}...{b}', '/f/1.0...2.0', { a: '1.0', b: '2.0' }],
    ['/f/{a}...{b}', '/f/1....2', undefined],
    ['/f/p{a}-{b}s', '/f/p1-2s', { a: '1', b: '2' }],
    ['/f/{a}--{b}-{c}', '/f/1--2-3', { a: '1', b: '2', c: '3' }],
    ['/städte/my shop', '/st%C3%A4dte/my%20shop', {}],
    ['/städte/my shop', '/st%c3%a4dte/my%20shop', undefined],
    ['/a|b', '/a|b', {}],
    ['/a|b', '/a%7Cb', {}],
    ['/a|b', '/a%7cb', undefined],
    ['/a%20b', '/a%20b', {}],
    ['/100%', '/100%25', {}],
  ])('%s and %s: %j', (path, url, values) => {
    const found = matchTemplate(template(path), sent(url));
    const decoded = found && Array.from(found, ([name, text]) => [name, decodeURIComponent(text)]);
    expect(decoded && Object.fromEntries(decoded)).toEqual(values);
  });

  test('takes a path that was filled with values, or denies it, and never takes other values', () => {
    const texts = fc.array(fc.constantFrom('', '-', '.', 'a', '--'), { minLength: 2, maxLength: 4 });
    const value = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '%2D'), minLength: 1, maxLength: 4 });
    let taken = 0;
    const property = fc.property(texts, fc.array(value, { minLength: 4, maxLength: 4 }), (given, all) => {
      const values = all.slice(0, given.length - 1);
      const path = `/x${given.map((text, index) => text + (index < values.length ? `{p${index}}` : '')).join('')}`;
      const url = `/x${given.map((text, index) => text + (values[index] ?? '')).join('')}`;
      if (path.includes('}{')) return;
      const found = matchTemplate(template(path), sent(url));
      if (found !== undefined) taken += 1;
      expect(found === undefined || [...found.values()].join('/') === values.join('/')).toBe(true);
      expect(mayMatch(template(path), sent(url))).toBe(true);
    });
    fc.assert(property, { numRuns: 2_000 });
    expect(taken).toBeGreaterThan(200);
  });
});

describe('mayMatch', () => {
  test.each([
    ['/orders/{id}', '/ORDERS/7', true],
    ['/orders/{id}', '/orders/7/', true],
    ['/orders/', '/orders', true],
    ['/orders', '/orders/', true],
    ['/', '/', true],
    ['/orders/{id}', '/%6frders/7', true],
    ['/orders/{id}', '/orders', false],
    ['/orders/{id}', '/orders/7/8', false],
    ['/orders/{id}', '/items/7', false],
    ['/f/{name}.txt', '/f/.txt', true],
    ['/f/{name}.txt', '/f/a%2eTXT', true],
    ['/f/{name}.txt', '/f/a.md', false],
    ['/f/{a}.{b}', '/f/ab', false],
    ['/f/{a}.{b}', '/f/a%2Eb', true],
    ['/f/a{x}a', '/f/a', false],
    ['/f/a{x}b{y}a', '/f/aba', true],
    ['/f/a{x}b{y}a', '/f/aa', false],
    ['/f/{a}ab{b}bc', '/f/1abc', false],
    ['/f/é', '/f/e%CC%81', true],
    ['/f/e{x}', '/f/%65%CC%81b', true],
    ['/f/@me', '/f/%40me', true],
    ['/my%20shop', '/my%20SHOP', true],
  ])('%s and %s: %s', (path, url, expected) => {
    expect(mayMatch(template(path), sent(url))).toBe(expected);
  });
});

describe('isMoreSpecific', () => {
  test.each([
    ['/orders/export', '/orders/{id}', true],
    ['/orders/{id}', '/orders/export', false],
    ['/orders/{id}', '/{a}/{b}', true],
    ['/orders/{id}', '/{kind}/export', false],
    ['/{kind}/export', '/orders/{id}', false],
    ['/f/{name}.txt', '/f/{name}', true],
    ['/f/{name}.tar.txt', '/f/{name}.txt', true],
    ['/f/v{name}.txt', '/f/v{name}', true],
    ['/f/{name}.txt', '/f/v{name}', false],
    ['/f/{a}-{b}', '/f/{a}', true],
    ['/f/{a}-{b}.txt', '/f/{a}-{b}', true],
    ['/f/{a}-{b}', '/f/{c}-{d}', false],
    ['/orders', '/orders/', false],
    ['/Orders', '/orders', false],
  ])('%s than %s: %s', (path, other, expected) => {
    expect(isMoreSpecific(template(path), template(other))).toBe(expected);
  });

  test('agrees with the order', () => {
    const segment = fc.constantFrom('a', 'ab', '{p}', 'a{p}', '{p}b', 'a{p}b', '{p}-{q}', '{p}-{q}b', 'a{p}-{q}');
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => {
      const named = segments.map((text, index) => text.replaceAll('p', `p${index}`).replaceAll('q', `q${index}`));
      return `/${named.join('/')}`;
    });
    let specific = 0;
    fc.assert(
      fc.property(path, path, (one, other) => {
        if (one.split('/').length !== other.split('/').length) return;
        if (!isMoreSpecific(template(one), template(other))) return;
        specific += 1;
        expect(compareTemplates(template(one), template(other))).toBeLessThan(0);
        expect(compareTemplates(template(other), template(one))).toBeGreaterThan(0);
      }),
      { numRuns: 4_000 },
    );
    expect(specific).toBeGreaterThan(50);
  });

  test('orders by the number of segments first', () => {
    const paths = ['/{a}/{b}', '/{a}', '/a/{b}', '/', '/a/b', '/{a}.b/c', '/a'].map(template);
    const names = paths
      .sort(compareTemplates)
      .map(({ segments }) => segments.map(({ texts }) => texts.join('{}')).join('/'));
    expect(names).toEqual(['', 'a', '{}', 'a/b', 'a/{}', '{}.b/c', '{}/{}']);
  });
});

test.each(['orders', '/{id}/{id}', '/{id', '/id}', '/{}', '/a?b', '/a#b', '/{a?}', '/\ud800', '/{{a}}', ''])(
  'the template %j is refused',
  (path) => {
    expect(() => template(path)).toThrow(/^path: expected a path like "\/orders\/\{id\}", each name once$/);
  },
);
