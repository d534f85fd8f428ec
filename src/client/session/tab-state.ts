import type { EndReason } from './events.js';
import { isPlausible, type LiveSession, nextVersion, renewedVersion, type SessionRecord } from './record.js';
import type { News } from './tabs.js';

/** How long a tab waits for an announced session to appear in the store before it is signed out. */
export const patienceMs = 2_000;
/** Versions of the same millisecond are counted up, so they may be slightly ahead of the clock. */
const clockToleranceMs = 1_000;

/**
 * The session of a tab, and the versions that this tab knows. Versions decide which state is newer, because messages,
 * the store and the mark may be seen in any order.
 */
export interface TabState {
  /** True if other tabs can read what this tab writes. */
  readonly isShared: boolean;
  /** The last session that was signed in, restored or renewed. It may have expired or been replaced. */
  readonly live?: LiveSession | undefined;
  /** The version of `live`; 0 without one. */
  readonly version: number;
  /** A sign-in is `pending` until it has the lock: newer than anything that arrives. `memory`: the store failed. */
  readonly place: 'pending' | 'store' | 'memory';
  /** All sessions with a lower version have ended. */
  readonly ended: number;
  /** The version of the newest session that another tab announced. */
  readonly announced: number;
  /** The version that this tab wrote last. */
  readonly wrote: number;
  /** Not 0 while the store is read repeatedly, because it does not contain the session of this version. */
  readonly awaited: number;
}

/** The content of the store and the mark: the record is null if there is none, NaN if damaged, undefined if unreadable. */
export interface Seen {
  readonly record: SessionRecord | null | undefined;
  /** The session of the record, unless it has expired. */
  readonly live: LiveSession | undefined;
  /** 0 if there is none, NaN if it is damaged, undefined if it cannot be read. */
  readonly mark: number | undefined;
}

/** What happens to a tab: `locked` events do under the lock of the store. */
export type TabEvent =
  | { readonly type: 'signed-in'; readonly live: LiveSession }
  | { readonly type: 'signed-out' | 'waited' }
  | { readonly type: 'heard'; readonly news: News }
  | { readonly type: 'written'; readonly live: LiveSession; readonly isKept: boolean }
  | { readonly type: 'marked'; readonly mark: number | undefined }
  // In doubt after a message that no tab sends: a session ends if it is not confirmed.
  | { readonly type: 'looked'; readonly seen: Seen; readonly isInDoubt?: boolean }
  | { readonly type: 'locked'; readonly seen: Seen; readonly plan: Plan };

/** Why a tab has taken the lock. */
export type Plan =
  | { readonly to: 'mend' }
  | { readonly to: 'keep'; readonly live: LiveSession }
  | { readonly to: 'renew'; readonly live: LiveSession; readonly next: LiveSession }
  | { readonly to: 'give-up'; readonly live: LiveSession; readonly reason: 'expired' | 'refused' }
  | { readonly to: 'empty'; readonly former: readonly SessionRecord[] };

/** What the tab does after an event, in this order. */
export interface Effects {
  /** The session has ended. */
  readonly reason?: EndReason;
  /** Logs out this session, which tabs do not share, and removes it from the store. */
  readonly leave?: LiveSession | undefined;
  readonly news?: News;
  readonly mark?: number;
  /** Reads the store (`mend`: under the lock), writes the session, or removes the record. */
  readonly store?: 'look' | 'look-in-doubt' | 'mend' | 'write' | 'remove';
}

type Step = readonly [state: TabState, effects: Effects];

export const initialState = (isShared: boolean): TabState => ({
  isShared,
  version: 0,
  place: 'memory',
  ended: 0,
  announced: 0,
  wrote: 0,
  awaited: 0,
});

const isBelow = ({ live, place, version }: TabState, other: number): boolean =>
  live !== undefined && place !== 'pending' && version < other;

/** True if another tab has ended the session or replaced it by another sign-in. */
export const isOutdated = (state: TabState): boolean =>
  isBelow(state, Math.max(state.ended, Math.floor(state.announced)));

/** True if another tab announced a session that this tab has not read yet. */
export const isBehind = ({ announced, ended, version }: TabState): boolean => announced >= ended && announced > version;

/** True if a session is still in use. */
export const isStill = (state: TabState, live: LiveSession): boolean =>
  state.live === live && state.place !== 'pending' && !isOutdated(state);

/** Returns a version for a sign-in or an end that is higher than all known ones. */
const next = ({ ended, announced }: TabState, now: number, ...seen: readonly number[]): number =>
  nextVersion(now, ended - 1, announced, ...seen);

