import { describe, expect, test } from 'vitest';
import { secretFilter, secretsOf } from '../../src/connection/secret-filter.ts';
import { encodings, jwt, passwords, places } from '../support/secret-encodings.ts';

describe('secrets of a call', () => {
  const all = [...passwords, jwt];

  test.each(Object.keys(encodings))('are found written as %s', (name) => {
    const encode = encodings[name] ?? String;
    for (const secret of all) {
      const show = secretFilter([secret], false);
      for (const place of places) expect([secret, show(place(encode(secret)))]).toEqual([secret, '']);
    }
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
