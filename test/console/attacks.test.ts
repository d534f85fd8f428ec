import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen, type MockServer } from '../../src/console/mock/node.js';
import { createMock, type Mock } from '../../src/mock/index.js';
import { beginSession, pageHeaders, type RawRequest, sendHttp2, sendRaw } from './support/browser.js';
import { canaries, shop } from './support/shop.js';

let mock: Mock;
let server: MockServer;
let token: string;
let open: MockServer;

beforeAll(async () => {
  mock = await createMock(shop);
  server = await listen(mock, { console: true, cors: ['https://app.test'], allowedHosts: ['db.test'] });
  open = await listen(mock, { console: true, host: '0.0.0.0' });
  ({ token } = await beginSession(server.port));
});
afterAll(() => mock[Symbol.asyncDispose]());

type Changes = Readonly<Record<string, string | undefined>>;

/** The headers of a call of the page, with some of them replaced or left out. */
function headersWith(changes: Changes = {}): Record<string, string> {
  const all = { ...pageHeaders(server.port), 'x-console-token': token, ...changes };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const call = (name: string, argument: unknown = {}, changes?: Changes): RawRequest => ({
  method: 'POST',
  path: `/_console/api/${name}`,
  headers: headersWith(changes),
  body: JSON.stringify(argument),
});

test('accepts the call that all attacks are made from', async () => {
  expect((await sendRaw(server.port, call('overview'))).status).toBe(200);
});

describe.each(['overview', 'state', 'events', 'log', 'fileState', 'clearRequests'])('a call of %s', (name) => {
  test.each<readonly [string, number, Changes]>([
    ['of another origin', 403, { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
    ['of an origin that cors allows', 403, { origin: 'https://app.test', 'sec-fetch-site': undefined }],
    ['of another port of this machine', 403, { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['of the origin null', 403, { origin: 'null' }],
    ['with an empty origin', 403, { origin: '' }],
    ['of a rebound name', 403, { host: 'evil.test:80', origin: 'http://evil.test:80' }],
    ['of a name that only ends like loopback', 403, { host: 'xlocalhost', origin: 'http://xlocalhost' }],
    ['of a host with a user in it', 403, { host: 'localhost@evil.test', origin: 'http://localhost@evil.test' }],
    ['that is cross-site by its fetch metadata', 403, { 'sec-fetch-site': 'cross-site' }],
    ['that is same-site by its fetch metadata', 403, { 'sec-fetch-site': 'same-site' }],
    ['that a user typed by its fetch metadata', 403, { 'sec-fetch-site': 'none' }],
    ['without origin and fetch metadata', 403, { origin: undefined, 'sec-fetch-site': undefined }],
    ['without a token', 401, { 'x-console-token': undefined }],
    ['with a wrong token', 401, { 'x-console-token': 'a'.repeat(22) }],
    ['with a token in a cookie only', 401, { 'x-console-token': undefined, cookie: 'x-console-token=token' }],
    ['as a form', 415, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['as plain text', 415, { 'content-type': 'text/plain' }],
  ])('%s is refused with %i', async (_, status, changes) => {
    // HTTP/2 itself refuses a user in the host.
    for (const send of changes.host?.includes('@') ? [sendRaw] : [sendRaw, sendHttp2]) {
      const { host, ...headers } = headersWith(changes);
      const raw = {
        ...call(name),
        headers: send === sendRaw ? headersWith(changes) : { ...headers, ':authority': host ?? '' },
      };
      const answer = await send(server.port, raw);
      expect([answer.status, Object.keys(JSON.parse(answer.text))]).toEqual([status, ['error']]);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(answer.text).not.toContain(token);
    }
  });
});

test('refuses a session to other origins, rebound names and cross-site forms', async () => {
  for (const changes of [
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { host: 'evil.test', origin: 'http://evil.test' },
    { 'sec-fetch-site': 'cross-site' },
    { 'content-type': 'text/plain' },
  ]) {
    const answer = await sendRaw(server.port, { ...call('overview', {}, changes), path: '/_console/session' });
    expect([403, 415]).toContain(answer.status);
    expect(answer.text).not.toContain(token);
  }
});

test('answers no preflight, for any origin', async () => {
  const headers = { origin: 'https://app.test', 'access-control-request-method': 'POST' };
  const answer = await sendRaw(server.port, { method: 'OPTIONS', path: '/_console/api/state', headers });
  expect(answer.status).toBe(403);
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test.each(['GET', 'PUT', 'DELETE', 'HEAD', 'PATCH'])('refuses the method %s for a call', async (method) => {
  const { path, headers = {} } = call('clearRequests');
  const answer = await sendRaw(server.port, { method, path, headers });
  expect(answer.status).toBe(405);
});

test.each([
  '/_console/../package.json',
  '/_console/%2e%2e/package.json',
  '/_console/..%2f..%2fpackage.json',
  '/_console/..\\..\\package.json',
  '/_console//etc/passwd',
  '/_console/index.html%00.js',
  '/_console/console.js/',
  '/_console/__proto__',
  '/_console/constructor',
  '/_console/api',
])('serves no file for the path %s', async (path) => {
  const { status, text } = await sendRaw(server.port, { path, headers: headersWith() });
  expect([400, 404]).toContain(status);
  expect(text).not.toMatch(/arango-services"|root:/);
});

test.each(['__proto__', 'constructor', 'toString', 'then', 'close', 'Overview', 'overview/', 'overview%20', ''])(
  'knows no call of the name %j',
  async (name) => {
    const { status, text } = await sendRaw(server.port, { ...call('x'), path: `/_console/api/${name}` });
    expect([status, JSON.parse(text).error.code]).toEqual([404, 'unsupported']);
  },
);

test.each(['/_console/?key=', '/_console/?', '/_console/api/overview?x=1', '/_console/session?key='])(
  'takes nothing from the query of %s',
  async (path) => {
    const key = open.console?.key ?? '';
    const request = { ...call('overview'), path: path.endsWith('=') ? path + key : path };
    const answer = await sendRaw(open.port, {
      ...request,
      headers: { ...request.headers, host: `127.0.0.1:${open.port}` },
    });
    expect(answer.status).toBe(400);
    expect(answer.headers['set-cookie']).toBeUndefined();
  },
);

test('frames nothing and loads its files into no other page', async () => {
  for (const destination of ['iframe', 'script', 'image', 'empty']) {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': destination };
    expect((await sendRaw(server.port, { path: '/_console/console.js', headers })).status).toBe(403);
  }
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
  expect((await sendRaw(server.port, { path: '/_console/', headers: link })).status).toBe(200);
  const rebound = { host: 'evil.test' };
  expect((await sendRaw(server.port, { path: '/_console/', headers: rebound })).status).toBe(403);
});

test('accepts a host that was allowed, and refuses one that was not, on any address', async () => {
  const allowed = { host: 'db.test:1', origin: 'http://db.test:1' };
  expect((await sendRaw(server.port, call('overview', {}, allowed))).status).toBe(200);
  const answer = await sendRaw(open.port, { path: '/_console/', headers: { host: 'anything.test' } });
  expect(answer.status).toBe(403);
});

test('refuses giant bodies early, and answers the next call', async () => {
  const big = { ...call('state'), body: `{"x":"${'x'.repeat(5_000_000)}"}` };
  const answer = await sendRaw(server.port, big).catch(() => undefined);
  if (answer !== undefined) expect(answer.status).toBe(413);
  expect(
    (
      await sendHttp2(server.port, { ...big, headers: { ...headersWith({ host: undefined }) } }).catch(() => ({
        status: 413,
      }))
    ).status,
  ).toBe(413);
  expect((await sendRaw(server.port, call('overview'))).status).toBe(200);
});

test.each([
  '{',
  '',
  'null',
  '[]',
  '"x"',
  '{"id":{"a":1}}',
  '{"id":-1}',
  '{"id":1e400}',
  '{"__proto__":{"id":1}}',
  '\u{feff}{}',
])('refuses the argument %j', async (body) => {
  const { status, text } = await sendRaw(server.port, { ...call('request'), body });
  expect([status, JSON.parse(text).error.code]).toEqual([400, 'invalid']);
});

/** Sends bytes as they are, and reads until the server closes or is silent. */
function sendBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
    socket.setTimeout(300, () => socket.destroy());
    socket.once('close', () => resolve(text));
    socket.once('error', () => resolve(text));
  });
}

test.each([
  ['two hosts', 'GET /_console/ HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n\r\n'],
  ['a host of another', 'GET http://localhost/_console/ HTTP/1.1\r\nHost: evil.test\r\n\r\n'],
  ['no host', 'GET /_console/ HTTP/1.0\r\n\r\n'],
  [
    'two lengths',
    'POST /_console/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n{}',
  ],
  [
    'a length and chunks',
    'POST /_console/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /_console/ HTTP/1.1\r\nHost: localhost\r\n\r\n',
  ],
  [
    'a method that hides another',
    'GET /_console/api/state HTTP/1.1\r\nHost: localhost\r\nX-HTTP-Method-Override: POST\r\n\r\n',
  ],
])('smuggles nothing in by %s', async (_, bytes) => {
  const text = await sendBytes(server.port, bytes);
  expect(text).not.toMatch(/^HTTP\/1\.1 [23]/m);
  expect(text).not.toContain(token);
});

test('refuses calls without the cookie that the key gives, even with the page token of another caller', async () => {
  const key = open.console?.key ?? '';
  const { token: bought, cookie } = await beginSession(open.port, key);
  const ask = (changes: Changes) =>
    sendRaw(open.port, {
      ...call('state'),
      headers: { ...headersWith(), ...pageHeaders(open.port), ...changes } as Record<string, string>,
    });
  expect((await ask({ 'x-console-token': bought, cookie })).status).toBe(200);
  for (const changes of [
    { 'x-console-token': bought },
    { 'x-console-token': bought, cookie: `${cookie}x` },
    { 'x-console-token': bought, cookie: `${cookie.split('=')[0]}=${key}` },
    { 'x-console-token': token, cookie },
    { 'x-console-token': '', cookie },
  ]) {
    expect((await ask(changes)).status).toBe(401);
  }
  // The cookie of one port is not that of another.
  expect((await sendRaw(server.port, call('state', {}, { cookie, 'x-console-token': bought }))).status).toBe(401);
});

test('answers wrong keys late, alike, and without a hint', async () => {
  const key = open.console?.key ?? '';
  const guesses = [
    '',
    'a',
    key.slice(0, 21),
    `${key.slice(0, 21)}${key.endsWith('A') ? 'Q' : 'A'}`,
    key.toLowerCase() + key,
    'x'.repeat(1_000),
  ];
  const begun = performance.now();
  const answers = await Promise.all(
    guesses.map((guess) =>
      sendRaw(open.port, {
        method: 'POST',
        path: '/_console/session',
        headers: pageHeaders(open.port),
        body: JSON.stringify({ key: guess }),
      }),
    ),
  );
  expect(performance.now() - begun).toBeGreaterThan(180);
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(401);
});

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'; rm -rf / #",
  '$(touch /nowhere)`id`',
  '../../etc/passwd',
  '__proto__',
  'a\r\nset-cookie: x=1',
  '\u202egnp.exe',
  '%00',
  '{{7*7}}',
];

test.each(hostile)('shows %j as text in every field', async (text) => {
  const policy = { statements: [{ effect: 'Allow', actions: ['a:b'], resources: [text], description: text }] };
  const made = await sendRaw(server.port, call('preview', { edit: { kind: 'create-policy', name: text, policy } }));
  expect([200, 400]).toContain(made.status);
  const calls: readonly (readonly [string, unknown])[] = [
    ['explain', { subject: { user: text, roles: [text] }, action: text, resource: text }],
    ['matrix', { of: 'users', names: [text], actions: [text], resource: text }],
    ['grants', { user: text }],
    ['token', { text }],
    ['mint', { user: text, groups: [text] }],
    ['compareFile', { text }],
    ['snapshot', { name: text }],
  ];
  for (const [name, argument] of calls) {
    const answer = await sendRaw(server.port, call(name, argument));
    expect([name, answer.status]).toEqual([name, 200]);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['set-cookie']).toBeUndefined();
  }
});

test('shows no password, key or token in any answer', async () => {
  const issued = await mock.tokens.issue({ user: 'alice' });
  await mock.fetch(`${mock.connection.url}/_open/auth`, {
    method: 'POST',
    body: JSON.stringify({ username: 'alice', password: canaries.password }),
  });
  await mock.fetch(`${mock.connection.url}/_api/version?token=${issued}`, {
    headers: { authorization: `bearer ${issued}`, cookie: `session=${issued}` },
  });
  await mock.fetch(`${mock.connection.url}/_api/version`, {
    headers: { authorization: `Basic ${btoa(`alice:${canaries.password}`)}` },
  });
  const secrets = [...Object.values(canaries), issued, btoa(`alice:${canaries.password}`)];
  const { rows } = JSON.parse((await sendRaw(server.port, call('requests'))).text).value;
  const calls: (readonly [string, unknown])[] = [
    ...['overview', 'requests', 'state', 'edits', 'clock', 'faults', 'snapshots'].map((name) => [name, {}] as const),
    ...rows.map(({ id }: { id: number }) => ['request', { id }] as const),
    ...['seed', 'createMock', 'permissions'].map((kind) => ['exportAs', { kind }] as const),
  ];
  expect(rows.length).toBeGreaterThanOrEqual(3);
  for (const [name, argument] of calls) {
    const { status, text } = await sendRaw(server.port, call(name, argument));
    expect([name, status]).toEqual([name, 200]);
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});
