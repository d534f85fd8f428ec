import { describe, expect, test } from 'vitest';
import { secretFlagOf } from '../../../src/base/secrets/names.ts';
import {
  isLongBody,
  looksSecret,
  redactBody,
  redactHeaders,
  redactQuery,
  redactText,
} from '../../../src/base/secrets/redact.ts';

const bodyOf = (text: string) => redactBody({ length: text.length, text });
const jsonOf = (value: unknown) => bodyOf(JSON.stringify(value));

describe('text of one line', () => {
  test.each([
    // The name and its value, in the quotes of several languages.
    ['password=hunter', 'password=<redacted>'],
    ['password = hunter', 'password = <redacted>'],
    ['user[password]=hunter&city=Oslo', 'user[password]=<redacted>&city=Oslo'],
    ['"password"=hunter', '"password"=<redacted>'],
    ['password="hunt&er" city=Oslo', 'password=<redacted> city=Oslo'],
    ["password='hunt&er' city=Oslo", 'password=<redacted> city=Oslo'],
    ['password="hunt&er', 'password=<redacted>'],
    ["password='hunt&er", 'password=<redacted>'],
    [String.raw`password="hun\"t&er" city=Oslo`, 'password=<redacted> city=Oslo'],
    [String.raw`password='hun\'t&er' city=Oslo`, 'password=<redacted> city=Oslo'],
    ['password=token=hunter&city=Oslo', 'password=<redacted>&city=Oslo'],
    // Credentials after a scheme.
    ['Bearer  hunter', 'Bearer  <redacted>'],
    ['basic%20dXNlcjpodW50ZXI=', 'basic%20<redacted>'],
    ['https://user:hunter@b.test/x', 'https://<redacted>@b.test/x'],
    // Elements.
    ['<password>hunter</password>', '<password><redacted></password>'],
    ['<password kind="a">hunter</password>', '<password kind="a"><redacted></password>'],
    ['<password>hunter', '<password><redacted>'],
    ['<password><token>hunter</token></password>', '<password><redacted></password>'],
    // A token behind other text.
    ['at-eyJhbGciOi.eyJzdWIi.c2ln', 'at-<redacted>'],
    ['eyJhbGciOi%2EeyJzdWIi%2ec2ln', '<redacted>'],
  ])('%j becomes %j', (text, shown) => {
    expect(redactText(text)).toBe(shown);
  });

  test.each([
    '<password/>city',
    'a.b.eyJhbGciOi',
    'basic a-b',
    'basic dXNlcg==',
    'basic abcde',
    'city=1 password: hunter',
    'compass=north',
  ])('%j stays', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe('a query', () => {
  test.each([
    ['q=basic+dXNlcjpodW50ZXI=', 'q=<redacted>'],
    ['q= {"password":"hunter"}&p=2', 'q=<redacted>&p=2'],
    ['bearer%20hunter&p=2', '<redacted>&p=2'],
    ['=bearer%20hunter', '=<redacted>'],
    ['user%5Bpassword%5D=hunter', 'user%5Bpassword%5D=<redacted>'],
    ['password%2=hunter&p=2', 'password%2=<redacted>&p=2'],
    ['q=x{"password":"hunter"}', 'q=x{"password":"hunter"}'],
    ['', ''],
    ['password', 'password'],
  ])('%j becomes %j', (query, shown) => {
    expect(redactQuery(query)).toBe(shown);
  });
});

describe('a body', () => {
  test('of several parts hides the secret ones, and nothing behind them', () => {
    const part = (head: string, value: string) => ['--b', `Content-Disposition: form-data; ${head}`, '', value];
    const lines = [
      ...['--b', 'Content-Disposition: form-data; name=password', 'Content-Type: text/plain', '', 'hunter', 'second'],
      ...part('name="city"', 'Oslo'),
      ...part('name="api-key"', 'hunter'),
      '--b--',
    ];
    const shown = [
      ...['--b', 'Content-Disposition: form-data; name=password', 'Content-Type: text/plain', '', '<redacted>'],
      ...part('name="city"', 'Oslo'),
      ...part('name="api-key"', '<redacted>'),
      '--b--',
    ];
    expect(bodyOf(lines.join('\r\n'))).toBe(shown.join('\r\n'));
  });

  test('of lines hides what stands behind a colon, too', () => {
    expect(bodyOf('password : hunter\ncity: Oslo')).toBe('password : <redacted>\ncity: Oslo');
  });

  test('of JSON hides what stands below a secret name, but no null', () => {
    expect(jsonOf({ password: null, secret: { a: [1, 'x', null] }, city: 'Oslo', version: '1.0' })).toEqual({
      password: null,
      secret: { a: ['<redacted>', '<redacted>', null] },
      city: 'Oslo',
      version: '1.0',
    });
  });

  test('of JSON inside JSON is read as JSON', () => {
    expect(jsonOf({ note: ' {"password":"hunter"}' })).toEqual({ note: '{"password":"<redacted>"}' });
    expect(jsonOf({ note: '{hunter' })).toEqual({ note: '{hunter' });
  });

  test.each([
    ['objects', (inner: unknown): unknown => ({ a: inner })],
    ['lists', (inner: unknown): unknown => [inner]],
  ])('of JSON is cut off below 32 %s', (_name, wrap) => {
    const nested = (depth: number): unknown => (depth === 0 ? {} : wrap(nested(depth - 1)));
    expect(JSON.stringify(jsonOf(nested(31)))).not.toContain('[deeper]');
    expect(JSON.stringify(jsonOf(nested(32)))).toContain('[deeper]');
  });

  test('of JSON in text counts as one level more', () => {
    const nested = (depth: number): unknown => (depth === 0 ? {} : [nested(depth - 1)]);
    expect(JSON.stringify(jsonOf(JSON.stringify(nested(30))))).not.toContain('[deeper]');
    expect(JSON.stringify(jsonOf(JSON.stringify(nested(31))))).toContain('[deeper]');
  });

  test('that is empty, long or not text is not shown', () => {
    expect([isLongBody(16_384), isLongBody(16_385)]).toEqual([false, true]);
    expect(bodyOf('')).toBeUndefined();
    expect(bodyOf('x'.repeat(16_385))).toBe('[16385 bytes]');
    expect(
      redactBody({
        length: 3,
        get text(): string {
          throw new TypeError('not UTF-8');
        },
      }),
    ).toBe('[3 bytes]');
  });
});

test('headers with secret names or opaque values are hidden', () => {
  const headers = new Map([
    ['authorization', 'x'],
    ['x-trace', '0123456789abcdef0123456789abcdef01'],
    ['referer', 'https://a.test/?password=hunter'],
    ['accept', '*/*'],
  ]);
  expect(redactHeaders(headers)).toEqual({
    authorization: '<redacted>',
    'x-trace': '<redacted>',
    referer: 'https://a.test/?password=<redacted>',
    accept: '*/*',
  });
});

test.each([
  ['eyJhbGci', true],
  ['see eyJ0-_x', true],
  ['eyJhbG', false],
  ['eyJ ///', false],
  ['key/0123456789abcdef0123456789abcdef01', true],
  ['password=hunter', true],
  ['orders:read of alice', false],
])('%j looks secret: %j', (text, expected) => {
  expect(looksSecret(text)).toBe(expected);
});

test.each([
  ['passwordhunter', 'password'],
  ['token', 'token'],
  ['p', 'p'],
  ['token-file', undefined],
  ['city', undefined],
])('the secret flag of %j is %j', (name, flag) => {
  expect(secretFlagOf(name)).toBe(flag);
});
