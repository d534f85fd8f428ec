import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretFilter } from '../../../src/base/secrets/filter.ts';
import { encodings, jwt, passwords, places } from '../../support/secret-encodings.ts';
import { partOf, runsOf } from '../../support/thorough.ts';

test('a secret of any text, in any encoding and place, is never shown', () => {
  const secret = fc.oneof(
    fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme' }).filter((text) => text.isWellFormed()),
    fc.stringMatching(/^[\w.~+/-]{24,80}$/),
  );
  let combinations = 0;
  fc.assert(
    fc.property(secret, fc.constantFrom(...places), (text, place) => {
      const show = secretFilter([text], false);
      for (const [name, encode] of Object.entries(encodings)) {
        combinations += 1;
        if (show(place(encode(text))) !== '') throw new Error(`${name} shows it`);
      }
    }),
    runsOf(600),
  );
  expect(combinations).toBeGreaterThanOrEqual(partOf(10_000));
});

test('innocent texts are shown unchanged', () => {
  const words = [
    'policy',
    'not',
    'found',
    'User "alice"',
    'role',
    '403',
    'Permission denied',
    '/_db/shop/orders',
    'ä',
    '%41',
  ];
  const show = secretFilter([...passwords, jwt], true);
  const message = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(message, (text) => show(text) === text.replace(/\/_db\/shop\/orders/g, '…')),
    runsOf(10_000),
  );
});
