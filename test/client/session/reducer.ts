import type { LiveSession, SessionRecord } from '../../../src/client/session/session-record.ts';
import {
  initialState,
  isOutdated,
  type Plan,
  type Seen,
  step,
  type TabEvent,
  type TabState,
} from '../../../src/client/session/tab-state.ts';
import type { News } from '../../../src/client/session/tabs.ts';

/** Work in progress: each `yield` is a point at which other work may go on. */
type Work = Generator<undefined, void, undefined>;

/** A tab of the model: a state, and the news that have not arrived. */
export interface ModelTab {
  state: TabState;
  readonly inbox: News[];
  /** What follows from each read of the store, in the order of the reads. */
  readonly reads: (() => Work)[];
  /** Its changes of the record: a read that began before the last one is repeated. */
  writes: number;
}

/** Makes a session that does not expire. */
function liveOf(user: string, token: string): LiveSession {
  const never = Number.POSITIVE_INFINITY;
  const times = { lifetimeMs: never, expiresAtMs: never, endsAt: never, renewAt: never, mustEndAt: never };
  return { user, groups: [], token, header: `Bearer ${token}`, askedAt: 0, signedInAt: 0, ...times };
}

/** Tabs that are nothing but states: `choose` says which of the work in progress goes on, so that no time passes. */
export class Model {
  readonly tabs: readonly ModelTab[];
  /** The sessions that the service has issued, by their tokens. */
  readonly issued = new Map<string, LiveSession>();
  record: SessionRecord | null = null;
  mark = 0;
  now = 1_800_000_000_000;
  readonly #choose: (count: number) => number;
  readonly #works: Work[] = [];
  #isLocked = false;

  constructor(count: number, choose: (count: number) => number) {
    this.#choose = choose;
    this.tabs = Array.from({ length: count }, () => ({ state: initialState(true), inbox: [], reads: [], writes: 0 }));
  }

  userOf({ state }: ModelTab): string | undefined {
    return isOutdated(state) ? undefined : state.live?.user;
  }

  signIn(tab: ModelTab, user: string): void {
    const live = this.#issue(user);
    this.#begin(
      function* (this: Model): Work {
        yield* this.#dispatch(tab, { type: 'signed-in', live });
        yield* this.#alone(tab, { type: 'keep', live });
      }.call(this),
    );
  }

  signOut(tab: ModelTab): void {
    const { live, version } = tab.state;
    const stored = this.record;
    const former = [...(live ? [{ ...live, version }] : []), ...(stored ? [stored] : [])];
    this.#begin(
      function* (this: Model): Work {
        yield* this.#dispatch(tab, { type: 'signed-out' });
        yield* this.#dispatch(tab, { type: 'marked', mark: this.mark });
        yield* this.#alone(tab, { type: 'empty', former });
      }.call(this),
    );
  }

  renew(tab: ModelTab): void {
    const { live } = tab.state;
    if (live) this.#begin(this.#alone(tab, { type: 'renew', live, next: this.#issue(live.user) }));
  }

  giveUp(tab: ModelTab): void {
    const { live } = tab.state;
    if (live) this.#begin(this.#alone(tab, { type: 'give-up', live, reason: 'refused' }));
  }

  /** Sends news to all tabs but the sender. */
  send(news: News, sender?: ModelTab): void {
    for (const tab of this.tabs) {
      if (tab === sender) continue;
      tab.inbox.push(news);
      this.#begin(
        function* (this: Model): Work {
          yield;
          const first = tab.inbox.shift();
          if (first) yield* this.#dispatch(tab, { type: 'heard', news: first });
        }.call(this),
      );
    }
  }

  /** Changes the storage, and tells all tabs but the writer. */
  change(change: { readonly record?: SessionRecord | null; readonly mark?: number }, writer?: ModelTab): void {
    Object.assign(this, change);
    if (writer && 'record' in change) writer.writes++;
    for (const tab of this.tabs) if (tab !== writer) this.#begin(this.#look(tab));
  }

  /** Lets some of the work go on. */
  run(steps: number): void {
    for (let i = 0; i < steps && this.#works.length > 0; i++) {
      const index = this.#choose(this.#works.length);
      if (this.#works[index]?.next().done) this.#works.splice(index, 1);
    }
  }

  /** Lets all work end, with the time limits of tabs that wait for a session. */
  rest(): void {
    for (let rounds = 0; rounds < 50; rounds++) {
      for (let steps = 0; this.#works.length > 0; steps++) {
        if (steps > 20_000) throw new Error('the tabs never come to rest');
        this.run(1);
        if (steps % 10 === 0) this.now += 1;
      }
      const waiting = this.tabs.filter(({ state }) => state.awaited > 0);
      if (waiting.length === 0) return;
      for (const tab of waiting) this.#begin(this.#look(tab));
      while (this.#works.length > 0) this.run(1);
      this.now += 2_000;
      for (const tab of waiting) if (tab.state.awaited > 0) this.#begin(this.#dispatch(tab, { type: 'waited' }));
    }
    throw new Error('a tab waits for ever');
  }

  #issue(user: string): LiveSession {
    const live = liveOf(user, `${user}.${this.issued.size}`);
    this.issued.set(live.token, live);
    return live;
  }

  #begin(work: Work): void {
    this.#works.push(work);
  }

  #see(): Seen {
    const { record, mark } = this;
    return { record, mark, live: this.issued.get(record?.token ?? '') };
  }

  *#read(tab: ModelTab, then: (seen: Seen) => Work): Work {
    const [seen, { writes }] = [this.#see(), tab];
    tab.reads.push(() => (writes === tab.writes ? then(seen) : this.#read(tab, then)));
    yield;
    yield* tab.reads.shift()?.() ?? [];
  }

  #look(tab: ModelTab): Work {
    return this.#read(tab, (seen) => this.#dispatch(tab, { type: 'looked', seen }));
  }

  *#alone(tab: ModelTab, plan: Plan): Work {
    while (this.#isLocked) yield;
    this.#isLocked = true;
    yield* this.#read(
      tab,
      function* (this: Model, seen: Seen): Work {
        yield* this.#dispatch(tab, { ...plan, seen });
        this.#isLocked = false;
      }.bind(this),
    );
  }

  *#dispatch(tab: ModelTab, event: TabEvent): Work {
    const before = Object.freeze(tab.state);
    const [state, effects] = step(before, event, this.now);
    for (const version of [state.version, state.ended, state.announced, state.wrote]) {
      if (!(version >= 0 && version < 2 ** 53)) throw new Error(`${event.type} makes the version ${version}`);
    }
    for (const key of ['ended', 'announced'] as const) {
      if (state[key] < before[key]) throw new Error(`${event.type} lowers ${key}`);
    }
    if (event.type === 'signed-in' && state.version <= before.version) throw new Error('a version does not increase');
    tab.state = state;
    if (effects.news) this.send(effects.news, tab);
    // The mark is written and the record removed at once, before an answer of the service can arrive.
    const isAtOnce = event.type === 'marked';
    if (effects.mark !== undefined) {
      if (!isAtOnce) yield;
      this.change({ mark: effects.mark }, tab);
    }
    if (effects.store === 'look') this.#begin(this.#look(tab));
    if (effects.store === 'mend') yield* this.#alone(tab, { type: 'mend' });
    if (effects.store === 'remove') {
      if (!isAtOnce) yield;
      this.change({ record: null }, tab);
    }
    const { live, version } = state;
    if (effects.store !== 'write' || !live) return;
    yield;
    this.change({ record: { ...live, version } }, tab);
    yield* this.#dispatch(tab, { type: 'written', live, isKept: true });
  }
}
