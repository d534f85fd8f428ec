import type { EndReason } from './session-events.js';
import { isPlausible, type LiveSession, nextVersion, renewedVersion, type SessionRecord } from './session-record.js';
import type { News } from './tabs.js';

/** How long a tab waits for an announced session to appear in the store before it is signed out. */
export const patienceMs = 2_000;
/** Versions of the same millisecond are counted up, so they may be slightly ahead of the clock. */
const clockToleranceMs = 1_000;

/** The session of a tab, and the versions that it knows: they say which state is newer, in whatever order they come. */
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
  /** Not 0 while the store is read repeatedly, because it does not confirm the session of this version. */
  readonly awaited: number;
  /** The system's time. */
  readonly now: number;
}

/** The content of the store and the mark. */
export interface Seen {
  /** Null if there is none, undefined if the store fails. All numbers of a damaged record are NaN. */
  readonly record: SessionRecord | null | undefined;
  /** The session of the record, unless it has expired. */
  readonly live: LiveSession | undefined;
  /** 0 if there is none, NaN if it is damaged, undefined if it cannot be read, as outside of a page. */
  readonly mark: number | undefined;
  /** The reason why the last session of the store was given up, if there is no session. */
  readonly news?: News | undefined;
}

/** A change under the lock of the store, after a look into it. */
export type Plan =
  | { readonly type: 'mend' }
  | { readonly type: 'keep'; readonly live: LiveSession }
  | { readonly type: 'renew'; readonly live: LiveSession; readonly next: LiveSession }
  | { readonly type: 'give-up'; readonly live: LiveSession; readonly reason: 'expired' | 'refused' }
  | { readonly type: 'empty'; readonly former: readonly SessionRecord[] };

/** An event of a tab. */
export type TabEvent =
  | { readonly type: 'signed-in'; readonly live: LiveSession }
  | { readonly type: 'signed-out' | 'waited' }
  | { readonly type: 'marked'; readonly mark: number | undefined }
  | { readonly type: 'heard'; readonly news: News }
  | { readonly type: 'written'; readonly live: LiveSession; readonly isKept: boolean }
  | { readonly type: 'looked'; readonly seen: Seen }
  | (Plan & { readonly seen: Seen });

