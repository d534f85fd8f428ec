import { onTestFinished, vi } from 'vitest';
import {
  createSession,
  type SessionOptions,
  type SessionStore,
  type UserSession,
} from '../../../src/client/session/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { turns } from '../../support/turns.ts';

export const alice = { username: 'alice', password: 'canary-password' };
export const bob = { username: 'bob', password: 'canary-of-bob' };

/** A store of the caller's own, which tabs share. */
export interface TestStore {
  readonly content: Map<string, string>;
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  delete(key: string): void;
}

export function createStore(): TestStore {
  const content = new Map<string, string>();
  return {
    content,
    get: (key) => content.get(key),
    set: (key, value) => void content.set(key, value),
    delete: (key) => void content.delete(key),
  };
}

/** The same, answering later. */
export function createAsyncStore(): Omit<TestStore, 'get' | 'set' | 'delete'> & SessionStore {
  const store = createStore();
  const later = () => new Promise<void>((resolve) => setImmediate(resolve));
  return Object.assign(
    { content: store.content },
    {
      get: (key: string) => later().then(() => store.get(key)),
      set: (key: string, value: string) => later().then(() => store.set(key, value)),
      delete: (key: string) => later().then(() => store.delete(key)),
    },
  );
}

/** A platform, and tabs with sessions on it. Time stands still until it is advanced, for timers, tabs and platform. */
export interface Place {
  readonly mock: Mock;
  /** The gateway of the platform, or with `sidecar` that and its integration services; time does not pass meanwhile. */
  readonly connection: Mock['connection'];
  /** Sends a request to the platform; time does not pass before its answer. */
  readonly fetch: Mock['fetch'];
  /** Makes a valid token; time does not pass before it is there. */
  readonly issue: Mock['tokens']['issue'];
  /** Opens a tab. */
  open(options?: Partial<SessionOptions>): UserSession;
  /** Paths of the requests that arrived. */
  arrived(path: string): number;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until work is done. */
  passUntil<T>(work: Promise<T>): Promise<T>;
}

const stepMs = 5_000;

/** Lets messages between tabs, and all that is under way, come to rest. */
export const rest = (): Promise<void> => turns();

/** With `sidecar` tabs reach createToken, as pages beside a sidecar do, and renew their tokens by it. */
export async function createPlace({ sidecar = false } = {}): Promise<Place> {
  vi.useFakeTimers({
    now: new Date('2026-11-21T08:00:00Z'),
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'],
  });
  const mock = await createMock({
    identity: 'place',
    users: [
      { name: alice.username, password: alice.password },
      { name: bob.username, password: bob.password },
    ],
  });
  const tabs: UserSession[] = [];
  let underWay = 0;
  const whileUnderWay = async <T>(work: Promise<T>): Promise<T> => {
    underWay++;
    try {
      return await work;
    } finally {
      underWay--;
    }
  };
  const entrance = sidecar ? mock.connection : mock.gateway.connection;
  const fetch: Mock['fetch'] = (...args) => whileUnderWay(entrance.fetch(...args));
  const connection = { ...entrance, fetch };
  onTestFinished(async () => {
    for (const tab of tabs) await tab.close();
    await mock[Symbol.asyncDispose]();
    vi.useRealTimers();
  });
  const place: Place = {
    mock,
    connection,
    fetch,
    issue: (request) => whileUnderWay(mock.tokens.issue(request)),
    open(options = {}) {
      const tab = createSession({ ...connection, ...options });
      tabs.push(tab);
      return tab;
    },
    arrived: (path) => mock.requests.filter((request) => request.path.endsWith(path)).length,
    async passUntil(work) {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      while (!isDone) await place.pass(50);
      return work;
    },
    async pass(ms) {
      // In steps that are shorter than any timeout: signing a token takes real time.
      for (let left = ms; left >= 0; left -= stepMs) {
        await vi.advanceTimersByTimeAsync(Math.min(left, stepMs));
        do await rest();
        while (underWay > 0);
      }
    },
  };
  return place;
}

export const minute = 60_000;
export const hour = 3_600_000;
