import { describe, expect, test } from 'vitest';
import { createPermissionStore } from '../../../src/client/session/index.ts';
import {
  createGuard,
  type GuardOptions,
  type PermissionsOptions,
  permissionsHandler,
} from '../../../src/enforce/guard/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { clientOver } from '../../client/services/support.ts';
import { createPlatform, modes, openPage, shownBy } from '../../gateway/support.ts';

const site = 'https://orders.test';
const token = 'canary.claims.signature';
const actions = ['orders:read', 'orders:write'];
const items = [
  { action: 'orders:read', resource: 'order:7' },
  { action: 'orders:write', resource: 'order:7' },
];

/** A handler whose service allows to read. */
function open(options: Partial<PermissionsOptions> = {}, guardOptions: GuardOptions = {}, reply?: () => Response) {
  const { client, sent } = clientOver(({ path, body }) => {
    if (reply) return reply();
    if (path.endsWith('/validate')) return { isValid: true, details: { user: 'alice', lifetime: '60s' } };
    const asked = (body as { items: { action: string }[] }).items;
    return { items: asked.map(({ action }) => ({ effect: action === 'orders:read' ? 'Allow' : 'Deny' })) };
  });
  return { sent, handle: permissionsHandler(createGuard(client, guardOptions), { actions, ...options }) };
}

