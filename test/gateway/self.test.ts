import { describe, expect, test, vi } from 'vitest';
import { type Client, type ClientOptions, createClient, credentials, isSignInRequired } from '../../src/index.ts';
import { failureOf } from '../support/failure.ts';
import { alice, bob, createPlatform, modes, openPage, shownBy } from './support.ts';

const item = { action: 'orders:read', resource: 'order:7' };
const self = { self: true, ...item } as const;
const twelve = Array.from({ length: 12 }, (_, index) => ({ action: 'orders:read', resource: `order:${index}` }));
const may = ({ authorization }: Client) => authorization.isAllowed(self);
/** A page beside a sidecar: through the gateway alone evaluations cannot be reached. */
const beside: Partial<ClientOptions> = { integrationUrl: 'http://mock.test' };

async function openAs(user: typeof alice, options: Partial<ClientOptions> = {}) {
  const mock = await createPlatform('Native');
  const page = openPage(mock, { ...beside, ...options });
  await page.client.authentication.login({ ...user, cookies: true });
  page.sent.length = 0;
  return { ...page, mock };
}

test.each<[string, (client: Client) => Promise<boolean[]>, Partial<ClientOptions>]>([
  [
    'in a list',
    async ({ authorization }) =>
      (await authorization.evaluateMany({ self: true, items: twelve })).items.map(({ allowed }) => allowed),
    {},
  ],
  [
    'of one tick',
    ({ authorization }) => Promise.all(twelve.map((one) => authorization.isAllowed({ self: true, ...one }))),
    { batch: true },
  ],
])('twelve questions %s are two requests, then one', async (_name, ask, options) => {
  const page = await openAs(alice, options);
  expect(await ask(page.client)).toEqual(Array(12).fill(true));
  const many = '/_integration/authorization/v1/evaluate-many';
  expect(page.paths()).toEqual(['/_identity', many]);
  expect(JSON.parse(page.sent[1]?.body ?? '')).toEqual({ user: 'alice', items: twelve });
  expect(await ask(page.client)).toEqual(Array(12).fill(true));
  expect(page.paths()).toEqual(['/_identity', many, many]);
});

test('concurrent questions share the identity, over derived clients, too', async () => {
  const { client, paths } = await openAs(alice);
  const clients = [client, client.with({ timeout: 500 }), client.database('other')];
  expect(await Promise.all(clients.map(may))).toEqual([true, true, true]);
  expect(paths().filter((path) => path === '/_identity')).toHaveLength(1);
});

test('every kind of question is decided for the user by name', async () => {
  const { client, sent } = await openAs(bob);
  expect(await may(client)).toBe(false);
  expect((await client.authorization.evaluate(self)).allowed).toBe(false);
  expect(await failureOf(client.authorization.assertAllowed(self))).toMatchObject({ code: 'PERMISSION_DENIED' });
  const bodies = sent.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
  expect(bodies).toEqual(Array(3).fill({ user: 'bob', ...item }));
});