/** Stops to read the store repeatedly, unless it does not contain the announced session yet. */
const calm = (state: TabState): TabState => (isBehind(state) ? state : { ...state, awaited: 0 });

/** Records the version of an end. */
function noteEnd(state: TabState, end: number | undefined, now: number): TabState {
  if (end === undefined || !(end > state.ended)) return state;
  // The clock was set back after this sign-in, which another tab could not know.
  const isAhead = state.live && !state.isShared && state.version > now + clockToleranceMs;
  return { ...state, ended: end, version: isAhead ? end - 1 : state.version };
}

function end(state: TabState, reason: EndReason): Step {
  if (!state.live) return [state, {}];
  // A slow read must not restore an ended session. A lost one may reappear in the store, so it is not marked as ended.
  const ended = reason === 'lost' ? state.ended : Math.max(state.ended, Math.floor(state.version) + 1);
  return [calm({ ...state, live: undefined, version: 0, place: 'memory', ended }), { reason }];
}

/** Ends a session that another tab has signed out. */
function obeyEnd(state: TabState): Step {
  if (!isBelow(state, state.ended)) return [state, {}];
  const [over, effects] = end(state, 'signed-out');
  return [over, state.isShared ? effects : { ...effects, leave: state.live }];
}

/** Compares the store with the session of the tab. */
function judge(state: TabState, { record, live: stored }: Seen, now: number) {
  const { live, version, ended, wrote } = state;
  const isOwn = live && version === wrote;
  if (record === null) {
    if (isBehind(state)) return 'same';
    // The removal for an earlier end came late and removed this session.
    return isOwn && ended > 0 && now < version + patienceMs ? 'write' : 'none';
  }
  // The store fails, or the session is the same, but its times are on a better clock.
  if (!record || (live && record.version === version && record.token === live.token)) return 'same';
  // Another tab's late write of an older session.
  if (isOwn && record.version < version) return 'write';
  if (record.version < ended) return 'remove';
  // The announced session has not arrived yet, or a late write of this tab replaced it.
  if (record.version < Math.floor(state.announced))
    return !state.awaited && record.version === wrote ? 'remove' : 'same';
  // The tab that wrote the session of this one repairs the store, if it still exists.
  if (live && record.version < version) return state.place === 'store' ? 'unsettled' : 'same';
  return stored ? 'adopt' : 'none';
}

/** Adopts the state of the store. Returns how the store has to be changed, if at all. */
function look(before: TabState, seen: Seen, now: number, reason: EndReason, isInDoubt = false): Step {
  const noted = noteEnd(before, seen.mark, now);
  // A pending sign-in is later than anything in the store.
  if (noted.place === 'pending') return [noted, {}];
  const [state, effects] = obeyEnd(noted);
  const isUnconfirmed = state.isShared ? state.place === 'store' && seen.record === undefined : seen.mark === undefined;
  const isDamaged = Number.isNaN(seen.mark) || (isInDoubt && isUnconfirmed);
  const verdict = isDamaged ? 'none' : judge(state, seen, now);
  if (verdict === 'unsettled') return [{ ...state, awaited: state.awaited || state.version }, effects];
  const { live, record } = seen;
  if (verdict === 'adopt' && record)
    return [calm({ ...state, live, version: record.version, place: 'store' }), effects];
  if (verdict === 'remove' || verdict === 'write') return [calm(state), { ...effects, store: verdict }];
  if (verdict === 'same') return [calm(state), effects];
  const [over, ending] = isDamaged || state.place === 'store' ? end(state, isDamaged ? 'lost' : reason) : [state, {}];
  return [calm(over), { ...effects, ...ending, ...(record ? { store: 'remove' } : {}) }];
}

/** News are hints: they may end a session, but the store and the mark decide if one goes on. */
function hear(before: TabState, { kind, version }: News, now: number): Step {
  const isEnd = kind === 'end';
  // If tabs do not share the session, only its end concerns this tab.
  if (!isEnd && !before.isShared) return [before, {}];
  if (!isPlausible(version, now)) return [before, { store: 'look-in-doubt' }];
  // The store failed before, so it does not contain this tab's session, which stays.
  if (!isEnd && before.live && before.place === 'memory') return [before, { store: 'look' }];
  const isChange = kind === 'change';
  const noted = isChange
    ? { ...before, announced: Math.max(before.announced, version) }
    : noteEnd(before, version, now);
  const [state, effects] = !isEnd && !isChange && isOutdated(noted) ? end(noted, kind) : obeyEnd(noted);
  if (isBehind(state)) return [state.place === 'pending' ? state : { ...state, awaited: state.announced }, effects];
  // A late write of this tab, or of another one over this tab's session, may just have arrived.
  return [state, state.isShared && version !== state.wrote ? { ...effects, store: 'look' } : effects];
}

