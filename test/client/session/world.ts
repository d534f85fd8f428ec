import { AsyncLocalStorage } from 'node:async_hooks';
import { vi } from 'vitest';
import { createSession, type UserSession } from '../../../src/client/session/index.ts';

/** Runs a step at a time of the scheduler's choice. */
export type Later = (label: string, step: () => void) => Promise<void>;

/** A tab of the world: its session, its view of the storage, and its ears. */
export interface WorldTab {
  readonly session: UserSession;
  /** Runs code in the tab. */
  run<T>(code: (session: UserSession) => T): T;
  /** The highest version of an end and of a change that has arrived. */
  readonly heard: { end: number; change: number };
  /** Its clock may run ahead of the world's. */
  readonly clock: { aheadMs: number };
  /** The browser stops the page, and lets it go on. */
  stop(): void;
  goOn(): void;
}

/** Tabs of one browser, each in a process of its own. */
export interface World {
  readonly tabs: readonly WorldTab[];
  /** The storage after all writes have arrived. */
  stored(): string;
  /** The version that a token was stored with. */
  versionOf(header: string | undefined): number | undefined;
}

const hour = 3_600_000;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
let issued = 0;

function tokenFor(user: string): string {
  issued += 1;
  const iat = Math.floor(Date.now() / 1000);
  return `${encode({ alg: 'none' })}.${encode({ preferred_username: user, iat, exp: iat + 3600, n: issued })}.c2ln`;
}

/** The storage as a process sees it. */
interface View {
  readonly entries: Map<string, string>;
  readonly unacknowledged: Map<string, number>;
  readonly queue: (() => void)[];
  readonly onStorage: (key: string) => void;
}

function put(entries: Map<string, string>, key: string, value: string | undefined): void {
  if (value === undefined) entries.delete(key);
  else entries.set(key, value);
}

/**
 * The storage of a browser: each process has a view, which shows its own writes at once and those of others later, in the
 * order in which they arrived at the storage. A view ignores what arrived before its own last write.
 */
class Storage {
  readonly #later: Later;
  readonly #views: View[] = [];
  readonly versions = new Map<string, number>();
  readonly entries = new Map<string, string>();

  constructor(later: Later) {
    this.#later = later;
  }

  /** Opens the view of a process. */
  view(onStorage: (key: string) => void) {
    const view: View = { entries: new Map(), unacknowledged: new Map(), queue: [], onStorage };
    const index = this.#views.push(view) - 1;
    const sent: (() => void)[] = [];
    const write = (key: string, value?: string) => {
      put(view.entries, key, value);
      view.unacknowledged.set(key, (view.unacknowledged.get(key) ?? 0) + 1);
      const { token, version } = value?.startsWith('{') ? JSON.parse(value) : {};
      if (token) this.versions.set(`Bearer ${token}`, version);
      sent.push(() => this.#arrive(view, key, value));
      void this.#later(`tab ${index} writes ${value?.slice(-30) ?? 'nothing'}`, () => sent.shift()?.());
    };
    return { getItem: (key: string) => view.entries.get(key), setItem: write, removeItem: (key: string) => write(key) };
  }

  /** A write arrives at the storage, and goes on to all views: to that of the writer as an acknowledgement. */
  #arrive(writer: View, key: string, value: string | undefined): void {
    put(this.entries, key, value);
    for (const [index, view] of this.#views.entries()) {
      view.queue.push(() => {
        const waiting = view.unacknowledged.get(key) ?? 0;
        if (view === writer) view.unacknowledged.set(key, waiting - 1);
        else if (waiting === 0) {
          put(view.entries, key, value);
          view.onStorage(key);
        }
      });
      void this.#later(`${value?.slice(-30) ?? 'nothing'} arrives at view ${index}`, () => view.queue.shift()?.());
    }
  }
}

/** Web Locks, granted in the order of the requests, some time after the lock is free. */
function locksOf(later: Later) {
  const queues = new Map<string, (() => void)[]>();
  const next = (name: string) => {
    const grant = queues.get(name)?.[0];
    if (grant) void later(`lock ${name.slice(-8)} is granted`, grant);
  };
  return {
    request: (name: string, _options: object, given: () => Promise<void>) =>
      new Promise((resolve, reject) => {
        const queue = queues.get(name) ?? [];
        const work = AsyncLocalStorage.bind(given);
        queues.set(name, queue);
        queue.push(() => {
          void work()
            .then(resolve, reject)
            .finally(() => {
              queue.shift();
              next(name);
            });
        });
        if (queue.length === 1) next(name);
      }),
  };
}

