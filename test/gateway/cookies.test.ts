import ky from 'ky';
import { describe, expect, test, vi } from 'vitest';
import { type Credentials, createClient, credentials, isSignInRequired, type Transport } from '../../src/index.ts';
import { failureOf } from '../support/failure.ts';
import { alice, bob, createPlatform, modes, openPage, shownBy } from './support.ts';

describe.each(modes)('cookies in mode %s', (mode) => {
  test('authenticate calls without an Authorization header', async () => {
    const mock = await createPlatform(mode);
    mock.service('orders', { '/open': { get: ({ user }) => ({ body: { user } }) } });
    const page = openPage(mock, { database: 'shop' });
    await page.client.authentication.login({ ...alice, cookies: true });
    expect((await page.client.service('orders').get('open')).body).toEqual(mode === 'None' ? {} : { user: 'alice' });
    expect(await page.client.authentication.identity()).toEqual({ user: mode === 'None' ? 'root' : 'alice' });
    expect(page.sent.some(({ headers }) => headers.has('authorization') || headers.has('cookie'))).toBe(false);
    expect(page.sent.map((one) => one.credentials)).toEqual([undefined, undefined, undefined]);
  });

  test('identity, login and logout go to the gateway, also without the option `gateway`', async () => {
    const page = openPage(await createPlatform(mode), { gateway: false });
    const { authentication } = page.client;
    await authentication.login({ ...alice, cookies: true });
    await authentication.identity();
    expect(page.jar.size).toBe(1);
    await authentication.logout();
    expect(page.jar.size).toBe(0);
    expect(page.paths()).toEqual(['/_login', '/_identity', '/_logout']);
  });
});

test('without a session a call is a 401, which asks for a sign-in', async () => {
  const mock = await createPlatform('Native');
  mock.service('orders', { '/open': { get: () => ({ body: {} }) } });
  const { client, sent } = openPage(mock, { database: 'shop' });
  const error = await failureOf(client.service('orders').get('open'));
  expect([error.status, isSignInRequired(error)]).toEqual([401, true]);
  expect(sent).toHaveLength(1);
});

test('with crossOrigin cookies are sent to the origins of the client, and to no other', async () => {
  const sent: [string, string | undefined][] = [];
  vi.stubGlobal('location', new URL('https://page.test/'));
  const client = createClient({
    url: 'https://gw.test',
    integrationUrl: 'https://sidecar.test',
    managementUrl: 'https://management.test',
    gateway: true,
    retry: 0,
    credentials: credentials.cookies({ crossOrigin: true }),
    fetch: async (url, init) => {
      sent.push([url, init.credentials]);
      return new Response(null, { status: 302, headers: { location: 'https://evil.test/' } });
    },
  });
  vi.unstubAllGlobals();
  const calls = [
    () => client.route('orders').get(),
    () => client.absoluteRoute('files').get(),
    () => client.authentication.login({ ...alice, cookies: true }),
    () => client.authentication.logout(),
    () => client.authentication.validate('t'),
    () => client.authentication.keys(),
  ];
  for (const call of calls) expect((await failureOf(call())).code).toBe('REDIRECT');
  expect(sent).toEqual([
    ['https://gw.test/_db/_system/orders', 'include'],
    ['https://gw.test/files', 'include'],
    ['https://gw.test/_login', 'include'],
    ['https://gw.test/_logout', 'include'],
    ['https://sidecar.test/_integration/authn/v1/validate', 'include'],
    ['https://management.test/_management/authentication/keys', 'include'],
  ]);
});