describe('the user is cached for at most a minute', () => {
  test('by the client’s clock', async () => {
    let now = 5;
    const { client, paths } = await openAs(alice, { clock: { now: () => now } });
    const asked = () => paths().filter((path) => path === '/_identity').length;
    await may(client);
    now += 30_000;
    await may(client);
    expect(asked()).toBe(1);
    now += 30_000;
    await may(client);
    expect(asked()).toBe(2);
  });

  test.each<[string, (page: Awaited<ReturnType<typeof openAs>>) => Promise<unknown>]>([
    [
      'a 401 of any call',
      ({ client, mock }) => {
        mock.fail({ path: '/_echo', status: 401 });
        return failureOf(client.route('_echo').get());
      },
    ],
    ['a logout', ({ client }) => client.authentication.logout()],
    ['a login', ({ client }) => client.authentication.login({ ...bob, cookies: true })],
  ])('and forgotten after %s', async (_name, change) => {
    const page = await openAs(alice);
    expect(await may(page.client)).toBe(true);
    await change(page);
    await page.client.authentication.login({ ...bob, cookies: true });
    page.sent.length = 0;
    expect(await may(page.client)).toBe(false);
    expect(page.paths()).toEqual(['/_identity', '/_integration/authorization/v1/evaluate']);
  });

  test.each<[string, (page: Awaited<ReturnType<typeof openAs>>) => Promise<unknown>]>([
    ['login', ({ client }) => failureOf(client.authentication.login({ ...bob, cookies: true }))],
    ['logout', ({ client }) => failureOf(client.authentication.logout())],
  ])('a %s whose answer is lost forgets the user by itself', async (name, change) => {
    const page = await openAs(alice);
    await may(page.client);
    page.mock.fail({ path: `/_${name}`, status: 503 });
    await change(page);
    page.jar.set('X-ArangoDB-Token-JWT', await page.mock.tokens.issue({ user: 'bob' }));
    expect(await may(page.client)).toBe(false);
  });

  test('a login while identity is in flight: the question is about the new user', async () => {
    const page = await openAs(alice);
    const { promise: isSignedIn, resolve: signedIn } = Promise.withResolvers<void>();
    const client = createClient({
      url: 'http://mock.test',
      integrationUrl: 'http://mock.test',
      gateway: true,
      retry: 0,
      credentials: credentials.cookies(),
      fetch: async (url, init) => {
        const answer = await page.fetch(url, init);
        if (url.endsWith('/_identity')) await isSignedIn;
        return answer;
      },
    });
    const question = may(client);
    await vi.waitFor(() => expect(page.paths()).toEqual(['/_identity']));
    await client.authentication.login({ ...bob, cookies: true });
    signedIn();
    expect(await question).toBe(false);
    expect(JSON.parse(page.sent.at(-1)?.body ?? '')).toMatchObject({ user: 'bob' });
  });

  test('a login of another user in the meantime changes the user', async () => {
    const page = await openAs(alice);
    await may(page.client);
    await page.client.authentication.login({ ...bob, cookies: true });
    expect(await may(page.client)).toBe(false);
  });

  test('a 401 alone makes the client forget the user', async () => {
    const { client, mock, paths } = await openAs(alice);
    await may(client);
    mock.fail({ path: '/_echo', status: 401 });
    await failureOf(client.route('_echo').get());
    await may(client);
    expect(paths().filter((path) => path === '/_identity')).toHaveLength(2);
  });
});

describe('a question is never asked without a user', () => {
  test.each(['', 'root'])('if identity answers %j', async (user) => {
    const mock = await createPlatform('Native');
    const page = openPage(mock, beside);
    mock.fail({ path: '/_identity', status: 200, body: { user } });
    const error = await failureOf(may(page.client));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'self' });
    expect(error.message).toMatch(/evaluate was not sent: self: is root or nameless/);
    expect(page.paths()).toEqual(['/_identity']);
  });

  test.each(modes)('if the token has no user and there is no session, in mode %s', async (mode) => {
    const mock = await createPlatform(mode);
    const page = openPage(mock, beside);
    page.jar.set('X-ArangoDB-Token-JWT', await mock.tokens.issue({}));
    const error = await failureOf(may(page.client));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'self' });
    expect(isSignInRequired(error)).toBe(false);
    expect(page.paths()).toEqual(['/_identity']);
    const other = openPage(mock, beside);
    expect(isSignInRequired(await failureOf(may(other.client)))).toBe(mode !== 'None');
    expect(other.paths()).toEqual(['/_identity']);
  });

  test('if the call has an authorization header of its own, whose user is not known', async () => {
    const { client, sent } = await openAs(alice);
    const error = await failureOf(client.authorization.evaluate(self, { headers: { authorization: 'Bearer canary' } }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'self' });
    expect(shownBy(error)).not.toContain('canary');
    expect(sent).toEqual([]);
  });

  test.each([undefined, null, '', 'root', 7, true, {}])('if credentials of your own identify %j', async (user) => {
    const own = { authorize: () => undefined, identify: () => user as string };
    const page = openPage(await createPlatform('Native'), { ...beside, credentials: own });
    expect(await failureOf(may(page.client))).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'self' });
    expect(page.sent).toEqual([]);
  });
});

test('a failed identity is not kept, and a later one counts', async () => {
  const { client, mock, paths } = await openAs(alice);
  mock.fail({ path: '/_identity', status: 503 });
  mock.fail({ path: '/_identity', status: 401 });
  expect(await failureOf(may(client))).toMatchObject({ status: 503 });
  const error = await failureOf(may(client));
  expect(isSignInRequired(error)).toBe(true);
  expect(await may(client)).toBe(true);
  expect(paths()).toEqual(['/_identity', '/_identity', '/_identity', '/_integration/authorization/v1/evaluate']);
});

test('the timeout and the signal of the question cover the identity', async () => {
  const { client, mock } = await openAs(alice);
  mock.fail({ path: '/_identity', delayMs: 60_000, times: 2 });
  expect(await failureOf(client.authorization.evaluate(self, { timeout: 20 }))).toMatchObject({ code: 'TIMEOUT' });
  const signal = AbortSignal.timeout(20);
  expect(await failureOf(client.authorization.evaluate(self, { signal }))).toMatchObject({ code: 'ABORTED' });
});