const post = (body: unknown, headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
  new Request(`${site}/permissions`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('permissionsHandler answers the items in their order, about the token of the request, by one request', async () => {
  const { handle, sent } = open();
  const answer = await handle(post({ items }));
  expect([answer.status, await answer.json()]).toEqual([200, { items: [true, false] }]);
  expect(Object.fromEntries(answer.headers)).toEqual({
    'cache-control': 'no-store',
    'content-type': 'application/json',
  });
  expect(sent.map(({ path, body }) => [path, body])).toEqual([
    ['/_integration/authorization/v1/evaluate-token-many', { token, items }],
  ]);
});

test('reads a request without `body`, as those of Firefox are, up to the limit of 1 MiB', async () => {
  const { handle } = open();
  const asFirefox = (request: Request) => Object.defineProperty(request, 'body', { value: undefined });
  expect(await (await handle(asFirefox(post({ items })))).json()).toEqual({ items: [true, false] });
  expect((await handle(asFirefox(post(' '.repeat(1_100_000))))).status).toBe(413);
});

test('answer() returns the same for a body that a framework has parsed', async () => {
  const { handle } = open();
  const request = { method: 'POST', headers: { authorization: `Bearer ${token}` } };
  expect(await handle.answer(request, { items })).toEqual({
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: { items: [true, false] },
  });
  for (const body of [undefined, null, '', JSON.stringify({ items }), new Uint8Array(3)]) {
    expect(await handle.answer(request, body)).toMatchObject({ status: 400, body: { code: 3 } });
  }
  expect(await handle.answer({ headers: {} }, { items })).toMatchObject({ status: 401, body: { code: 16 } });
  await expect(handle.answer(undefined as never, { items })).rejects.toMatchObject({ field: 'request' });
});

test('accepts a catalog as its actions, and a request without items', async () => {
  const catalog = { name: 'orders', actions: [{ action: 'orders:read', description: 'Reads.' }] };
  const { handle } = open({ actions: catalog });
  expect(await (await handle(post({ items: items.slice(0, 1) }))).json()).toEqual({ items: [true] });
  expect((await handle(post({ items }))).status).toBe(400);
  expect(await (await handle(post({ items: [] }))).json()).toEqual({ items: [] });
});

describe('is a 400 without a question to the services', () => {
  const long = 'x'.repeat(5_000);
  test.each<[string, unknown, RegExp]>([
    ['another user', { items, user: 'root' }, /^user: unknown/],
    ['another token', { items, token: 'canary' }, /^token: unknown/],
    ['self', { items, self: true }, /^self: unknown/],
    ['a user of an item', { items: [{ ...items[0], user: 'root' }] }, /^items\[0\]\.user: unknown/],
    ['a context', { items: [{ ...items[0], context: {} }] }, /^items\[0\]\.context: unknown/],
    [
      'an action without a name here',
      { items: [{ action: 'rbac:canary', resource: '*' }] },
      /^items\[0\]\.action: not an/,
    ],
    ['an empty action', { items: [{ action: '', resource: '*' }] }, /^items\[0\]\.action: not an/],
    ['a long action', { items: [{ action: long, resource: '*' }] }, /^items\[0\]\.action: not an/],
    ['an action of a prototype', { items: [{ action: 'constructor', resource: '*' }] }, /^items\[0\]\.action: not an/],
    ['no action', { items: [{ resource: '*' }] }, /^items\[0\]\.action: expected a string/],
    [
      'a resource that is not text',
      { items: [{ action: 'orders:read', resource: 7 }] },
      /^items\[0\]\.resource: expected/,
    ],
    ['more items than the maximum', { items: Array(101).fill(items[0]) }, /^items: holds more than 100 items/],
    ['no items', {}, /^items: expected a list/],
    ['a list', items, /^body: expected an object/],
    ['text that is not JSON', '{"items":', /^body: expected an object/],
    ['an empty body', '', /^body: expected an object/],
  ])('%s', async (_name, body, message) => {
    const { handle, sent } = open();
    const answer = await handle(post(body));
    const said = await answer.json();
    expect([answer.status, said.code, answer.headers.get('cache-control')]).toEqual([400, 3, 'no-store']);
    expect(said.message).toMatch(message);
    expect(JSON.stringify(said)).not.toContain('canary');
    // Only an unknown caller's token was looked at.
    expect(sent.map(({ path }) => path)).toEqual(['/_integration/authn/v1/validate']);
  });
});

test('a long name of a field is cut, and answers stay short', async () => {
  const answer = await open().handle(post({ ['x'.repeat(100_000)]: 1 }));
  expect([answer.status, (await answer.json()).message]).toEqual([400, 'x'.repeat(200)]);
});

test('an unknown caller learns nothing from a bad question', async () => {
  const { handle, sent } = open();
  const answer = await handle(post({ items: [{ action: 'x', resource: 'y' }] }, {}));
  expect([answer.status, await answer.json()]).toEqual([401, { code: 16, message: 'Unauthenticated', details: [] }]);
  expect(sent).toEqual([]);
});

test('max limits the items, and an invalid resource is denied', async () => {
  const { handle } = open({ max: 1 });
  expect((await handle(post({ items }))).status).toBe(400);
  const odd = { items: [{ action: 'orders:read', resource: 'x\ud800' }] };
  expect(await (await handle(post(odd))).json()).toEqual({ items: [false] });
});

test('a body of more than 1 MiB is 413, and its rest is not read', async () => {
  const { handle, sent } = open();
  let read = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      read++;
      controller.enqueue(new Uint8Array(100_000).fill(32));
    },
    cancel() {
      cancelled = true;
    },
  });
  const answer = await handle(new Request(site, { method: 'POST', body, duplex: 'half' } as RequestInit));
  expect([answer.status, (await answer.json()).code, cancelled, sent]).toEqual([413, 8, true, []]);
  expect(read).toBeLessThan(15);
});

test('a truncated body is 400, and several chunks are joined', async () => {
  const { handle } = open();
  const over = (pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void) =>
    handle(
      new Request(site, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: new ReadableStream<Uint8Array>({ start: pull }),
        duplex: 'half',
      } as RequestInit),
    );
  expect((await over((controller) => controller.error(new Error('canary')))).status).toBe(400);
  const bytes = new TextEncoder().encode(JSON.stringify({ items: [{ ...items[0], resource: 'ü€😀' }] }));
  const answer = await over((controller) => {
    for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
    controller.close();
  });
  expect(await answer.json()).toEqual({ items: [true] });
});

test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('the method %s is a 405', async (method) => {
  const { handle, sent } = open();
  const answer = await handle(new Request(site, { method, headers: { authorization: `Bearer ${token}` } }));
  expect([answer.status, answer.headers.get('allow'), answer.headers.get('cache-control')]).toEqual([
    405,
    'POST',
    'no-store',
  ]);
  expect(sent).toEqual([]);
  if (method === 'HEAD') expect(await answer.text()).toBe('');
});

