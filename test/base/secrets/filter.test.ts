import { describe, expect, test } from 'vitest';
import { secretFilter, showMessage } from '../../../src/base/secrets/filter.ts';
import { secretsOf, sentValues } from '../../../src/base/secrets/sent.ts';
import { encodings, jwt, passwords, places } from '../../support/secret-encodings.ts';

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

  test('a token is found even if some of the 16 characters belong to base64', () => {
    const token = 'aB3-_x9/+kLmN-oPqRsT_-uVwXyZ';
    for (let start = 0; start + 16 <= token.length; start++) {
      expect(secretFilter([token], false)(`near ${token.slice(start, start + 16)}`)).toBe('');
    }
  });

  test('a secret that extends beyond the searched text is found by its parts', () => {
    const text = 'S3cret-part/'.repeat(400);
    expect(secretFilter([text], false)(`got ${text}`)).toBe('');
  });

  test('a secret of fewer than 8 characters is found between quotes only', () => {
    const show = secretFilter(['root', 'sixteen'], false);
    for (const text of ['User root not found', 'sixteen of them']) expect(show(text)).toBe(text);
    for (const text of ['password "root" is wrong', "password 'root' is wrong", '{\\"password\\":\\"sixteen\\"}']) {
      expect(show(text)).toBe('');
    }
    expect(secretFilter(['eighteen'], false)('eighteen of them')).toBe('');
  });

  test('an empty secret is ignored', () => {
    expect(secretFilter([''], false)('User "" not found')).toBe('User "" not found');
  });

  test('decodes the last code point of Unicode, and ignores numbers beyond it', () => {
    const show = secretFilter(['pass-\u{10ffff}-word'], false);
    expect(show('is pass-&#x10FFFF;-word')).toBe('');
    expect(show('is &#x110000; or &#9999999;')).toBe('is &#x110000; or &#9999999;');
  });
});

/** UTF-8 in a header or a status text, as fetch decodes it. */
const latin1 = (text: string) => Buffer.from(text).toString('latin1');

describe('a password of 8 and more characters', () => {
  test.each([
    ['in another case', 'Correct-Horse1', 'CORRECT-HORSE1 is wrong'],
    ['in another case with more characters', 'Straße-12', 'STRASSE-12'],
    ['with white space doubled', 'ab cd efgh', 'ab  cd   efgh'],
    ['with white space collapsed', 'ab   cd  efgh', 'ab cd efgh'],
    ['with other white space', 'ab cd efgh', 'ab\u00a0cd\r\nefgh'],
    ['with a ? for each non-ASCII character', 'pä$$wörd', 'got p?$$w?rd'],
    ['with a ? for each byte', 'pä$$wörd', 'got p??$$w??rd'],
    ['with U+FFFD', 'pä$$wörd', 'got p\ufffd$$w\ufffd\ufffdrd'],
    ['with ? alone', 'пароль-ключ', 'got ??????-????'],
    ['with U+FFFD alone', 'пароль-ключ', `got ${'\ufffd'.repeat(6)}-${'\ufffd'.repeat(4)}`],
    ['with one U+FFFD for all of them', 'aпароль1б', 'got a\ufffd1\ufffd'],
    ['with a ? for each byte of many', 'aпароль1б', 'got a????????????1??'],
    ['in UTF-8 decoded as Latin-1', 'cittàvuota', `got ${latin1('cittàvuota')}`],
    ['in UTF-8 decoded as Latin-1, without ASCII', 'парольключ', `got ${latin1('парольключ')}`],
    ['in another composition', 'pässwörd', `got ${'pässwörd'.normalize('NFD')}`],
    ['in full width', 'password12', 'got ｐａｓｓｗｏｒｄ１２'],
    ['with its tab as JSON writes it', 'pass\tword', 'got {"password":"pass\\tword"}'],
    ['with its line end as JSON writes it', 'pass\r\nword', 'got pass\\r\\nword'],
    ['with entities of HTML', 'pässwörd', 'got p&auml;ssw&ouml;rd'],
    ['with its white space as HTML', 'pass word', 'got pass&nbsp;word'],
    ['with the escapes of bytes', 'pässwörd', "got b'p\\xc3\\xa4ssw\\xc3\\xb6rd'"],
    ['with escapes of Latin-1', 'pässwörd', 'got p\\xe4ssw\\xf6rd'],
    ['with the escapes of an old script', 'pässwörd', 'got p%u00e4ssw%u00f6rd'],
    ['as its first 8 characters', 'plainpassword', 'got plainpas…'],
    ['as its first 8 characters in base64', 'plainpassword', `got ${btoa('plainpas')}`],
    ['as more than 8 characters, in another case', 'plainpassword', 'got PLAINPASSW'],
  ])('is not shown %s', (_, secret, text) => {
    expect(secretFilter([secret], false)(text)).toBe('');
  });

  test('is not found in similar text', () => {
    const show = secretFilter(['plainpassword', 'пароль-ключ', 'pä$$wörd'], false);
    for (const text of ['plain text', 'Wie heißt du? доступ запрещен', 'what? (p$$w)']) expect(show(text)).toBe(text);
  });
});

