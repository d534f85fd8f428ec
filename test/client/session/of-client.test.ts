import { describe, expect, onTestFinished, test } from 'vitest';
import { createSession, type UserSession } from '../../../src/client/session/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { alice, bob, createStore } from './support.ts';

async function open() {
  const mock = await createMock({
    identity: 'place',
    users: [alice, bob].map(({ username: name, password }) => ({ name, password })),
  });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const client = createClient({ ...mock.gateway.connection, database: 'shop' });
  const begin = (session: UserSession): UserSession => {
    onTestFinished(() => session.close());
    return session;
  };
  return { mock, client, begin, paths: () => mock.requests.map(({ path }) => path) };
}

describe('a session of a client', () => {
  test('signs in and out at its gateway, and is the credentials of the calls', async () => {
    const { mock, client, begin, paths } = await open();
    mock.service('orders', { '/': { get: ({ user }) => ({ body: { user } }) } });
    const session = begin(createSession(client, { store: 'memory' }));
    const asUser = client.with({ credentials: session });
    await session.signIn(alice);
    expect((await asUser.service('orders').get('/')).body).toEqual({ user: 'alice' });
    expect(await session.signOut()).toBe(true);
    expect(paths()).toEqual(['/_login', '/_service/uds/_db/shop/orders/', '/_logout']);
  });

  test('takes the URL, the database, the fetch function and the clock of the client, and none of its credentials', async () => {
    const { mock } = await open();
    const sent: (string | null)[] = [];
    const now = { ms: 0 };
    const client = createClient({
      ...mock.connection,
      url: 'http://mock.test/below/?tenant=acme',
      database: 'shop',
      credentials: credentials.bearer('canary-token'),
      clock: { now: () => now.ms },
      fetch(url, init) {
        sent.push(new Headers(init.headers).get('authorization'));
        return mock.fetch(String(url).replace('/below', ''), init);
      },
    });
    const store = createStore();
    const session = createSession(client, { store, name: 'admin' });
    onTestFinished(() => session.close());
    await session.signIn(alice);
    expect([sent, [...store.content.keys()]]).toEqual([
      [null],
      ['arango-services  http://mock.test/below/_db/shop#place admin'],
    ]);
    now.ms = 3_700_000;
    expect(session.user).toBeUndefined();
  });

  test('does not send the cookies of a client that leaves authentication to them', async () => {
    const { mock, begin } = await open();
    const modes: unknown[] = [];
    const client = createClient({
      ...mock.gateway.connection,
      fetch(url, init) {
        modes.push(init.credentials);
        return mock.gateway.connection.fetch(url, init);
      },
    });
    const session = begin(createSession(client.with({ credentials: { authorize: () => '', cookies: 'include' } })));
    await session.signIn(alice);
    expect(modes).toEqual([undefined]);
  });

  test('ends its calls when it is closed, and leaves the client open', async () => {
    const { client, begin } = await open();
    const session = begin(createSession(client));
    await session.close();
    expect(await failureOf(session.signIn(alice))).toMatchObject({ code: 'ABORTED' });
    await client.authentication.login(alice);
    await client.close();
    expect(await failureOf(begin(createSession(client)).signIn(alice))).toMatchObject({ code: 'ABORTED' });
  });

  test.each([
    ...[
      'url',
      'database',
      'gateway',
      'fetch',
      'transport',
      'ky',
      'clock',
      'credentials',
      'headers',
      'timeout',
      'retry',
    ],
    ...['integrationUrl', 'managementUrl', 'deploymentId', 'signal', 'observe', 'graceMs', 'idleTimeoutMs'],
  ])('refuses %s beside it', async (name) => {
    const { client } = await open();
    const call = () => createSession(client, { [name]: 'canary' } as never);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field: name }));
    expect(call).toThrow(/none: the client has it/);
    expect(call).not.toThrow(/canary/);
  });

  test('refuses what is neither a client nor options, and options of neither', async () => {
    const { client } = await open();
    for (const given of [undefined, null, 7, 'http://mock.test']) {
      expect(() => createSession(given as never)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    }
    expect(() => createSession(client, { stroe: 'memory' } as never)).toThrow(/stroe: unknown/);
    // The options of a connection, which are refused beside a client, are not named as accepted.
    const misspelt = () => createSession(client, { stoer: 'memory' } as never);
    expect(misspelt).toThrow('stoer: unknown (did you mean "store"?); accepted are store, name, maxAge, renew');
    expect(() => createSession(client, null as never)).toThrow(expect.objectContaining({ field: 'options' }));
  });
});

test('without gateway: true, a sign-in at the gateway fails with an error that says so', async () => {
  const { mock, begin } = await open();
  const { gateway: _, ...connection } = mock.gateway.connection;
  for (const session of [begin(createSession(connection)), begin(createSession(createClient(connection)))]) {
    expect((await failureOf(session.signIn(alice))).message).toMatch(/^POST .* failed: 404 .*: set gateway: true$/);
  }
  const atDatabase = createClient({ ...connection, gateway: true, url: 'http://mock.test/_db/x' });
  expect((await failureOf(atDatabase.authentication.login(alice))).message).not.toContain('set gateway');
});