/**
 * Opens tabs whose storage, news, locks and requests take their turns when the scheduler says so. Without Web Locks they
 * have leases.
 */
export function openWorld(count: number, later: Later, hasLocks: boolean): World {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: Date.now() });
  const storage = new Storage(later);
  const channels: { deliver: (text: string) => void; queue: string[] }[] = [];
  // The tab whose code runs, so that each has a `localStorage` of its own.
  const running = new AsyncLocalStorage<ReturnType<Storage['view']>>();
  vi.stubGlobal('document', {});
  const { setTimeout } = globalThis;
  vi.stubGlobal('setTimeout', (code: () => void, ms: number) => setTimeout(AsyncLocalStorage.bind(code), ms));
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => running.getStore()?.getItem(key),
    setItem: (key: string, value: string) => running.getStore()?.setItem(key, value),
    removeItem: (key: string) => running.getStore()?.removeItem(key),
  });
  let opening: {
    readonly heard: WorldTab['heard'];
    readonly listeners: ((event: unknown) => void)[];
    page?: (type: string) => void;
  };

  class Channel {
    onmessage: (event: { data: string }) => void = () => undefined;
    readonly #self = {
      queue: [] as string[],
      deliver: AsyncLocalStorage.bind((text: string) => {
        const [kind, version] = text.split(' ');
        if (kind === 'change') this.#heard.change = Math.max(this.#heard.change, Number(version));
        else this.#heard.end = Math.max(this.#heard.end, Number(version));
        this.onmessage({ data: text });
      }),
    };
    readonly #heard = opening.heard;
    constructor() {
      channels.push(this.#self);
    }
    postMessage(text: string) {
      for (const [index, other] of channels.entries()) {
        if (other === this.#self) continue;
        other.queue.push(text);
        void later(`${text} arrives at tab ${index}`, () => other.deliver(other.queue.shift() ?? ''));
      }
    }
    close() {
      channels.splice(channels.indexOf(this.#self), 1);
    }
  }
  vi.stubGlobal('BroadcastChannel', Channel);
  vi.stubGlobal('navigator', hasLocks ? { locks: locksOf(later) } : {});
  vi.stubGlobal('addEventListener', (name: string, listener: (event: unknown) => void) => {
    if (name === 'storage') opening.listeners.push(listener);
    if (name === 'freeze') opening.page = AsyncLocalStorage.bind((type) => listener({ type }));
  });
  vi.stubGlobal('removeEventListener', () => undefined);

  const tabs = Array.from({ length: count }, (_, index): WorldTab => {
    const own: typeof opening = { heard: { end: 0, change: 0 }, listeners: [] };
    opening = own;
    const view = storage.view((key) => {
      for (const listener of own.listeners) running.run(view, () => listener({ key }));
    });
    const clock = { aheadMs: 0, now: () => performance.now() + clock.aheadMs };
    const tab: WorldTab = {
      heard: own.heard,
      clock,
      stop: () => own.page?.('freeze'),
      goOn: () => own.page?.('resume'),
      run: (code) => running.run(view, () => code(tab.session)),
      session: running.run(view, createSession, {
        url: 'http://world.test',
        store: 'localStorage',
        clock,
        async fetch(url, init) {
          await later(`tab ${index} calls ${url.slice(-8)}`, () => undefined);
          if (!url.endsWith('/login')) return Response.json({});
          return Response.json({ token: tokenFor(JSON.parse(String(init.body)).credentials.username) });
        },
        async renew({ user = '' }) {
          await later(`tab ${index} renews`, () => undefined);
          return tokenFor(user);
        },
      }),
    };
    return tab;
  });
  return {
    tabs,
    stored: () => [...storage.entries.values()].join(),
    versionOf: (header) => storage.versions.get(header ?? ''),
  };
}

/** Ages the token of a tab, once, and begins to renew it. */
export function beginRenewal(tab: WorldTab): void {
  if (tab.session.user === undefined) return;
  tab.clock.aheadMs = 0.86 * hour;
  tab.run((session) => void Promise.resolve(session.authorize(undefined as never)).catch(() => undefined));
}

/** Removes the world. A failed run leaves requests that no scheduler answers: nothing waits for their end. */
export function closeWorld({ tabs }: World): void {
  for (const { run } of tabs) void run((session) => session.close());
  vi.unstubAllGlobals();
  vi.useRealTimers();
}
