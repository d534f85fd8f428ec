import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPermissionStore, type PermissionStoreOptions } from '../../../src/client/session/index.ts';
import { CredentialsError, createClient, HttpError, isSignInRequired } from '../../../src/index.ts';
import { alice, bob, createPlace, minute } from './support.ts';

const write = { action: 'orders:write', resource: 'orders' };
const read = { action: 'orders:read', resource: 'orders' };
const refused = () => new HttpError({}, { status: 401, reason: '' });

/** The part of a page that the store looks at: its visibility, and the events of its window. */
function createPage() {
  const window = new EventTarget();
  const document = { visibilityState: 'visible' };
  vi.stubGlobal('document', document);
  const added = vi.fn(window.addEventListener.bind(window));
  const removed = vi.fn(window.removeEventListener.bind(window));
  vi.stubGlobal('addEventListener', added);
  vi.stubGlobal('removeEventListener', removed);
  const show = (visibilityState: 'visible' | 'hidden') => {
    Object.assign(document, { visibilityState });
    window.dispatchEvent(new Event('visibilitychange'));
  };
  return {
    show,
    focus: () => void window.dispatchEvent(new Event('focus')),
    listening: () => added.mock.calls.length - removed.mock.calls.length,
  };
}

/** A store over a service whose answers, and failures, a test sets. */
function createWorld(options: Partial<PermissionStoreOptions> = {}) {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const page = createPage();
  const allowed = new Set(['orders:write', 'orders:read']);
  const asked: string[][] = [];
  const world = {
    page,
    asked,
    allowed,
    failure: undefined as Error | undefined,
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    store: createPermissionStore({
      ask: {
        async post({ items }) {
          asked.push(items.map(({ action }) => action));
          if (world.failure) throw world.failure;
          return { body: { items: items.map(({ action }) => allowed.has(action)) } };
        },
      },
      ...options,
    }),
    can: ({ action, resource } = write) => world.store.can(action, resource),
    /** Subscribes a view, which reads again when it is notified. Returns what it has shown, and its end. */
    mount(...items: readonly { action: string; resource: string }[]) {
      const shown = [items.map(world.can)];
      const end = world.store.subscribe(() => shown.push(items.map(world.can)));
      return { shown, end };
    },
  };
  return world;
}

describe('a refresh of permissions', () => {
  test('of ten expiries sends ten requests for twelve buttons, and notifies no view', async () => {
    const { mount, asked, pass } = createWorld();
    const { shown } = mount(...Array.from({ length: 12 }, (_, i) => ({ ...write, resource: `order:${i}` })));
    await pass(0);
    expect(shown.length).toBe(2);
    await pass(10 * 30_000 + 100);
    expect([asked.length, asked[1]?.length, shown.length]).toEqual([11, 12, 2]);
  });

  test('shows a revoked permission at ttl, and one that was granted, without a read', async () => {
    const { mount, allowed, pass } = createWorld({ ttl: '10s' });
    const { shown } = mount(write, read);
    await pass(0);
    allowed.delete('orders:write');
    await pass(10_000);
    allowed.add('orders:write');
    await pass(10_000);
    expect(shown.slice(1)).toEqual([
      [true, true],
      [false, true],
      [true, true],
    ]);
  });

  test('asks in one request for views that were mounted one by one', async () => {
    const { mount, asked, pass } = createWorld();
    mount(write);
    await pass(10_000);
    mount(read);
    await pass(2 * minute);
    expect(asked.length).toBeLessThanOrEqual(7);
  });

  test('ends with the last subscription, and its events', async () => {
    const { mount, asked, pass, page } = createWorld();
    const [one, two] = [mount(write), mount(write)];
    expect(page.listening()).toBe(2);
    one.end();
    one.end();
    await pass(30_000);
    expect(asked.length).toBe(2);
    two.end();
    await pass(0);
    expect([page.listening(), vi.getTimerCount()]).toEqual([0, 0]);
    await pass(10 * minute);
    expect(asked.length).toBe(2);
  });

  test('of answers that nothing subscribes to waits for a read, which returns the answer meanwhile', async () => {
    const { can, asked, allowed, pass } = createWorld();
    can();
    await pass(4 * minute);
    allowed.clear();
    expect([asked.length, can(), can()]).toEqual([1, true, true]);
    await pass(0);
    expect([asked.length, can()]).toEqual([2, false]);
  });

  test('of 2000 answers asks for the 500 that were read last; the others are asked again after 5 minutes', async () => {
    const { mount, asked, pass } = createWorld();
    const items = Array.from({ length: 2_000 }, (_, i) => ({ ...write, resource: `order:${i}` }));
    const { shown } = mount(...items);
    await pass(10);
    expect(asked.length).toBe(20);
    await pass(30_000);
    expect(asked.length).toBe(25);
    await pass(5 * minute);
    expect(shown.at(-1)?.every((one) => one === true)).toBe(true);
  });
});