test('permissionsHandler does not throw for a method that is not text', async () => {
  const { handle } = open();
  const headers = { authorization: `Bearer ${token}` };
  expect(await handle.answer({ headers, method: null as never }, { items })).toMatchObject({ status: 200 });
  expect(await handle.answer({ headers, method: 7 as never }, { items })).toMatchObject({ status: 405 });
});

describe('a refusal of the guard', () => {
  const cookie = `X-ArangoDB-Token-JWT=${token}`;

  test('a cookie needs a page of this service', async () => {
    const { handle, sent } = open({}, { cookies: true });
    for (const headers of [{}, { origin: 'https://evil.test' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect((await handle(post({ items }, { cookie, ...headers }))).status).toBe(403);
      expect((await handle(post('{', { cookie, ...headers }))).status).toBe(403);
    }
    expect(sent).toEqual([]);
    expect((await handle(post({ items }, { cookie, 'sec-fetch-site': 'same-origin' }))).status).toBe(200);
    expect((await open().handle(post({ items }, { cookie, 'sec-fetch-site': 'same-origin' }))).status).toBe(401);
  });

  test('401 and 503 are the guard’s, and show no token', async () => {
    const invalid = () => Response.json({ code: 9, message: `JWT Token is invalid: ${token}` }, { status: 400 });
    const unauthenticated = await open({}, { realm: 'orders' }, invalid).handle(post({ items }));
    expect([unauthenticated.status, unauthenticated.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="orders", error="invalid_token"',
    ]);
    const broken = open({}, {}, () => new Response(token, { status: 500, headers: { 'retry-after': '7' } }));
    const answer = await broken.handle.answer(post({ items }), { items });
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '7', 'cache-control': 'no-store' } });
    expect(answer.cause).toMatchObject({ code: 'HTTP', status: 500 });
    expect(shownBy(answer)).not.toContain('canary');
    const whole = await broken.handle(post({ items }));
    expect([whole.status, await whole.json()]).toEqual([503, { code: 14, message: 'Unavailable', details: [] }]);
  });
});

test('bad options and another guard are refused', () => {
  const guard = createGuard(clientOver(() => ({})).client);
  for (const [options, field] of [
    [{ actions: [] }, 'actions'],
    [{ actions: ['a:b', ''] }, 'actions[1]'],
    [{ actions: { actions: [{ name: 'a:b' }] } }, 'actions.actions[0].action'],
    [{ actions: 'a:b' }, 'actions'],
    [{}, 'actions'],
    [{ actions, max: 0 }, 'max'],
    [{ actions, maximum: 5 }, 'maximum'],
  ] as const) {
    expect(() => permissionsHandler(guard, options as never)).toThrow(expect.objectContaining({ field }));
  }
  expect(() => permissionsHandler({} as never, { actions })).toThrow(expect.objectContaining({ field: 'guard' }));
});

describe.each(modes)('a service behind the gateway in mode %s', (mode) => {
  test('tells its page which permissions the user has, as the platform decides', async () => {
    const mock = await createPlatform(mode);
    const guard = createGuard(createClient(mock.connection), { cookies: true, origins: ['http://mock.test'] });
    const handle = permissionsHandler(guard, { actions });
    mock.service('orders', {
      '/permissions': {
        post: async ({ request, body }) => {
          const answer = await handle.answer({ method: 'POST', headers: Object.fromEntries(request.headers) }, body);
          return { status: answer.status, headers: answer.headers, body: answer.body };
        },
      },
    });
    const page = openPage(mock, { database: 'shop' });
    const bearer = page.client.with({
      credentials: credentials.login({ username: 'alice', password: 'canary-password' }),
    });
    const ask = bearer.service('orders').route('permissions');
    expect((await ask.post({ items })).body).toEqual({ items: mode === 'None' ? [true, true] : [true, false] });
    const store = createPermissionStore({ ask });
    expect(store.can('orders:read', 'order:7')).toBeUndefined();
    await new Promise<void>((resolve) => store.subscribe(resolve));
    expect(store.can('orders:read', 'order:7')).toBe(true);
  });
});
