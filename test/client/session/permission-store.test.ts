import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPermissionStore, type PermissionStore } from '../../../src/client/session/index.ts';
import { createClient, credentials, isInvalidArgumentError } from '../../../src/index.ts';
import { alice, bob, createPlace, minute, type Place } from './support.ts';

const write = ['orders:write', 'orders'] as const;
const read = ['orders:read', 'orders'] as const;

/** A route to a service that knows what is allowed, and what it was asked. */
function createRoute(answer: (items: readonly { action: string }[]) => unknown) {
  const asked: (readonly { action: string; resource: string }[])[] = [];
  return {
    asked,
    async post({ items }: { readonly items: readonly { action: string; resource: string }[] }) {
      asked.push(items);
      return { body: await answer(items) };
    },
  };
}
const reads = createRoute.bind(undefined, (items) => ({ items: items.map(({ action }) => action === 'orders:read') }));

function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Counts the calls of a listener. */
function listen(store: PermissionStore): () => number {
  const listener = vi.fn();
  store.subscribe(listener);
  return () => listener.mock.calls.length;
}

describe('a store of permissions', () => {
  test('asks in one batch, and answers from its cache', async () => {
    fakeTime();
    const route = reads();
    const store = createPermissionStore({ ask: route });
    const calls = listen(store);
    const before = store.getSnapshot();
    expect([store.can(...write), store.can(...read), store.can(...write)]).toEqual([undefined, undefined, undefined]);
    await pass(0);
    expect([store.can(...write), store.can(...read), calls()]).toEqual([false, true, 1]);
    expect(route.asked).toEqual([
      [
        { action: 'orders:write', resource: 'orders' },
        { action: 'orders:read', resource: 'orders' },
      ],
    ]);
    expect(store.getSnapshot()).toBeGreaterThan(before);
    expect(store.getSnapshot()).toBe(store.getSnapshot());
  });

  test('asks at most 100 questions at once', async () => {
    fakeTime();
    const route = reads();
    const store = createPermissionStore({ ask: route });
    for (let i = 0; i < 250; i++) store.can('orders:read', `order:${i}`);
    await pass(10);
    expect(route.asked.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(store.can('orders:read', 'order:249')).toBe(true);
  });

  test.each([
    [undefined, 30_000],
    ['5s', 5_000],
  ])('with ttl %s and nothing kept longer knows an answer for %d ms', async (ttl, ms) => {
    fakeTime();
    const route = reads();
    const store = createPermissionStore({ ask: route, ttl, staleFor: '0s' });
    store.can(...read);
    await pass(0);
    await pass(ms - 1);
    expect(store.can(...read)).toBe(true);
    await pass(1);
    expect(store.can(...read)).toBeUndefined();
    await pass(0);
    expect([store.can(...read), route.asked.length]).toEqual([true, 2]);
  });

  test('retries after a failure with a backoff, and never returns true', async () => {
    fakeTime();
    let isDown = true;
    const route = createRoute((items) =>
      isDown ? Promise.reject(new Error('canary')) : { items: items.map(() => true) },
    );
    const store = createPermissionStore({ ask: route, ttl: '1h' });
    const calls = listen(store);
    store.can(...read);
    await pass(0);
    for (let i = 0; i < 100; i++) {
      expect(store.can(...read)).toBeUndefined();
      await pass(50);
    }
    expect(route.asked.length).toBeGreaterThanOrEqual(3);
    expect(route.asked.length).toBeLessThanOrEqual(5);
    expect(calls()).toBe(0);
    isDown = false;
    await pass(minute);
    expect([store.can(...read), calls()]).toEqual([true, 1]);
  });

  test('without a listener a failed question waits until it is read again: no timer stays', async () => {
    fakeTime();
    const route = createRoute(() => Promise.reject(new Error('canary')));
    const store = createPermissionStore({ ask: route });
    store.can(...read);
    await pass(10 * minute);
    expect([route.asked.length, vi.getTimerCount()]).toEqual([1, 0]);
    store.can(...read);
    await pass(0);
    expect(route.asked.length).toBe(2);
  });

  test.each([
    ['too few', { items: [] }],
    ['not booleans', { items: ['yes'] }],
    ['no items', 'true'],
    ['nothing', undefined],
  ])('takes an answer with %s for a failure', async (_name, body) => {
    fakeTime();
    const store = createPermissionStore({ ask: createRoute(() => body) });
    store.can(...read);
    await pass(500);
    expect(store.can(...read)).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['fewer answers than questions', { items: [true] }],
    ['more answers than questions', { items: [true, true, true] }],
    ['an answer that is not a boolean', { items: [true, 'yes'] }],
    ['a list that is not an array', { items: { 0: true, 1: true, length: 2 } }],
    ['no list', {}],
    ['nothing', null],
  ])('with %s allows nothing', async (_name, answer) => {
    fakeTime();
    const store = createPermissionStore({ ask: createRoute(() => answer) });
    store.can(...read);
    store.can(...write);
    await pass(10);
    expect([store.can(...read), store.can(...write)]).toEqual([undefined, undefined]);
  });

  test('a failure that arrives after invalidate() delays no later question', async () => {
    fakeTime();
    let fail = (): void => undefined;
    const route = createRoute(() => ({ items: [true] }));
    const ask = vi.spyOn(route, 'post').mockImplementationOnce(
      () =>
        new Promise((_, reject) => {
          fail = () => reject(new Error('canary'));
        }),
    );
    const store = createPermissionStore({ ask: route });
    store.can(...read);
    await pass(10);
    store.invalidate();
    fail();
    await pass(10);
    store.can(...read);
    await pass(10);
    expect([store.can(...read), ask.mock.calls.length]).toEqual([true, 2]);
  });

  test('invalidate before a question is sent drops it', async () => {
    fakeTime();
    const route = reads();
    const store = createPermissionStore({ ask: route });
    store.can(...read);
    store.invalidate();
    await pass(10);
    expect(route.asked).toEqual([]);
  });

  test('invalidate forgets all answers, and drops those in flight', async () => {
    fakeTime();
    let answer = (_body: unknown): void => undefined;
    const route = createRoute(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const store = createPermissionStore({ ask: route });
    const calls = listen(store);
    store.can(...read);
    await pass(0);
    store.invalidate();
    answer({ items: [true] });
    await pass(0);
    expect([store.can(...read), calls(), route.asked.length]).toEqual([undefined, 1, 1]);
  });

  test('notifies all listeners, also after one that throws, and keeps the answers', async () => {
    fakeTime();
    const route = reads();
    const store = createPermissionStore({ ask: route, ttl: '1h' });
    store.subscribe(() => {
      throw new Error('canary');
    });
    const calls = listen(store);
    store.can(...read);
    await pass(minute);
    expect([store.can(...read), calls(), route.asked.length]).toEqual([true, 1, 1]);
  });

  test('notifies until a listener is removed', async () => {
    fakeTime();
    const store = createPermissionStore({ ask: reads() });
    const listener = vi.fn();
    const [off] = [store.subscribe(listener), store.subscribe(listener)];
    store.invalidate();
    off();
    store.invalidate();
    expect(listener).toHaveBeenCalledTimes(3);
  });
});

describe('a store of permissions over a platform', () => {
  const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
  async function withPolicies(): Promise<Place> {
    const place = await createPlace({ sidecar: true });
    const { authorization } = createClient({
      ...place.connection,
      credentials: credentials.bearer(await place.issue({ user: null })),
    });
    const statements = [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] as const;
    await authorization.policies.create('read-only', { statements });
    await authorization.roles.create('viewer', { policies: ['read-only'] });
    await authorization.bindings.assign({ user: 'alice', role: 'viewer', scope: everywhere });
    place.mock.requests.clear();
    return place;
  }

  test('a client asks about its own user in one request', async () => {
    const place = await withPolicies();
    const session = place.open();
    await session.signIn(alice);
    const client = createClient({ ...place.connection, credentials: session });
    const store = createPermissionStore({ ask: client, session });
    store.can(...read);
    store.can(...write);
    await place.pass(0);
    expect([store.can(...read), store.can(...write)]).toEqual([true, false]);
    expect(place.arrived('/evaluate-token-many')).toBe(1);
  });

  test('a route asks its service', async () => {
    const place = await createPlace();
    place.mock.route('POST', '/_db/:db/permissions', ({ body }) => ({
      body: { items: (body as { items: { action: string }[] }).items.map(({ action }) => action === 'orders:read') },
    }));
    const session = place.open();
    await session.signIn(alice);
    const client = createClient({ ...place.connection, credentials: session });
    const store = createPermissionStore({ ask: client.route('permissions') });
    store.can(...read);
    store.can(...write);
    await place.pass(0);
    expect([store.can(...read), store.can(...write)]).toEqual([true, false]);
  });

  test('answers are forgotten when the user changes, but not when the token is renewed', async () => {
    const place = await withPolicies();
    const session = place.open();
    await session.signIn(alice);
    const client = createClient({ ...place.connection, credentials: session });
    const store = createPermissionStore({ ask: client, session, ttl: '12h' });
    store.can(...read);
    await place.pass(0);
    await place.pass(54 * minute);
    expect([store.can(...read), place.arrived('/createToken')]).toEqual([true, 1]);
    await session.signOut();
    expect(store.can(...read)).toBeUndefined();
    await place.pass(minute);
    expect(place.arrived('/evaluate-token-many')).toBe(1);
    await session.signIn(bob);
    expect(store.can(...read)).toBeUndefined();
    await place.pass(0);
    expect(store.can(...read)).toBe(false);
  });

  test('answers are forgotten when the user has to sign in again', async () => {
    const place = await withPolicies();
    const session = place.open();
    await session.signIn(alice);
    const client = createClient({ ...place.connection, credentials: session });
    const store = createPermissionStore({ ask: client });
    store.can(...read);
    await place.pass(0);
    expect(store.can(...read)).toBe(true);
    await session.signOut();
    store.can(...write);
    await place.pass(0);
    expect(store.can(...read)).toBeUndefined();
  });
});

describe('bad input of a store of permissions', () => {
  test.each([
    [{}, 'ask'],
    [{ ask: {} }, 'ask'],
    [{ ask: reads(), ttl: 30 }, 'ttl'],
    [{ ask: reads(), ttl: '0s' }, 'ttl'],
    [{ ask: reads(), staleFor: 300 }, 'staleFor'],
    [{ ask: reads(), session: {} }, 'session'],
    [{ ask: reads(), max: 5 }, 'max'],
  ])('%o is refused, naming %s', (options, field) => {
    expect(() => createPermissionStore(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', field }),
    );
  });

  test('an empty action is refused by can()', () => {
    const store = createPermissionStore({ ask: reads() });
    try {
      store.can('', 'orders');
      expect.fail('expected an error');
    } catch (error) {
      expect(isInvalidArgumentError(error) && error.field).toBe('action');
    }
  });
});