/** Ends all sessions up to now, in all tabs. */
function announceEnd(state: TabState, now: number, ...seen: readonly number[]): Step {
  // Plus one, so that an unseen sign-in of the same millisecond ends as well.
  const version = next(state, now, ...seen) + 1;
  return [
    { ...state, ended: version },
    { news: { kind: 'end', version }, mark: version },
  ];
}

/** Removes the sessions that a sign-out has ended; a later sign-in of another tab stays in the store. */
function empty(before: TabState, former: readonly SessionRecord[], { record, mark }: Seen, now: number): Step {
  const noted = noteEnd(before, mark, now);
  // The user has signed in again meanwhile.
  if (noted.live) return [noted, {}];
  const ended = [...former, ...former.filter(({ token }) => token === record?.token).map(() => record)];
  // A sign-in may have a later time because the clock was set back since.
  const ahead = ended.flatMap((one) => (one && one.version >= noted.ended ? one.version : []));
  const [state, effects] = ahead.length > 0 ? announceEnd(noted, now, ...ahead) : [noted, {}];
  return [state, record && !(record.version >= state.ended) ? { ...effects, store: 'remove' } : effects];
}

const write = (state: TabState): Step => [{ ...state, wrote: state.version }, { store: 'write' }];

function keep(before: TabState, live: LiveSession, { record, mark }: Seen, now: number): Step {
  const state = noteEnd(before, mark, now);
  // Meanwhile this tab signed out, or in again.
  if (state.live !== live) return [state, {}];
  const version = Math.max(state.version, next(state, now, record?.version || 0));
  const [wrote, effects] = write({ ...state, version });
  return Number.isNaN(mark)
    ? [
        { ...wrote, ended: version },
        { ...effects, mark: version },
      ]
    : [wrote, effects];
}

function carryOut(before: TabState, plan: Plan, seen: Seen, now: number): Step {
  if (plan.to === 'keep') return keep(before, plan.live, seen, now);
  if (plan.to === 'empty') return empty(before, plan.former, seen, now);
  const [state, effects] = look(before, seen, now, plan.to === 'give-up' ? plan.reason : 'lost');
  if (plan.to === 'renew' && isStill(state, plan.live)) {
    return write({ ...state, live: plan.next, version: renewedVersion(state.version) });
  }
  if (plan.to === 'give-up' && state.live === plan.live) {
    const { reason } = plan;
    const [over, ending] = end(state, reason);
    const news: News = { kind: reason, version: over.ended };
    return [over, { ...ending, ...(over.isShared ? { news } : {}), store: 'remove' }];
  }
  return effects.store === 'write' ? [{ ...state, wrote: state.version }, effects] : [state, effects];
}

function written(before: TabState, live: LiveSession, isKept: boolean): Step {
  const isOther = before.place === 'pending' && before.live !== live;
  const [state, effects] = obeyEnd(isOther ? before : { ...before, place: isKept ? 'store' : 'memory' });
  if (!state.live) return [state, { ...effects, store: 'remove' }];
  const after = isBehind(state) ? { ...state, awaited: state.announced } : state;
  return [after, state.isShared ? { ...effects, news: { kind: 'change', version: state.wrote } } : effects];
}

/** Returns the state after an event, and what the tab does about it. `now` is the system's time. */
export function step(state: TabState, event: TabEvent, now: number): Step {
  switch (event.type) {
    case 'signed-in':
      return [calm({ ...state, live: event.live, version: next(state, now, state.version), place: 'pending' }), {}];
    case 'signed-out':
      return end(state, 'signed-out');
    case 'waited': {
      const isUnsettled = state.awaited > 0 && !isBehind(state);
      const [over, effects] = isUnsettled || isOutdated(state) ? end(state, 'lost') : [state, {}];
      return [
        { ...over, awaited: 0 },
        { ...effects, store: 'look' },
      ];
    }
    case 'heard':
      return hear(state, event.news, now);
    case 'written':
      return written(state, event.live, event.isKept);
    case 'marked': {
      const [over, effects] = announceEnd(noteEnd(state, event.mark, now), now);
      return [over, { ...effects, store: 'remove' }];
    }
    case 'looked': {
      const [looked, effects] = look(state, event.seen, now, 'lost', event.isInDoubt);
      return [looked, effects.store ? { ...effects, store: 'mend' } : effects];
    }
    case 'locked':
      return carryOut(state, event.plan, event.seen, now);
  }
}