describe('a page with a store of permissions', () => {
  test('that is hidden asks nothing in an hour; when it is visible, it asks once', async () => {
    const { mount, asked, allowed, pass, page } = createWorld();
    const { shown } = mount(write);
    await pass(0);
    page.show('hidden');
    await pass(60 * minute);
    expect([asked.length, shown.at(-1)]).toEqual([1, [undefined]]);
    allowed.clear();
    page.show('visible');
    await pass(0);
    expect([asked.length, shown.at(-1)]).toEqual([2, [false]]);
  });

  test.each(['visible', 'focused'] as const)('that becomes %s after ttl asks at once, before ttl not', async (how) => {
    const { mount, asked, pass, page } = createWorld();
    const { shown } = mount(write);
    await pass(0);
    const comeBack = () => (how === 'visible' ? page.show('visible') : page.focus());
    page.show('hidden');
    await pass(10_000);
    comeBack();
    await pass(0);
    expect(asked.length).toBe(1);
    page.show('hidden');
    await pass(25_000);
    if (how === 'focused') Object.assign(globalThis.document, { visibilityState: 'visible' });
    comeBack();
    await pass(0);
    expect([asked.length, shown.length]).toEqual([2, 2]);
  });

  test('that opens in the background asks its first questions', async () => {
    const { mount, asked, pass, page } = createWorld();
    page.show('hidden');
    const { shown } = mount(write);
    await pass(0);
    expect([asked.length, shown.at(-1)]).toEqual([1, [true]]);
  });

  test('whose machine slept shows no answer from before, although the monotonic clock stood still', async () => {
    const { mount, can, pass, page } = createWorld();
    mount(write);
    await pass(0);
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 8 * 60 * minute);
    onTestFinished(() => void vi.restoreAllMocks());
    page.focus();
    expect(can()).toBeUndefined();
    await pass(0);
    expect(can()).toBe(true);
  });
});

describe('an outage', () => {
  test.each([
    [undefined, 5 * minute],
    ['1m', minute],
    ['1s', 30_000],
  ])('with staleFor %s keeps answers for %d ms, then they are undefined', async (staleFor, ms) => {
    const world = createWorld({ staleFor });
    const { shown } = world.mount(write);
    await world.pass(0);
    world.failure = new Error('canary');
    await world.pass(ms - 1);
    expect(shown).toEqual([[undefined], [true]]);
    await world.pass(1);
    expect(shown).toEqual([[undefined], [true], [undefined]]);
    await world.pass(10 * minute);
    expect([shown.length, world.can()]).toEqual([3, undefined]);
    world.failure = undefined;
    await world.pass(minute);
    expect(shown.at(-1)).toEqual([true]);
  });

  test('makes no answer true, and backs off', async () => {
    const world = createWorld();
    world.allowed.delete('orders:write');
    const { shown } = world.mount(write);
    await world.pass(0);
    world.failure = new Error('canary');
    world.allowed.add('orders:write');
    await world.pass(20 * minute);
    expect(shown.flat()).not.toContain(true);
    expect(world.asked.length).toBeLessThan(50);
  });
});

