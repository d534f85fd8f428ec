import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.js';

interface Sent {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.canary';
const basic = btoa('canary:canary');

/** A multipart body with one field. */
const multipart = (name: string, value: string): string =>
  `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--xyz--\r\n`;

/** Returns what the log shows of a request. */
async function logged({ path = '/_db/x/y', headers = {}, body }: Sent) {
  const mock = await createMock({ authentication: { mode: 'None' } });
  await mock.fetch(`http://mock.test${path}`, body === undefined ? { headers } : { method: 'POST', headers, body });
  return mock.requests[0];
}

describe('the request log shows no secret', () => {
  test.each<[string, Sent]>([
    ['a part of a multipart body', { body: multipart('password', 'canary') }],
    ['a part of several lines', { body: multipart('user[pwd]', 'first\r\n\r\ncanary') }],
    ['a percent-encoded name of a form', { body: 'user=a&p%61ssword=canary' }],
    ['a percent-encoded name of a query', { path: '/a?p%61ssword=canary&x=1' }],
    ['a name that is encoded whole', { body: '%70%61%73%73%77%6F%72%64=canary' }],
    ['an element', { body: '<login><Password kind="text">canary</Password></login>' }],
    ['an element with a namespace and other elements', { body: '<a:token><b>canary</b><b>canary</b></a:token>' }],
    ['an element that never ends', { body: '<login><password>canary' }],
    ['an attribute', { body: '<login user="a" password="canary"/>' }],
    ['pass', { body: '{"pass":"canary","dbPass":"canary","db_pass":"canary"}' }],
    ['pwd', { body: '{"pwd":"canary","userPwd":"canary"}' }],
    ['passphrase', { body: '{"key":{"passphrase":"canary"}}' }],
    ['pass in a query', { path: '/a?pass=canary' }],
    ['pass in a header', { headers: { 'x-pass': 'canary' } }],
    ['Bearer in a JSON text', { body: '{"note":"sent Bearer canary-token to it"}' }],
    ['Bearer in a list of headers', { body: `{"headers":["authorization","bearer canary"]}` }],
    ['Basic in a JSON text', { body: `{"curl":"-H 'X-Auth: Basic ${basic}'"}` }],
    ['Basic in a header', { headers: { 'x-forwarded': `Basic ${basic}` } }],
    ['a query inside a URL inside a header', { headers: { referer: 'http://a.test/b?x=1&access_token=canary' } }],
    ['a query inside a path inside a header', { headers: { 'x-original-uri': '/b?pwd=canary' } }],
    ['user and password in a URL', { headers: { origin: 'https://user:canary@a.test/' } }],
    ['a query inside a URL inside a query', { path: '/a?next=http%3A%2F%2Fb%3Ftoken%3Dcanary' }],
    ['a query inside a URL inside a JSON text', { body: '{"url":"http://a.test/?password=canary"}' }],
    ['JSON inside a JSON text', { body: JSON.stringify({ payload: JSON.stringify({ password: 'canary' }) }) }],
    ['malformed JSON', { body: '{"user":"a","password":"canary"' }],
    ['lines of names and values', { body: 'user: a\nDB_PASSWORD=canary\napi-key: canary' }],
    ['a token in a path', { path: `/a/${jwt}` }],
    ['a token in a JSON text', { body: JSON.stringify({ note: jwt }) }],
  ])('%s', async (_, sent) => {
    const request = await logged(sent);
    expect(JSON.stringify(request)).not.toContain('canary');
    expect(JSON.stringify(request)).not.toContain(basic);
    expect(JSON.stringify(request)).toContain('<redacted>');
  });

  test.each<[string, unknown]>([
    ['names that only look similar', { compass: 'north', passenger: 'Ann', bypass: 'no', keyboard: 'qwerty' }],
    ['a pass that is no text', { pass: 5, passes: [1, 2], pwd: null, mountainPass: { height: 3 } }],
    ['sentences', { note: 'a basic plan; a = b; 1 < 2; x@y.test, see http://a.test/?page=2' }],
    ['lists of such', [{ id: 1, tags: ['a=b', 'c: d'] }, 'basic usage', '{not json', '[1,2]']],
  ])('and leaves %s as they are', async (_, value) => {
    expect((await logged({ body: JSON.stringify(value) }))?.body).toEqual(value);
  });

  test('and other parts and elements are unchanged', async () => {
    const parts = `${multipart('user', 'alice').replace('--xyz--\r\n', '')}${multipart('password', 'canary')}`;
    expect((await logged({ body: parts }))?.body).toContain('name="user"\r\n\r\nalice\r\n');
    const xml = await logged({ body: '<login><user>alice</user><password>canary</password><id>7</id></login>' });
    expect(xml?.body).toBe('<login><user>alice</user><password><redacted></password><id>7</id></login>');
  });
});

test('no JSON, copy or printout of a mock shows a key or a password', async () => {
  const mock = await createMock({
    authentication: { keys: { active: 'canary-key', passive: ['canary-passive'] } },
    users: [{ name: 'alice', password: 'canary-password' }],
  });
  expect(mock.settings.users.get('alice')).toBe('canary-password');
  const copy = { ...mock };
  const all = { depth: 20, showHidden: true, getters: true };
  for (const shown of [
    mock,
    copy,
    mock.settings,
    mock.snapshot(),
    mock.tokens,
    mock.keys,
    mock.connection,
    mock.clock,
  ]) {
    for (const text of [JSON.stringify(shown), inspect(shown), inspect(shown, all), inspect({ shown }, all)]) {
      expect(text).not.toContain('canary');
    }
  }
  expect(inspect(mock.settings)).toContain("name: 'alice', password: '<redacted>'");
  expect(inspect(mock)).toContain('fetch:');
});

describe('names and values of secrets', () => {
  const names = ['auth', 'Auth', 'privateKey', 'private_key', 'PRIVATE-KEY', 'sessionId', 'session-id', 'SESSION_ID'];
  const all = [...names, 'pin', 'PIN', 'otp', 'x-auth', 'X_Auth', 'x-session-id', 'xSessionId'];

  test.each(all)('hides values of %s in bodies, queries and headers', async (name) => {
    for (const value of ['canary', 4711, { deep: ['canary'] }]) {
      const request = await logged({ body: JSON.stringify({ [name]: value, user: { [name]: value } }) });
      expect(JSON.stringify(request?.body)).not.toMatch(/canary|4711/);
    }
    const sent = { path: `/a?${name}=canary&x=1`, headers: { [name]: 'canary' }, body: `${name}=canary&a=1` };
    const request = await logged(sent);
    expect(JSON.stringify(request)).not.toContain('canary');
    expect(request?.query).toBe(`${name}=<redacted>&x=1`);
    expect((await logged({ body: `user[${name}]=canary` }))?.body).toBe(`user[${name}]=<redacted>`);
  });

  test.each<[string, Sent]>([
    ['a header of an application', { headers: { 'x-pin': 'canary', 'X-OTP': 'canary', 'x-private-key': 'canary' } }],
    ['a list in a query', { path: '/a?pin[]=canary&otp[0]=canary&user[pin][]=canary' }],
    ['JSON in a query', { path: `/a?filter=${encodeURIComponent('{"pin":"canary","a":[{"auth": "canary"}]}')}` }],
    ['JSON in a query as it is', { path: '/a?filter=[{"password":"canary"}]' }],
    ['an element with a prefix', { body: '<a:user><a:pin>canary</a:pin></a:user>' }],
  ])('hides a value in %s', async (_, sent) => {
    const request = await logged(sent);
    expect(request).toBeDefined();
    expect(JSON.stringify(request)).not.toContain('canary');
  });

  test('values of names that only contain the name of a secret are shown', async () => {
    const value = { shipping: '1', author: 'Ann', pinned: 2, authored: '3', sessionIds: 4, spin: 5, optional: 6 };
    const query = 'shipping=1&author=Ann&pinned=2&action=auth:read&filter={%22a%22:1}&list=[1,2]';
    const request = await logged({ path: `/a?${query}`, headers: { 'x-author': 'Ann' }, body: JSON.stringify(value) });
    expect(request).toMatchObject({ query, headers: { 'x-author': 'Ann' }, body: value });
  });

  const hex = '0123456789abcdef0123456789abcdef';
  test.each([
    hex,
    hex.toUpperCase(),
    'aB3-_x9kLmNoPqRsTuVwXyZ0123456789',
    `${hex}${hex}`,
    'YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo5==',
  ])('the value %s is hidden in headers and queries', async (value) => {
    const request = await logged({ path: `/a?ref=${value}&page=2`, headers: { 'x-ref': value } });
    expect(request).toMatchObject({ query: 'ref=<redacted>&page=2', headers: { 'x-ref': '<redacted>' } });
  });

  test.each([`${hex}, ${hex}`, `Key ${hex}`, `text, ${hex}`])('the value in %s is hidden, too', async (value) => {
    const path = `/a?ref=${encodeURIComponent(value)}&page=2`;
    const request = await logged({ path, headers: { 'x-ref': value } });
    expect(request).toMatchObject({ query: 'ref=<redacted>&page=2', headers: { 'x-ref': '<redacted>' } });
  });

  test.each([
    ['a UUID', '123e4567-e89b-12d3-a456-426614174000'],
    ['a traceparent', `00-${hex}-0123456789abcdef-01`],
    ['31 characters', hex.slice(1)],
    ['letters alone', 'abcdefghijklmnopqrstuvwxyzabcdefghijkl'],
    ['digits alone', '12345678901234567890123456789012'],
    ['words', 'text of more than 32 characters, and 1 digit'],
  ])('%s stays', async (_, value) => {
    const query = `ref=${encodeURIComponent(value)}`;
    const request = await logged({ path: `/a?${query}`, headers: { 'x-ref': value } });
    expect(request).toMatchObject({ query, headers: { 'x-ref': value } });
  });
});