/** The consequences of an event, in this order. */
export interface Effects {
  /** Why the session has ended. */
  readonly reason?: EndReason;
  /** This session is logged out and removed from the store, because no other tab does so. */
  readonly leave?: LiveSession | undefined;
  readonly news?: News;
  readonly mark?: number;
  /** Reads the store (`mend`: under the lock), writes the session, or removes the record. */
  readonly store?: 'look' | 'mend' | 'write' | 'remove';
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Writable<TabState> & { readonly effects: Writable<Effects> };

/** The versions that a tab knows before it has seen any. */
const unseen = { version: 0, ended: 0, announced: 0, wrote: 0, awaited: 0, now: 0 };
export const initialState = (isShared: boolean): TabState => ({ ...unseen, isShared, place: 'memory' });

const isBelow = ({ live, place, version }: TabState, other: number): boolean =>
  !!live && place !== 'pending' && version < other;

/** True if another tab has ended the session or replaced it by another sign-in. */
export const isOutdated = (tab: TabState): boolean => isBelow(tab, Math.max(tab.ended, Math.floor(tab.announced)));

/** True if another tab announced a session that this tab has not read yet. */
export const isBehind = ({ announced, ended, version }: TabState): boolean => announced >= ended && announced > version;

/** True if a session is still in use. */
export const isStill = (tab: TabState, live: LiveSession): boolean =>
  tab.live === live && tab.place !== 'pending' && !isOutdated(tab);

/** Returns a version for a sign-in or an end that is higher than all known ones. */
const next = ({ now, ended, announced }: TabState, seen = 0): number => nextVersion(now, ended - 1, announced, seen);

/** Ends the repeated reads of the store once this tab has read the announced session. */
function calm(tab: Draft): void {
  if (!isBehind(tab)) tab.awaited = 0;
}

/** Records the version of an end: a whole number, so that the next sign-in exceeds it. */
function noteEnd(tab: Draft, end = 0): void {
  const version = Math.ceil(end);
  if (!(version > tab.ended)) return;
  tab.ended = version;
  // The clock was set back after this sign-in, which another tab could not know.
  if (tab.live && !tab.isShared && tab.version > tab.now + clockToleranceMs) tab.version = version - 1;
}

function end(tab: Draft, reason: EndReason): void {
  if (!tab.live) return;
  // A slow read must not restore an ended session. A lost one may reappear in the store, so it is not marked as ended.
  if (reason !== 'lost') tab.ended = Math.max(tab.ended, Math.floor(tab.version) + 1);
  tab.live = undefined;
  tab.version = 0;
  tab.place = 'memory';
  tab.effects.reason = reason;
  calm(tab);
}

/** Ends a session that another tab has signed out. */
function obeyEnd(tab: Draft): void {
  if (!isBelow(tab, tab.ended)) return;
  if (!tab.isShared) tab.effects.leave = tab.live;
  end(tab, 'signed-out');
}

function write(tab: Draft): void {
  tab.wrote = tab.version;
  tab.effects.store = 'write';
}

/** Compares the store with the session of the tab. */
function judge(tab: Draft, { record, live: stored, mark }: Seen) {
  const { live, version, ended, wrote, place } = tab;
  const isOwn = live && version === wrote;
  if (Number.isNaN(mark)) return 'damaged';
  // The store fails. In doubt are a session of a shared store and, without one, a session whose mark fails, too.
  if (record === undefined) return (tab.isShared ? place === 'store' : mark === undefined) ? 'unknown' : 'same';
  if (record === null) {
    if (isBehind(tab)) return 'same';
    // The removal for an earlier end came late and removed this session.
    return isOwn && ended > 0 && tab.now < version + patienceMs ? 'write' : 'none';
  }
  // The session is the same, but its times are on a better clock.
  if (live && record.version === version && record.token === live.token) return 'same';
  // Another tab's late write of an older session.
  if (isOwn && record.version < version) return 'write';
  if (record.version < ended) return 'remove';
  // The tab that wrote the session of this one repairs the store, if it still exists.
  if (live && record.version < version && !isBehind(tab)) return place === 'store' ? 'unsettled' : 'same';
  // The announced session has not arrived yet, or a late write of this tab replaced it.
  if (record.version < Math.floor(tab.announced)) return !tab.awaited && record.version === wrote ? 'remove' : 'same';
  if (live && record.version < version) return 'same';
  return stored ? 'adopt' : 'none';
}

/** Adopts the state of the store, and says how the store has to be changed, if at all. */
function look(tab: Draft, seen: Seen, reason: EndReason = 'lost'): void {
  noteEnd(tab, seen.mark);
  // A pending sign-in is later than anything in the store.
  if (tab.place === 'pending') return;
  obeyEnd(tab);
  const verdict = judge(tab, seen);
  if (verdict === 'unknown') return;
  if (verdict === 'unsettled') {
    tab.awaited ||= tab.version;
    return;
  }
  if (verdict === 'write') write(tab);
  else if (verdict === 'remove') tab.effects.store = verdict;
  else if (verdict === 'adopt') Object.assign(tab, { live: seen.live, version: seen.record?.version, place: 'store' });
  else if (verdict !== 'same') {
    const { kind, version = 0 } = seen.news ?? {};
    const isNewerEnd = (kind === 'expired' || kind === 'refused') && version > tab.version;
    if (verdict === 'damaged' || tab.place === 'store') end(tab, isNewerEnd ? kind : reason);
    if (seen.record) tab.effects.store = 'remove';
  }
  calm(tab);
}

/** News are hints: they may end a session, but the store and the mark decide if one goes on. */
function hear(tab: Draft, { kind, version }: News): void {
  const isEnd = kind === 'end';
  // If tabs do not share the session, only its end concerns this tab.
  if (!isEnd && !tab.isShared) return;
  if (!isPlausible(version, tab.now)) {
    tab.awaited ||= tab.version;
    return;
  }
  // The store failed before, so it does not contain this tab's session, which stays.
  const isAlone = !isEnd && tab.live && tab.place === 'memory';
  if (!isAlone) {
    if (kind === 'change') tab.announced = Math.max(tab.announced, version);
    else {
      noteEnd(tab, version);
      if (!isEnd && isOutdated(tab)) end(tab, kind);
    }
    obeyEnd(tab);
    if (isBehind(tab)) {
      if (tab.place !== 'pending') tab.awaited = tab.announced;
      return;
    }
  }
  // A late write of this tab, or of another one over this tab's session, may just have arrived.
  if (tab.isShared && version !== tab.wrote) tab.effects.store = 'look';
}

/** Ends all sessions up to now, in all tabs. */
function announceEnd(tab: Draft, seen?: number): void {
  // The version is one higher, so that an unseen sign-in of the same millisecond ends, too.
  const version = next(tab, seen) + 1;
  tab.ended = version;
  Object.assign(tab.effects, { news: { kind: 'end', version }, mark: version });
}

/** A handler for each event. */
const handlers: { readonly [T in TabEvent['type']]: (tab: Draft, event: Extract<TabEvent, { type: T }>) => void } = {
  'signed-in': (tab, { live }) => {
    Object.assign(tab, { live, version: next(tab, tab.version), place: 'pending' });
    calm(tab);
  },
  keep: (tab, { live, seen: { record, mark } }) => {
    noteEnd(tab, mark);
    // Meanwhile this tab signed out, or in again.
    if (tab.live !== live) return;
    tab.version = Math.max(tab.version, next(tab, record?.version || 0));
    if (Number.isNaN(mark)) tab.effects.mark = tab.ended = tab.version;
    write(tab);
  },
  written: (tab, { live, isKept }) => {
    if (tab.place !== 'pending' || tab.live === live) tab.place = isKept ? 'store' : 'memory';
    obeyEnd(tab);
    if (!tab.live) tab.effects.store = 'remove';
    else if (tab.isShared) tab.effects.news = { kind: 'change', version: tab.wrote };
    if (isBehind(tab)) tab.awaited = tab.announced;
  },
  looked: (tab, { seen }) => {
    look(tab, seen);
    if (tab.effects.store) tab.effects.store = 'mend';
  },
  mend: (tab, { seen }) => {
    look(tab, seen);
    // A tab that knows of the end from neither news nor the mark would choose such a version again.
    const isUnknown = seen.mark !== undefined && seen.mark < tab.ended;
    if (isUnknown && tab.isShared && seen.record && seen.record.version < tab.ended) {
      tab.effects.news = { kind: 'lost', version: tab.ended };
    }
  },
  renew: (tab, { live, next: renewed, seen }) => {
    look(tab, seen);
    if (!isStill(tab, live)) return;
    Object.assign(tab, { live: renewed, version: renewedVersion(tab.version) });
    write(tab);
  },
  'give-up': (tab, { live, reason, seen }) => {
    look(tab, seen, reason);
    if (tab.live !== live) return;
    end(tab, reason);
    tab.effects.store = 'remove';
    if (tab.isShared) tab.effects.news = { kind: reason, version: tab.ended };
  },
  heard: (tab, { news }) => hear(tab, news),
  waited: (tab) => {
    if (isOutdated(tab) || !isBehind(tab)) end(tab, 'lost');
    tab.awaited = 0;
    tab.effects.store = 'look';
  },
  'signed-out': (tab) => end(tab, 'signed-out'),
  marked: (tab, { mark }) => {
    noteEnd(tab, mark);
    announceEnd(tab);
    tab.effects.store = 'remove';
  },
  empty: (tab, { former, seen: { record, mark } }) => {
    noteEnd(tab, mark);
    // The user has signed in again meanwhile.
    if (tab.live) return;
    for (const { token, version } of former) {
      const last = record?.token === token ? record.version : version;
      // The clock was set back since this sign-in.
      if (last >= tab.ended) announceEnd(tab, last);
    }
    // A later sign-in of another tab stays in the store.
    if (record && !(record.version >= tab.ended)) tab.effects.store = 'remove';
  },
};

/** Returns the state after an event, and what the tab does about it. `now` is the system's time. */
export function step<T extends TabEvent>(state: TabState, event: T, now: number): [state: TabState, effects: Effects] {
  const draft: Draft = { ...state, now, effects: {} };
  // The cast: the type of the event is the name of its handler.
  (handlers[event.type] as (tab: Draft, event: T) => void)(draft, event);
  const { effects, ...after } = draft;
  return [after, effects];
}
