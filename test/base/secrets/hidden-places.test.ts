import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretFinder } from '../../../src/base/secrets/finder.ts';
import { cookiePlace, hiddenInBody, hiddenInText, secretsInHeader } from '../../../src/base/secrets/hidden-places.ts';
import { redactText } from '../../../src/base/secrets/redact.ts';
import { spellingsOf } from '../../../src/base/secrets/spellings.ts';
import { encodings, jwt, passwords } from '../../support/secret-encodings.ts';

const parts = (text: string) => hiddenInText(text).map(([from, to]) => text.slice(from, to));

test.each([
  ['nothing here', []],
  ['a=1&token=x&b=2&password=y', ['x', 'y']],
  [`see ${jwt}, and ${jwt}`, [jwt, jwt]],
  ['https://user:pw@db.test/?token=abc', ['user:pw', 'abc']],
  ['Bearer abc', ['abc']],
  ['token=<redacted>', []],
])('finds the hidden places of %s', (text, expected) => {
  expect(parts(text)).toEqual(expected);
});

test('the whole text is hidden if the places are not sure', () => {
  // Hiding the first `x` or the second one would look the same.
  const text = 'token=&token=&token=x';
  const places = hiddenInText(text);
  expect(places.length).toBeGreaterThan(0);
  expect(places.some(([from, to]) => from <= text.length - 1 && to === text.length)).toBe(true);
});

test('text outside of the places is shown in the log, too', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom('token=', '&', 'password=', 'Bearer ', '//u:p@', jwt, '"', '=', '<token>', '</token>'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (all) => {
      const text = all.join('');
      fc.pre(!text.includes('<redacted>'));
      const places = hiddenInText(text);
      const left = redactText(text).replaceAll('<redacted>', '');
      if (left !== text) expect(places.length).toBeGreaterThan(0);
      let shown = '';
      let at = 0;
      for (const [from, to] of places) {
        shown += text.slice(at, from);
        at = to;
      }
      // In doubt the whole text is hidden.
      const isWhole = places.length === 1 && places[0]?.[0] === 0 && places[0][1] === text.length;
      if (!isWhole) expect(shown + text.slice(at)).toBe(left);
    }),
    { numRuns: 500 },
  );
});

test('bodies have pairs with colons, too', () => {
  const text = 'name: x\npassword: secret one\nend';
  expect(hiddenInBody(text).map(([from, to]) => text.slice(from, to))).toEqual(['secret one']);
});

test('headers tell their secrets', () => {
  const basic = `Basic ${Buffer.from('alice:pä:ss').toString('base64')}`;
  expect(secretsInHeader('authorization', basic)).toContain('pä:ss');
  expect(secretsInHeader('authorization', 'bEaReR abc')).toContain('abc');
  expect(secretsInHeader('cookie', 'a=1; sid="x=y"')).toEqual(expect.arrayContaining(['1', 'x=y']));
  expect(secretsInHeader('set-cookie', 'sid=abc=; Path=/; Domain=db.test')).toEqual(['abc=']);
  expect(secretsInHeader('x-api-key', 'k')).toContain('k');
  expect(secretsInHeader('content-type', 'text/plain; a=b')).toEqual([]);
  expect([cookiePlace('a=b; c'), cookiePlace('a=b'), cookiePlace('a')]).toEqual([
    [2, 3],
    [2, 3],
    [0, 1],
  ]);
});

test('the finder knows each encoding, and parts of 16 characters; short secrets are not searched for', () => {
  for (const secret of [...passwords, jwt]) {
    const find = secretFinder([secret]);
    for (const [name, write] of Object.entries(encodings))
      expect([secret, name, find(`it is ${write(secret)}!`)]).toEqual([secret, name, true]);
    for (const spelling of spellingsOf(secret)) expect(find(spelling)).toBe(true);
    expect(find('nothing to find in a text that is long enough')).toBe(false);
  }
  expect(secretFinder([jwt])(`...${jwt.slice(50, 70)}...`)).toBe(true);
  expect(secretFinder(['short', ' pad '])('it is short, and pad')).toBe(false);
});
