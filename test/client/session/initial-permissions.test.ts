import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPermissionStore, type PermissionStoreOptions } from '../../../src/client/session/index.ts';
import { isInvalidArgumentError } from '../../../src/index.ts';
import { createUser } from './create-user.ts';

const read = ['orders:read', 'orders'] as const;
const write = ['orders:write', 'orders'] as const;
const items = [
  { action: 'orders:read', resource: 'orders', allowed: true },
  { action: 'orders:write', resource: 'orders', allowed: false },
];

/** A store with answers that a server had `ago` ms ago, over a service that now has the opposite ones. */
function createStore(ago: number, options: Partial<PermissionStoreOptions> = {}) {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked: unknown[] = [];
  const post = async (body: { readonly items: readonly { action: string }[] }) => {
    asked.push(body.items);
    return { body: { items: body.items.map(({ action }) => action === 'orders:write') } };
  };
  const initial = { user: 'alice', at: Date.now() - ago, items };
  const store = createPermissionStore({ ask: { post }, initial, ...options });
  return { store, asked, both: () => [store.can(...read), store.can(...write)] };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const [before, after, none] = [
  [true, false],
  [false, true],
  [undefined, undefined],
];

describe('answers of a server', () => {
  test('are there at once, without a request and without a timer', async () => {
    const { store, asked, both } = createStore(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(both()).toEqual(before);
    await store.ready(items.map(({ action, resource }) => ({ action, resource })));
    await pass(29_999);
    expect([both(), asked]).toEqual([before, []]);
  });

  test('are requested again at the age of `ttl`, as questions only, and meanwhile kept', async () => {
    const { store, asked, both } = createStore(20_000);
    store.subscribe(() => undefined);
    await pass(9_999);
    expect(asked).toEqual([]);
    expect(both()).toEqual(before);
    await pass(1);
    expect(asked).toEqual([items.map(({ action, resource }) => ({ action, resource }))]);
    expect(both()).toEqual(after);
  });

  test.each([300_000, Date.now()])('of %d ms ago are older than `staleFor`: not shown', async (ago) => {
    const { asked, both } = createStore(ago);
    expect(both()).toEqual(none);
    await pass(0);
    expect([both(), asked.length]).toEqual([after, 1]);
  });

  test('of a clock that is ahead are as old as their arrival', async () => {
    const { asked, both } = createStore(-3_600_000);
    await pass(29_999);
    expect([both(), asked]).toEqual([before, []]);
    await pass(1);
    both();
    await pass(0);
    expect([both(), asked.length]).toEqual([after, 1]);
  });

  test('remain readable as they were', async () => {
    const { store } = createStore(300_000);
    store.invalidate();
    expect(store.initial).toEqual({ user: 'alice', at: expect.any(Number), items });
    expect(createPermissionStore({ ask: { post: vi.fn() } }).initial).toBeUndefined();
  });

  test('are a copy: later changes of the list do not matter', () => {
    const own = structuredClone(items);
    const { store, both } = createStore(0, { initial: { user: 'alice', at: Date.now(), items: own } });
    for (const item of own) item.allowed = true;
    expect([both(), store.initial?.items]).toEqual([before, items]);
  });

  test('are forgotten by invalidate()', () => {
    const { store, both } = createStore(0);
    store.invalidate();
    expect(both()).toEqual(none);
  });
});

describe('answers of a server, in a page with a session', () => {
  test('are shown to the session of their user', () => {
    expect(createStore(0, { session: createUser('alice') }).both()).toEqual(before);
  });

  test('are never shown to the session of another user', async () => {
    const session = createUser('bob');
    const { asked, both } = createStore(0, { session });
    expect(both()).toEqual(none);
    await pass(0);
    expect([both(), asked.length]).toEqual([after, 1]);
    session.become('alice');
    expect(both()).toEqual(none);
  });

  test.each(['bob', undefined])('are dropped once the user becomes %s, and do not come back', async (user) => {
    const session = createUser('alice');
    const { both } = createStore(0, { session });
    session.become(user);
    expect(both()).toEqual(none);
    session.become('alice');
    expect(both()).toEqual(none);
  });

  test('are shown without a request once the session of their user is restored', async () => {
    const session = createUser();
    const { store, asked, both } = createStore(0, { session });
    const listener = vi.fn();
    store.subscribe(listener);
    expect(both()).toEqual(none);
    session.become('alice');
    expect([both(), listener.mock.calls.length]).toEqual([before, 1]);
    await pass(1_000);
    expect(asked).toEqual([]);
  });

  test('are dropped once the session of another user is restored', async () => {
    const session = createUser();
    const { both } = createStore(0, { session });
    session.become('bob');
    expect(both()).toEqual(none);
  });

  test('are not shown, and nothing is asked, while no session is restored', async () => {
    const { asked, both } = createStore(0, { session: createUser() });
    expect(both()).toEqual(none);
    await pass(60_000);
    expect([both(), asked]).toEqual([none, []]);
  });
});

test.each<[string, unknown]>([
  ['initial', 'canary'],
  ['initial', null],
  ['initial.user', { at: 1, items: [] }],
  ['initial.user', { user: '', at: 1, items: [] }],
  ['initial.at', { user: 'alice', items: [] }],
  ['initial.at', { user: 'alice', at: '2026-11-27', items: [] }],
  ['initial.at', { user: 'alice', at: -1, items: [] }],
  ['initial.at', { user: 'alice', at: Number.NaN, items: [] }],
  ['initial.at', { user: 'alice', at: 8.65e15, items: [] }],
  ['initial.items', { user: 'alice', at: 1 }],
  ['initial.items', { user: 'alice', at: 1, items: { 0: items[0] } }],
  ['initial.items[0].allowed', { user: 'alice', at: 1, items: [{ action: 'a', resource: 'r' }] }],
  ['initial.items[1].allowed', { user: 'alice', at: 1, items: [items[0], { ...items[0], allowed: 'canary' }] }],
  ['initial.items[0].action', { user: 'alice', at: 1, items: [{ ...items[0], action: '' }] }],
  ['initial.items[0].resource', { user: 'alice', at: 1, items: [{ action: 'a', allowed: true }] }],
  ['initial.items[0].effect', { user: 'alice', at: 1, items: [{ ...items[0], effect: 'Allow' }] }],
  ['initial.token', { user: 'alice', at: 1, items: [], token: 'canary' }],
])('%s is refused by name: %j', (field, initial) => {
  const post = vi.fn();
  try {
    createPermissionStore({ ask: { post }, initial: initial as never });
  } catch (error) {
    expect(isInvalidArgumentError(error) && error.field).toBe(field);
    expect(String(error)).not.toContain('canary');
    expect(post).not.toHaveBeenCalled();
    return;
  }
  expect.fail('expected a refusal');
});
