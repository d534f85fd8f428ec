import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSession, type SessionStore, type UserSession } from '../../../src/client/session/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import { createPage } from './page.ts';
import { alice, createStore, rest } from './support.ts';

const users = [{ name: alice.username, password: alice.password }];

async function mockOf(config: MockConfig = {}): Promise<Mock> {
  const mock = await createMock({ users, ...config });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

/** Signs in over a connection. */
async function begin(connection: Mock['connection'], store: SessionStore | 'localStorage' | 'memory') {
  const session = createSession({ ...connection, store });
  onTestFinished(() => session.close());
  const ends: string[] = [];
  session.on('end', ({ reason }) => ends.push(reason));
  await session.signIn(alice);
  return Object.assign(session, { ends });
}

const usersOf = (sessions: readonly UserSession[]) => sessions.map(({ user }) => user);

describe.each(['memory', 'localStorage', 'a store of its own'] as const)('sessions in %s', (kind) => {
  test('of two mocks do not meet, in one page', async () => {
    createPage();
    const store = kind === 'a store of its own' ? createStore() : kind;
    const mocks = [await mockOf(), await mockOf()] as const;
    expect(mocks[0].connection.url).toBe(mocks[1].connection.url);
    const sessions = [await begin(mocks[0].connection, store), await begin(mocks[1].connection, store)] as const;
    expect(usersOf(sessions)).toEqual(['alice', 'alice']);
    await sessions[0].signOut();
    await rest();
    expect([usersOf(sessions), sessions[1].ends]).toEqual([[undefined, 'alice'], []]);
    expect(await sessions[1].restore()).toBe(true);
  });

  test('of one mock, or of mocks of one identity, end together', async () => {
    createPage();
    const store = kind === 'a store of its own' ? createStore() : kind;
    const mock = await mockOf({ identity: 'story' });
    mock.restore(mock.snapshot());
    mock.reset();
    const others = [mock, await mockOf({ identity: 'story' })];
    const sessions = await Promise.all(others.map(({ connection }) => begin(connection, store)));
    const first = await begin(mock.connection, store);
    await rest();
    await first.signOut();
    await rest();
    expect([usersOf(sessions), sessions.map(({ ends }) => ends)]).toEqual([
      [undefined, undefined],
      [['signed-out'], ['signed-out']],
    ]);
  });
});

test('the identity of a mock is random, and a part of its connections, also of those with a fetch of their own', async () => {
  const [one, other] = [await mockOf(), await mockOf()];
  expect(one.connection.deploymentId).toMatch(/^[a-z\d]{5,}$/);
  expect(one.connection.deploymentId).not.toBe(other.connection.deploymentId);
  expect(one.gateway.connection.deploymentId).toBe(one.connection.deploymentId);
  expect((await mockOf({ identity: 'story' })).connection.deploymentId).toBe('story');
  await expect(createMock({ identity: '' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  const store = createStore();
  const fetch = vi.fn(one.fetch);
  await begin({ ...one.connection, fetch }, store);
  expect([...store.content.keys()]).toEqual([
    `arango-services  http://mock.test/_db/_system#${one.connection.deploymentId} default`,
  ]);
});

test('the name of a channel, a lock and a mark contains the identity', async () => {
  const { storage } = createPage();
  const names: string[] = [];
  vi.stubGlobal('navigator', {
    locks: {
      request(name: string, _options: object, work: () => Promise<unknown>) {
        names.push(name);
        return work();
      },
    },
  });
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      constructor(name: string) {
        names.push(name);
      }
      postMessage() {}
      close() {}
    },
  );
  const session = await begin((await mockOf({ identity: 'story' })).connection, 'localStorage');
  await session.signOut();
  expect(names.length).toBeGreaterThan(2);
  for (const name of [...names, ...storage.keys()]) expect(name).toContain('/_db/_system#story ');
});

test('identity and name of a session are told apart, also with spaces', async () => {
  const store = createStore();
  const sessions = ['a|b c', 'a b|c', 'a%20b|c'].map(async (text) => {
    const [identity, name = ''] = text.split('|');
    const session = createSession({ ...(await mockOf({ identity })).connection, store, name });
    onTestFinished(() => session.close());
    await session.signIn(alice);
  });
  await Promise.all(sessions);
  expect(store.content.size).toBe(3);
});