describe('values of a call', () => {
  const url = 'http://a.test/x?limit=5&q=canary%20one&q=&empty';

  test.each<[string, unknown, string[]]>([
    ['only a query', undefined, []],
    ['JSON', '{"name":"alice","list":[1,{"on":true,"none":null}]}', ['alice', '1', 'true', 'null']],
    ['a text of JSON', '"alice"', ['alice']],
    ['text', 'alice, twice', ['alice, twice', 'alice, twice']],
    ['a form as text', 'name=alice&pw=x%20y', ['name=alice&pw=x%20y', 'alice', 'x y']],
    ['a form', new URLSearchParams([['a', 'x y']]), ['x y']],
    ['bytes', new Uint8Array([97, 98]), []],
  ])('are read from the query and from %s', (_, body, values) => {
    expect(sentValues(url, body)).toEqual(['5', 'canary one', 'q', 'empty', ...values]);
  });

  test('are searched for as a whole, and by parts of 16 characters', () => {
    const show = secretFilter([], false, ['order of alice', 'a longer text than the others', 'viewer']);
    for (const text of ['no "Order of  Alice"', 'near: longer text than', "role 'viewer' exists"])
      expect(show(text)).toBe('');
    for (const text of ['no order of bob', 'near: longer text', 'no viewer']) expect(show(text)).toBe(text);
  });

  test('show no text at all if there is too much to search for', () => {
    const long = 'x'.repeat(65_537);
    expect(secretFilter([], false, sentValues(url, long.slice(1)))('no space left')).toBe('no space left');
    expect(sentValues(url, long)).toBe(null);
    expect(secretFilter([], false, null)('no space left')).toBe('');
  });
});

describe('innocent texts', () => {
  test.each([
    'Permission denied',
    'User "alice" has no role &#39;reader&#39; in /_db/shop/orders, 403',
    'five layers of escapes: %2525252541',
  ])('are shown unchanged: %s', (text) => {
    expect(secretFilter([...passwords, jwt, 'eighteen'], false)(text)).toBe(text);
  });

  test('control and bidirectional characters and line ends become spaces; the length is bounded', () => {
    const show = secretFilter([], false);
    expect(show('a\u202eb\u0000c\r\nd\u2066e\u001b[31m')).toBe('a b c d e [31m');
    expect(show(' a\n')).toBe('a');
    expect(show('x'.repeat(5_000))).toHaveLength(500);
  });

  test('if a response may contain a secret, long runs of token characters are omitted', () => {
    expect(secretFilter([], true)('made eyJhbGciOi.eyJzdWIi.c2ln for alice')).toBe('made … for alice');
    expect(secretFilter([], true)('xeyJhbGciOiJIUzI1NiJ9.x.y')).toBe('…');
    expect(secretFilter([], false)('made eyJhbGciOi.eyJzdWIi.c2ln for alice')).toContain('eyJ');
  });
});

test('a message about a stream shows neither its own token nor another one', () => {
  expect(showMessage('refused: user "alice"')).toBe('refused: user "alice"');
  for (const text of [`refused: ${jwt}`, 'refused: eyJhbGciOi', 'refused: tok-0123']) {
    expect(showMessage(text, 'Bearer tok-0123')).toBe('message omitted: it may hold a token');
  }
});

describe('headers of a call', () => {
  const basic = Buffer.from('alice:pä$$wörd').toString('base64');

  test.each([
    [{ authorization: `Bearer ${jwt}` }, [jwt]],
    [{ authorization: `bearer  ${jwt}` }, [jwt]],
    [{ authorization: `Basic ${basic}` }, [basic, 'pä$$wörd']],
    [{ authorization: 'Basic no-base64' }, ['no-base64']],
    [{ Authorization: 'ApiKey 0123456789abcdef' }, ['0123456789abcdef']],
    [{ 'x-api-key': '0123-4567 89ab-cdef' }, ['0123-4567 89ab-cdef']],
    [{ cookie: 'session=0123456789abcdef' }, ['session=0123456789abcdef', '0123456789abcdef']],
    [{ cookie: 'a=1; sid=hunter2hunter2' }, ['a=1; sid=hunter2hunter2', '1', 'hunter2hunter2']],
    [{ authorization: 'Digest realm="r", response="0a1b"' }, ['realm="r", response="0a1b"', 'r', '0a1b']],
    ...['x-jwt', 'x-session-id', 'x-credential', 'db-pwd', 'x-passphrase', 'x-pin', 'otp'].map(
      (name): [Record<string, string>, string[]] => [{ [name]: 'hunter2' }, ['hunter2']],
    ),
    [{ authorization: 'Bearer tok', 'x-password': 'pw' }, ['tok', 'pw']],
  ])('%o', (headers, secrets) => {
    expect(secretsOf(headers)).toEqual(secrets);
  });

  test('other headers are not secret', () => {
    expect(secretsOf({ accept: 'application/json', 'x-tenant': 'acme', 'x-shipping': 'a=b' })).toEqual([]);
  });
});