describe('at once', () => {
  test('a 401 forgets all answers, also those of requests in flight, and asks again', async () => {
    const world = createWorld();
    const { shown } = world.mount(write, read);
    await world.pass(0);
    world.failure = refused();
    await world.pass(30_000);
    expect(shown.at(-1)).toEqual([undefined, undefined]);
    world.failure = undefined;
    await world.pass(minute);
    expect(shown.at(-1)).toEqual([true, true]);
  });

  test('a 401 drops an answer of another request for the same user', async () => {
    const answer: ((failure?: Error) => void)[] = [];
    const post = ({ items }: { readonly items: readonly unknown[] }) =>
      new Promise<{ body: unknown }>((resolve, reject) =>
        answer.push((failure) => (failure ? reject(failure) : resolve({ body: { items: items.map(() => true) } }))),
      );
    const { can, pass } = createWorld({ ask: { post } });
    can(write);
    await pass(0);
    can(read);
    await pass(0);
    answer[0]?.(refused());
    answer[1]?.();
    await pass(0);
    expect([can(write), can(read), answer.length]).toEqual([undefined, undefined, 2]);
    await pass(1_000);
    for (const one of answer.slice(2)) one();
    await pass(0);
    expect([can(write), can(read)]).toEqual([true, true]);
  });

  test('invalidate forgets answers that are being refreshed', async () => {
    const { mount, store, pass } = createWorld();
    const { shown } = mount(write);
    await pass(30_000);
    store.invalidate();
    expect(shown.at(-1)).toEqual([undefined]);
    await pass(0);
    expect(shown.at(-1)).toEqual([true]);
  });

  test('another user, a sign-out, and a session that another tab has ended forget all answers', async () => {
    const place = await createPlace();
    const session = place.open();
    await session.signIn(alice);
    place.mock.route('POST', '/_db/:db/permissions', ({ user }) => ({ body: { items: [user === 'alice'] } }));
    const client = createClient({ ...place.connection, credentials: session });
    const store = createPermissionStore({ ask: client.route('permissions'), session });
    const shown: unknown[] = [];
    store.subscribe(() => shown.push(store.can(write.action, write.resource)));
    store.can(write.action, write.resource);
    await place.pass(0);
    await session.signIn(bob);
    await place.pass(0);
    await session.signOut();
    await place.pass(0);
    expect(shown).toEqual([true, undefined, false, undefined]);
    const before = place.arrived('/permissions');
    await place.pass(10 * minute);
    expect(place.arrived('/permissions')).toBe(before);
  });

  test('a user that the session no longer has is not answered for, before its event', async () => {
    const listeners: (() => void)[] = [];
    const session = { user: 'alice' as string | undefined, on: (_: string, one: () => void) => listeners.push(one) };
    const { can, pass, mount } = createWorld({ session: session as never });
    const { shown } = mount(write);
    await pass(0);
    session.user = undefined;
    expect(can()).toBeUndefined();
    session.user = 'alice';
    listeners.forEach((tell) => void tell());
    await pass(0);
    expect(shown.at(-1)).toEqual([true]);
  });
});

describe('ready of a store of permissions', () => {
  test('resolves when each question has an answer, in one request with those of views', async () => {
    const { store, can, asked, pass } = createWorld();
    can(read);
    const ready = store.ready([write, read]);
    await pass(0);
    await ready;
    expect([can(write), can(read), asked]).toEqual([true, true, [['orders:read', 'orders:write']]]);
    await store.ready([write]);
    await store.ready([]);
    expect(asked.length).toBe(1);
  });

  test("rejects with the request's error, and answers remain undefined", async () => {
    const world = createWorld();
    world.failure = new HttpError({}, { status: 503, reason: 'canary' });
    const ready = world.store.ready([write]);
    const [outcome] = await Promise.all([ready.catch((error: unknown) => error), world.pass(0)]);
    expect([outcome, world.can()]).toEqual([world.failure, undefined]);
  });

  test('asks at once during a backoff, but a loop asks once a second', async () => {
    const world = createWorld();
    world.failure = new Error('canary');
    world.can();
    await world.pass(5 * minute);
    const before = world.asked.length;
    for (let i = 0; i < 100; i++) {
      await Promise.all([world.store.ready([write]).catch(() => undefined), world.pass(20)]);
    }
    expect(world.asked.length - before).toBeGreaterThanOrEqual(2);
    expect(world.asked.length - before).toBeLessThanOrEqual(4);
    world.failure = undefined;
    await world.pass(1_000);
    await Promise.all([world.store.ready([write]), world.pass(0)]);
    expect(world.can()).toBe(true);
  });

  test('gives the same promise while it is pending, and while its rejection is new', async () => {
    const world = createWorld();
    world.failure = new Error('canary');
    const first = world.store.ready([write]);
    expect([world.store.ready([{ ...write }]) === first, world.store.ready([read]) === first]).toEqual([true, false]);
    await Promise.all([first.catch(() => undefined), world.store.ready([read]).catch(() => undefined), world.pass(0)]);
    expect(world.store.ready([write])).toBe(first);
  });

  test('outlasts invalidate, and asks again', async () => {
    const { store, can, asked, pass } = createWorld();
    const ready = store.ready([write]);
    await pass(0);
    const again = store.ready([{ ...write, resource: 'other' }]);
    store.invalidate();
    await Promise.all([ready, again, pass(10)]);
    expect([can({ ...write, resource: 'other' }), asked.length]).toEqual([true, 2]);
  });

  test('without a user rejects with an error that asks for a sign-in', async () => {
    const { store } = createWorld({ session: { user: undefined, on: () => () => undefined } });
    const failure = await store.ready([write]).catch((error: unknown) => error);
    expect([failure instanceof CredentialsError, isSignInRequired(failure)]).toEqual([true, true]);
  });

  test.each([
    [undefined, 'items'],
    [[{ action: '', resource: '' }], 'items[0].action'],
    [[{ action: 'a', resource: 'b' }, { action: 'a' }], 'items[1].resource'],
  ])('rejects %o, naming %s', async (items, field) => {
    const { store, asked } = createWorld();
    await expect(store.ready(items as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field });
    expect(asked).toEqual([]);
  });
});
