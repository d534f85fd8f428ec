import { describe, expect, test } from 'vitest';
import type { LiveSession } from '../../../src/client/session/session-record.ts';
import { type Effects, initialState, type Seen, step, type TabState } from '../../../src/client/session/tab-state.ts';
import type { News } from '../../../src/client/session/tabs.ts';

const now = 1_800_000_000_000;
const never = Number.POSITIVE_INFINITY;
const times = { lifetimeMs: never, expiresAtMs: never, endsAt: never, renewAt: never, mustEndAt: never };
const live: LiveSession = { user: 'ann', groups: [], token: 't', header: 'h', askedAt: 0, signedInAt: 0, ...times };

/** A tab whose session is in the store, as another tab wrote it. */
const tab = (more: Partial<TabState> = {}): TabState => ({
  ...initialState(true),
  live,
  version: now,
  place: 'store',
  wrote: now - 1,
  now,
  ...more,
});
const hear = (state: TabState, kind: News['kind'], version: number) =>
  step(state, { type: 'heard', news: { kind, version } }, now);
const alone = { isShared: false, place: 'memory' } as const;
const [later, earlier, absurd] = [now + 5, now - 5, Number.MAX_SAFE_INTEGER];
const gone = { live: undefined, version: 0, place: 'memory' };

describe('a message of another tab', () => {
  test('about an end ends an earlier session, and the tab logs out itself if no other tab shares it', () => {
    const shared = hear(tab(), 'end', later);
    expect(shared).toEqual([
      tab({ ...gone, ended: later } as Partial<TabState>),
      { reason: 'signed-out', store: 'look' },
    ]);
    const own = hear(tab(alone), 'end', later);
    expect(own).toEqual([
      { ...tab(alone), ...gone, ended: later },
      { reason: 'signed-out', leave: live },
    ]);
    // The store failed before: an end counts all the same.
    expect(hear(tab({ place: 'memory' }), 'end', later)[1]).toEqual({ reason: 'signed-out', store: 'look' });
  });

  test('about an end leaves a session that is later, or signed in just now', () => {
    expect(hear(tab(), 'end', earlier)).toEqual([tab({ ended: earlier }), { store: 'look' }]);
    expect(hear(tab(alone), 'end', earlier)).toEqual([tab({ ...alone, ended: earlier }), {}]);
    const pending = tab({ place: 'pending' });
    expect(hear(pending, 'end', later)).toEqual([{ ...pending, ended: later }, { store: 'look' }]);
  });

  test.each(['change', 'expired', 'refused', 'lost'] as const)(
    'of the kind "%s" is ignored by a tab that shares nothing',
    (kind) => {
      for (const version of [later, absurd]) expect(hear(tab(alone), kind, version)).toEqual([tab(alone), {}]);
    },
  );

  test.each(['expired', 'refused', 'lost'] as const)(
    'of the kind "%s" ends an earlier session with this reason',
    (kind) => {
      expect(hear(tab(), kind, later)).toEqual([
        tab({ ...gone, ended: later } as Partial<TabState>),
        { reason: kind, store: 'look' },
      ]);
      expect(hear(tab(), kind, earlier)).toEqual([tab({ ended: earlier }), { store: 'look' }]);
    },
  );

  test('about a later session makes the tab wait for it, unless the tab signs in itself', () => {
    expect(hear(tab(), 'change', later)).toEqual([tab({ announced: later, awaited: later }), {}]);
    const pending = tab({ place: 'pending' });
    expect(hear(pending, 'change', later)).toEqual([{ ...pending, announced: later }, {}]);
    const signedOut = tab(gone as Partial<TabState>);
    expect(hear(signedOut, 'change', later)).toEqual([{ ...signedOut, announced: later, awaited: later }, {}]);
  });

  test('about an earlier session lowers no version, and lets the tab look for a late write', () => {
    const known = tab({ announced: now - 1 });
    expect(hear(known, 'change', earlier)).toEqual([known, { store: 'look' }]);
    const wrote = tab({ wrote: now, version: now });
    expect(hear(wrote, 'change', now)).toEqual([{ ...wrote, announced: now }, {}]);
  });

  test('about another session makes a tab whose session is not in the store look there, and changes nothing else', () => {
    const own = tab({ place: 'memory' });
    for (const kind of ['change', 'refused', 'lost'] as const) {
      expect(hear(own, kind, later)).toEqual([own, { store: 'look' }]);
    }
  });

  test.each(['change', 'end', 'refused'] as const)(
    'of the kind "%s" that no tab can have sent makes the tab read its store again',
    (kind) => {
      for (const version of [absurd, Number.NaN, -1]) {
        expect(hear(tab(), kind, version)).toEqual([tab({ awaited: now }), {}]);
        expect(hear(tab({ awaited: 3 }), kind, version)).toEqual([tab({ awaited: 3 }), {}]);
      }
    },
  );
});

