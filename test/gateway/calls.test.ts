import { describe, expect, onTestFinished, test } from 'vitest';
import { createSession, signInUrl } from '../../src/client/session/index.ts';
import { type Client, createClient, credentials, isSignInRequired, isWrongPassword } from '../../src/index.ts';
import { failureOf } from '../support/failure.ts';
import { alice, createPlatform, modes, openPage, shownBy, signInBySso } from './support.ts';

const item = { action: 'orders:read', resource: 'order:7' };
const refused: [name: string, call: (client: Client) => Promise<unknown>][] = [
  ['validate', ({ authentication }) => authentication.validate('canary-token')],
  ['createToken', ({ authentication }) => authentication.createToken({ user: 'alice' })],
  ['evaluate', ({ authorization }) => authorization.evaluate({ user: 'alice', ...item })],
  ['isAllowed of self', ({ authorization }) => authorization.isAllowed({ self: true, ...item })],
  ['evaluateMany', ({ authorization }) => authorization.evaluateMany({ token: 'canary-token', items: [item] })],
];

describe.each(modes)('behind the gateway in mode %s', (mode) => {
  test('login, identity and logout use their short paths', async () => {
    const mock = await createPlatform(mode, { gateway: { integration: false } });
    const page = openPage(mock, { credentials: credentials.login(alice) });
    const { authentication } = page.client;
    expect(await authentication.identity()).toEqual({ user: mode === 'None' ? 'root' : 'alice' });
    await authentication.logout();
    expect(page.sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /_login',
      'GET /_identity',
      'GET /_logout',
    ]);
    expect(page.sent.map(({ headers }) => headers.has('authorization'))).toEqual([false, true, false]);
  });

  test.each(refused)('%s is refused before sending, and the error names an alternative', async (_name, call) => {
    const mock = await createPlatform(mode);
    const { client, sent } = openPage(mock, { credentials: credentials.bearer('canary-token') });
    const error = await failureOf(call(client));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'gateway', method: 'POST' });
    expect(error.message).toMatch(/permissionsHandler.*integrationUrl/);
    expect(shownBy(error)).not.toContain('canary');
    expect(sent).toEqual([]);
  });

  test('credentials.minted is refused before sending', async () => {
    const { client, sent } = openPage(await createPlatform(mode), { credentials: credentials.minted({ user: 'a' }) });
    const error = await failureOf(client.route('orders').get());
    expect(error).toMatchObject({ code: 'CREDENTIALS', cause: { field: 'gateway' } });
    expect([sent, isSignInRequired(error)]).toEqual([[], false]);
  });

  test('the calls go to an integrationUrl, the short ones to the gateway', async () => {
    const mock = await createPlatform(mode);
    const page = openPage(mock, { credentials: undefined, integrationUrl: 'http://mock.test' });
    expect(await page.client.authentication.validate('t')).toMatchObject({ valid: mode === 'None' });
    await page.client.authentication.login(alice);
    expect(page.paths()).toEqual(['/_integration/authn/v1/validate', '/_login']);
  });

  test('management has its prefix at the gateway', async () => {
    const { client, paths } = openPage(await createPlatform(mode));
    await client.authorization.checkSelf(item).catch(() => undefined);
    expect(paths()).toEqual(['/_management/permissions/validate']);
  });

  test('the path of the url is kept in front', async () => {
    const { client, paths } = openPage(await createPlatform(mode), { url: 'http://mock.test/gw/' });
    expect(await failureOf(client.authentication.identity())).toMatchObject({ path: '/gw/_identity' });
    expect(paths()).toEqual(['/gw/_identity']);
  });
});

test('without gateway: true the calls keep their long paths', async () => {
  const mock = await createPlatform('Native');
  const page = openPage(mock, { gateway: false, credentials: credentials.login(alice) });
  await page.client.authentication.identity();
  expect(page.paths()).toEqual(['/_integration/authn/v1/login', '/_integration/authn/v1/identity']);
  expect(() => createClient({ url: 'http://mock.test', gateway: 'yes' as never })).toThrow(
    expect.objectContaining({ field: 'gateway' }),
  );
});

test('isWrongPassword is true for a wrong password at the gateway', async () => {
  const { client } = openPage(await createPlatform('Native'));
  const error = await failureOf(client.authentication.login({ ...alice, password: 'canary-wrong' }));
  expect([isWrongPassword(error), isSignInRequired(error)]).toEqual([true, false]);
  expect(shownBy(error)).not.toContain('canary');
});

describe('single sign-on', () => {
  test('the redirect to the provider means that a sign-in is required, after which the call succeeds', async () => {
    const mock = await createPlatform('SSO');
    mock.service('orders', { '/open': { get: ({ user }) => ({ body: { user } }) } });
    const page = openPage(mock, { database: 'shop' });
    const get = () => page.client.service('orders').get('open');
    const error = await failureOf(get());
    expect([error.code, isSignInRequired(error), isWrongPassword(error)]).toEqual(['REDIRECT', true, false]);
    const url = signInUrl('/page?view=a;b,c#part');
    expect(url).toBe('http://mock.test/page?view=a%3Bb%2Cc');
    expect(await signInBySso(page, url.slice('http://mock.test'.length), 'alice')).toBe('/page?view=a%3Bb%2Cc');
    expect((await get()).body).toEqual({ user: 'alice' });
    expect(await page.client.authentication.identity()).toEqual({ user: 'alice' });
  });

  test('identity is not redirected, so a page of another origin can ask it', async () => {
    const { client } = openPage(await createPlatform('SSO'));
    const error = await failureOf(client.authentication.identity());
    expect([error.status, isSignInRequired(error)]).toEqual([401, true]);
  });
});

test('a session signs in and out at the gateway, and requests no token there', async () => {
  const mock = await createPlatform('Native');
  const page = openPage(mock);
  const session = createSession(page.client);
  onTestFinished(() => session.close());
  await session.signIn(alice);
  const client = page.client.with({ credentials: session });
  expect(await client.authentication.identity()).toEqual({ user: 'alice' });
  expect(await session.signOut()).toBe(true);
  expect(page.paths()).toEqual(['/_login', '/_identity', '/_logout']);
});