test('with crossOrigin the client’s own ky and transport get the mode, too', async () => {
  const modesSent: unknown[] = [];
  vi.stubGlobal('location', new URL('https://page.test/'));
  vi.stubGlobal('fetch', async (_url: string, { credentials: mode }: RequestInit) => {
    modesSent.push(mode);
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  });
  const transport: Transport = { send: async (url, request) => globalThis.fetch(url, request) };
  for (const way of [{}, { transport }, { ky: ky.create({ credentials: 'omit' }) }]) {
    for (const crossOrigin of [true, false]) {
      const given = credentials.cookies({ crossOrigin });
      const client = createClient({ url: 'https://gw.test', credentials: given, retry: 0, ...way });
      await client.with({ timeout: 5_000 }).database('other').route('orders').get();
    }
  }
  vi.unstubAllGlobals();
  expect(modesSent).toEqual(['include', undefined, 'include', undefined, 'include', undefined]);
});

test('other credentials do not change the mode of fetch (`credentials`)', async () => {
  const page = openPage(await createPlatform('Native'));
  const asBob = page.client.with({ credentials: credentials.bearer('canary-token') });
  await asBob
    .route('_echo')
    .get()
    .catch(() => undefined);
  await page.client
    .route('_echo')
    .get()
    .catch(() => undefined);
  expect(page.sent.map((one) => [one.credentials, one.headers.get('authorization')])).toEqual([
    [undefined, 'Bearer canary-token'],
    [undefined, null],
  ]);
});

// Deno has the field without a page.
describe.each([{}, { location: undefined }])('on a server with %o', (globals) => {
  test.each([undefined, { crossOrigin: true }])('with %o every call is refused before sending', async (options) => {
    const fetch = vi.fn();
    if ('location' in globals) vi.stubGlobal('location', undefined);
    const given = credentials.cookies(options);
    const client = createClient({ url: 'http://mock.test', gateway: true, fetch, credentials: given });
    const { authentication } = client;
    const calls = [
      () => client.route('orders').get(),
      () => client.absoluteRoute('files').get(),
      () => client.authorization.checkSelf({ action: 'orders:read', resource: 'orders' }),
      () => authentication.identity(),
      () => authentication.login({ ...alice, cookies: true }),
      () => authentication.logout(),
    ];
    for (const call of calls) {
      const error = await failureOf(call());
      expect([error.code, isSignInRequired(error)]).toEqual(['CREDENTIALS', false]);
      expect(error.message).toMatch(/browser: on a server use credentials\.bearer/);
    }
    expect(fetch).not.toHaveBeenCalled();
    vi.unstubAllGlobals();
  });
});

test('credentials.cookies refuses anything but its option', () => {
  for (const bad of [{ crossOrigin: 'yes' }, { crossorigin: true }, 'include', null]) {
    expect(() => credentials.cookies(bad as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', field: expect.stringMatching(/^credentials/) }),
    );
  }
});

test('errors show neither cookies nor passwords', async () => {
  const mock = await createPlatform('Native');
  const page = openPage(mock);
  const errors: unknown[] = [];
  const fails = async (call: Promise<unknown>) => errors.push(await failureOf(call));
  await fails(page.client.authentication.login({ ...alice, password: 'canary-wrong', cookies: true }));
  await page.client.authentication.login({ ...alice, cookies: true });
  const [token = 'none'] = page.jar.values();
  expect(token.length).toBeGreaterThan(20);
  for (const path of ['/_identity', '/_logout', '/validate'])
    mock.fail({ path, status: 500, body: { message: token } });
  await fails(page.client.authentication.identity());
  await fails(page.client.authentication.logout());
  await fails(page.client.authorization.checkSelf({ action: 'a:b', resource: 'c' }));
  await fails(page.client.authorization.evaluate({ self: true, action: 'a:b', resource: 'c' }));
  expect(errors).toHaveLength(5);
  expect(shownBy(errors)).not.toContain('canary');
});

test('credentials of your own may use cookies, too', async () => {
  const own: Credentials = { cookies: 'include', authorize: () => undefined };
  const page = openPage(await createPlatform('Native'), { credentials: own });
  await page.client.authentication.login({ ...bob, cookies: true });
  expect(await page.client.authentication.identity()).toEqual({ user: 'bob' });
  expect(page.sent.map((one) => [one.path, one.credentials])).toEqual([
    ['/_login', 'include'],
    ['/_identity', 'include'],
  ]);
});