describe('a look into the store', () => {
  const other: LiveSession = { ...live, user: 'bob', token: 'u' };
  const recordOf = (version: number, token = 'u') => ({ token, askedAt: 0, signedInAt: 0, version });
  const look = (state: TabState, seen: Partial<Seen> = {}) =>
    step(state, { type: 'mend', seen: { record: null, live: undefined, mark: 0, ...seen } }, now);
  const signedOut = (more: Partial<TabState> = {}): TabState => ({
    ...tab(more),
    live: undefined,
    version: 0,
    place: 'memory',
  });
  const own = tab({ wrote: now, ended: now - 1 });
  /** Tells other tabs of an end that the mark does not have. */
  const unknown: News = { kind: 'lost', version: now - 1 };

  test.each<[string, TabState, Partial<Seen>, TabState, Effects]>([
    ['a damaged mark ends it', tab({ awaited: 3 }), { mark: Number.NaN }, signedOut(), { reason: 'lost' }],
    [
      'a damaged mark ends one that the store does not have, and removes the record',
      tab({ place: 'memory' }),
      { mark: Number.NaN, record: recordOf(now) },
      signedOut(),
      { reason: 'lost', store: 'remove' },
    ],
    ['a store that fails confirms none', tab({ awaited: 3 }), { record: undefined }, tab({ awaited: 3 }), {}],
    [
      'a store that failed before does not',
      tab({ place: 'memory', awaited: 3 }),
      { record: undefined },
      tab({ place: 'memory' }),
      {},
    ],
    [
      'a mark that cannot be read confirms none',
      tab({ ...alone, awaited: 3 }),
      { record: undefined, mark: undefined },
      tab({ ...alone, awaited: 3 }),
      {},
    ],
    ['a mark does', tab({ ...alone, awaited: 3 }), { record: undefined }, tab(alone), {}],
    ['an empty store ends it', tab({ awaited: 3 }), {}, signedOut(), { reason: 'lost' }],
    ['an empty store does not end one that it never had', tab({ place: 'memory' }), {}, tab({ place: 'memory' }), {}],
    [
      'an announced session may still arrive',
      tab({ announced: later, awaited: 3 }),
      {},
      tab({ announced: later, awaited: 3 }),
      {},
    ],
    ['a late removal is undone', own, {}, own, { store: 'write' }],
    ['nothing can have removed it for an end', tab({ wrote: now }), {}, signedOut({ wrote: now }), { reason: 'lost' }],
    ['another tab wrote it', tab({ ended: now - 1 }), {}, signedOut({ ended: now - 1 }), { reason: 'lost' }],
    ['the same session', tab({ awaited: 3 }), { record: recordOf(now, 't'), live: other }, tab(), {}],
    ['another session of its version', tab(), { record: recordOf(now), live: other }, tab({ live: other }), {}],
    [
      'another session of its version over its own',
      own,
      { record: recordOf(now), live: other },
      { ...own, live: other },
      {},
    ],
    [
      'a late write of an older session is replaced',
      own,
      { record: recordOf(earlier) },
      own,
      { store: 'write', news: unknown },
    ],
    [
      'a session that has ended is removed',
      tab({ ended: now - 1 }),
      { record: recordOf(now - 2), live: other },
      tab({ ended: now - 1 }),
      { store: 'remove', news: unknown },
    ],
    [
      'an older session is repaired by the tab that wrote this one',
      tab(),
      { record: recordOf(earlier), live: other },
      tab({ awaited: now }),
      {},
    ],
    [
      'or is nothing to one that the store never had',
      tab({ place: 'memory', awaited: 3 }),
      { record: recordOf(earlier), live: other },
      tab({ place: 'memory' }),
      {},
    ],
    [
      'a late write of this tab over an announced one',
      tab({ announced: later, wrote: now + 2 }),
      { record: recordOf(now + 2), live: other },
      tab({ announced: later, wrote: now + 2 }),
      { store: 'remove' },
    ],
    [
      'or not, while it waits',
      tab({ announced: later, wrote: now + 2, awaited: 3 }),
      { record: recordOf(now + 2), live: other },
      tab({ announced: later, wrote: now + 2, awaited: 3 }),
      {},
    ],
    [
      'a session before the announced one',
      tab({ announced: later }),
      { record: recordOf(now + 2), live: other },
      tab({ announced: later }),
      {},
    ],
    [
      'the announced session is adopted',
      tab({ announced: later, awaited: 3 }),
      { record: recordOf(later), live: other },
      tab({ announced: later, live: other, version: later }),
      {},
    ],
    [
      'a later session is adopted',
      tab({ place: 'memory' }),
      { record: recordOf(later), live: other },
      tab({ live: other, version: later }),
      {},
    ],
    [
      'an expired one ends it, and is removed',
      tab(),
      { record: recordOf(later) },
      signedOut(),
      { reason: 'lost', store: 'remove' },
    ],
    [
      'an end that the mark has',
      tab(),
      { mark: later, record: recordOf(now, 't') },
      signedOut({ ended: later }),
      { reason: 'signed-out', store: 'remove' },
    ],
    [
      'a sign-in of this tab is later than all',
      tab({ place: 'pending' }),
      { mark: later, record: recordOf(now) },
      tab({ place: 'pending', ended: later }),
      {},
    ],
  ])('%s', (_, state, seen, after, effects) => {
    expect(look(state, seen)).toEqual([after, effects]);
  });

  test('undoes a late removal for two seconds', () => {
    const at = (ms: number) =>
      step(own, { type: 'mend', seen: { record: null, live: undefined, mark: 0 } }, now + ms)[1];
    expect([at(1_999), at(2_000)]).toEqual([{ store: 'write' }, { reason: 'lost' }]);
  });
});

test('a sign-out of another tab ends a session from before the clock was set back, in a tab that shares nothing', () => {
  const reasonAt = (state: Partial<TabState>, version: number) =>
    hear(tab({ ...state, version }), 'end', later)[1].reason;
  expect(reasonAt(alone, now + 1_001)).toBe('signed-out');
  expect(reasonAt(alone, now + 1_000)).toBe(undefined);
  expect(reasonAt({}, now + 1_001)).toBe(undefined);
});
