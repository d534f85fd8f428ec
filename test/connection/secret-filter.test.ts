import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretFilter, secretsOf } from '../../src/connection/secret-filter.ts';
import { encodings, places } from '../support/secret-encodings.ts';

const jwt =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJwcmVmZXJyZWRfdXNlcm5hbWUiOiJhbGljZSIsImV4cCI6MTc2MzY0MDAwMH0.c2lnbmF0dXJlLWNhbmFyeQ';
const passwords = [
  'correct horse',
  'pä$$wörd&<>"\'',
  'a+b/c=d%41',
  'back\\slash\\u0041',
  'ünïcödé-😀-pass',
  'plainpassword',
];

describe('secrets of a call', () => {
  const all = [...passwords, jwt];

  test.each(Object.keys(encodings))('are found written as %s', (name) => {
    const encode = encodings[name] ?? String;
    for (const secret of all) {
      const show = secretFilter([secret], false);
      for (const place of places) expect([secret, show(place(encode(secret)))]).toEqual([secret, '']);
    }
  });

  test('of any text, in any encoding and place: 10 000 combinations, none shown', () => {
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
      { numRuns: 600 },
    );
    expect(combinations).toBeGreaterThanOrEqual(10_000);
  });

  test('a token is found by any 16 characters of it', () => {
    for (let start = 0; start + 16 <= jwt.length; start++) {
      const part = jwt.slice(start, start + 16);
      expect(secretFilter([jwt], false)(`near ${part}`)).toBe('');
    }
    expect(secretFilter([jwt], false)(`near ${jwt.slice(40, 55)} here`)).not.toBe('');
  });

  test('a secret that goes on behind the end of what is searched is found by its parts', () => {
    const text = 'S3cret-part/'.repeat(400);
    expect(secretFilter([text], false)(`got ${text}`)).toBe('');
  });

  test('a short one counts between quotes only', () => {
    const show = secretFilter(['root'], false);
    expect(show('User root not found')).toBe('User root not found');
    for (const text of ['password "root" is wrong', "password 'root' is wrong", '{\\"password\\":\\"root\\"}']) {
      expect(show(text)).toBe('');
    }
  });
});

describe('innocent texts', () => {
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

  test('10 000 of them are shown as they are', () => {
    const show = secretFilter([...passwords, jwt], true);
    const message = fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 })
      .map((parts) => parts.join(' '));
    fc.assert(
      fc.property(message, (text) => show(text) === text.replace(/\/_db\/shop\/orders/g, '…')),
      { numRuns: 10_000 },
    );
  });

  test('control and bidirectional characters, and lines, become spaces; the length is bounded', () => {
    const show = secretFilter([], false);
    expect(show('a\u202eb\u0000c\r\nd\u2066e\u001b[31m')).toBe('a b c d e [31m');
    expect(show('x'.repeat(5_000))).toHaveLength(500);
  });

  test('where an answer may hold a secret, long runs of token characters are left out', () => {
    expect(secretFilter([], true)('made eyJhbGciOi.eyJzdWIi.c2ln for alice')).toBe('made … for alice');
    expect(secretFilter([], true)('xeyJhbGciOiJIUzI1NiJ9.x.y')).toBe('…');
    expect(secretFilter([], false)('made eyJhbGciOi.eyJzdWIi.c2ln for alice')).toContain('eyJ');
  });
});

describe('headers of a call', () => {
  test.each([
    [{ authorization: `Bearer ${jwt}` }, jwt],
    [{ authorization: `bearer ${jwt}` }, jwt],
    [{ authorization: `Basic ${Buffer.from('alice:pä$$wörd').toString('base64')}` }, 'pä$$wörd'],
    [{ Authorization: 'ApiKey 0123456789abcdef' }, '0123456789abcdef'],
    [{ 'x-api-key': '0123456789abcdef' }, '0123456789abcdef'],
    [{ cookie: 'session=0123456789abcdef' }, 'session=0123456789abcdef'],
  ])('%o', (headers, secret) => {
    expect(secretsOf(headers)).toContain(secret);
  });

  test('others hold none', () => {
    expect(secretsOf({ accept: 'application/json', 'x-tenant': 'acme' })).toEqual([]);
  });
});

test('the time it takes grows with the text that is searched, not with its square', () => {
  const hostile = ['-ey', '%', '&#', '\\u', 'ey-', 'a.', '\\', 'eyJ'.repeat(8)];
  const show = secretFilter([jwt], true);
  // A quadratic search of 8 MiB would take hours: the test would not end.
  for (const part of hostile) expect(show(part.repeat(8_388_608 / part.length)).length).toBeLessThanOrEqual(500);
});
