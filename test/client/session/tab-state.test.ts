import { describe, expect, test } from 'vitest';
import type { LiveSession } from '../../../src/client/session/record.ts';
import { initialState, step, type TabState } from '../../../src/client/session/tab-state.ts';
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

describe('news', () => {
  test('of an end end an earlier session, which the tab leaves if no other tab shares it', () => {
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

  test('of an end change nothing for a session that is later, or signed in just now', () => {
    expect(hear(tab(), 'end', earlier)).toEqual([tab({ ended: earlier }), { store: 'look' }]);
    expect(hear(tab(alone), 'end', earlier)).toEqual([tab({ ...alone, ended: earlier }), {}]);
    const pending = tab({ place: 'pending' });
    expect(hear(pending, 'end', later)).toEqual([{ ...pending, ended: later }, { store: 'look' }]);
  });

  test.each(['change', 'expired', 'refused', 'lost'] as const)(
    'of the kind "%s" are ignored by a tab that shares nothing',
    (kind) => {
      for (const version of [later, absurd]) expect(hear(tab(alone), kind, version)).toEqual([tab(alone), {}]);
    },
  );

  test.each(['expired', 'refused', 'lost'] as const)(
    'of the kind "%s" end an earlier session with this reason',
    (kind) => {
      expect(hear(tab(), kind, later)).toEqual([
        tab({ ...gone, ended: later } as Partial<TabState>),
        { reason: kind, store: 'look' },
      ]);
      expect(hear(tab(), kind, earlier)).toEqual([tab({ ended: earlier }), { store: 'look' }]);
    },
  );

  test('of a later session wait for it, except in a tab that signs in itself', () => {
    expect(hear(tab(), 'change', later)).toEqual([tab({ announced: later, awaited: later }), {}]);
    const pending = tab({ place: 'pending' });
    expect(hear(pending, 'change', later)).toEqual([{ ...pending, announced: later }, {}]);
    const signedOut = tab(gone as Partial<TabState>);
    expect(hear(signedOut, 'change', later)).toEqual([{ ...signedOut, announced: later, awaited: later }, {}]);
  });

  test('of an earlier session lower no version, and let the tab look for a late write', () => {
    const known = tab({ announced: now - 1 });
    expect(hear(known, 'change', earlier)).toEqual([known, { store: 'look' }]);
    const wrote = tab({ wrote: now, version: now });
    expect(hear(wrote, 'change', now)).toEqual([{ ...wrote, announced: now }, {}]);
  });

  test('of other sessions are nothing to a session that only the tab has, but that it looks', () => {
    const own = tab({ place: 'memory' });
    for (const kind of ['change', 'refused', 'lost'] as const) {
      expect(hear(own, kind, later)).toEqual([own, { store: 'look' }]);
    }
  });

  test.each(['change', 'end', 'refused'] as const)(
    'of the kind "%s" that no tab can have sent make it read again',
    (kind) => {
      for (const version of [absurd, Number.NaN, -1]) {
        expect(hear(tab(), kind, version)).toEqual([tab({ awaited: now }), {}]);
        expect(hear(tab({ awaited: 3 }), kind, version)).toEqual([tab({ awaited: 3 }), {}]);
      }
    },
  );
});
