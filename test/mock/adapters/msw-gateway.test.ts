import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSession } from '../../../src/client/session/index.ts';
import { createGuard, permissionsHandler } from '../../../src/enforce/guard/index.ts';
import { type ClientOptions, createClient } from '../../../src/index.ts';
import { handlers } from '../../../src/mock/adapters/msw.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { createPage } from '../../client/session/page.ts';
import { alice, rest } from '../../client/session/support.ts';
import { failureOf } from '../../support/failure.ts';

// Pages that know nothing of the mock: they call a URL of their own, which msw answers.

const url = 'https://db.example.com';
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterAll(() => server.close());

async function open(): Promise<Mock> {
  const mock = await createMock({ users: [{ name: alice.username, password: alice.password }] });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

/** Signs a user in at the page's own URL, with the options that a test adds. */
async function signIn(mock: Mock, options: Partial<ClientOptions> = {}) {
  server.resetHandlers(...handlers(mock, { url, gateway: true }));
  const gateway = createClient({ url, gateway: true, retry: 0, ...options });
  const session = createSession(gateway, { store: 'localStorage' });
  onTestFinished(() => session.close());
  await session.signIn(alice);
  return { session, client: gateway.with({ credentials: session }) };
}

describe('handlers with gateway: true', () => {
  test('answer a page with a URL of its own, behind which a service reaches the sidecar', async () => {
    const mock = await open();
    const ask = permissionsHandler(createGuard(createClient(mock.connection)), { actions: ['orders:read'] });
    mock.service('orders', { '/permissions': { post: ({ request, body }) => ask.answer(request, body) } });
    const { session, client } = await signIn(mock);
    const items = [{ action: 'orders:read', resource: 'orders' }];
    expect((await client.service('orders').post('permissions', { items })).body).toEqual({ items: [false] });
    expect(await session.signOut()).toBe(true);
    expect(mock.requests.map(({ path }) => path)).toEqual([
      '/_login',
      expect.stringMatching(/^\/_integration\/authorization\//),
      '/_service/uds/_db/_system/orders/permissions',
      '/_logout',
    ]);
  });

  test('do not route the integration services, and name the option that a page lacks', async () => {
    const mock = await open();
    server.resetHandlers(...handlers(mock, { gateway: true }));
    const origin = mock.gateway.connection.url;
    const answer = await fetch(`${origin}/_integration/authn/v1/identity`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { errorNum: 404 }]);
    const { message } = await failureOf(createSession({ url: origin, retry: 0 }).signIn(alice));
    expect(message).toMatch(/: set gateway: true$/);
    expect(() => handlers(mock, { gateway: 1 as never })).toThrow(expect.objectContaining({ field: 'gateway' }));
  });
});

describe('sessions of two mocks at one URL', () => {
  test.each([
    ['apart, with the identity of the mock as deploymentId', true],
    ['one, without it', false],
  ])('are %s', async (_name, isApart) => {
    createPage();
    const begin = async () => {
      const mock = await open();
      const { deploymentId } = mock.connection;
      return (await signIn(mock, isApart ? { deploymentId } : {})).session;
    };
    const [first, second] = [await begin(), await begin()];
    await second.signOut();
    await rest();
    expect([first.user, second.user]).toEqual([isApart ? 'alice' : undefined, undefined]);
  });
});
