// The page of a tab: runs the commands that arrive over a control port of its own, any number at a time.
import { createClient } from '../../../../dist/index.js';
import {
  createSession,
  type EndReason,
  type SessionStore,
  type StoreName,
  type UserSession,
} from '../../../../dist/session/index.js';

interface Opened {
  readonly session: UserSession;
  readonly client: ReturnType<typeof createClient>;
  /** Users of the calls that went out, by their tokens. */
  readonly sent: string[];
  /** The reasons of its ends. */
  readonly ends: string[];
  aheadMs: number;
}

const parameters = new URLSearchParams(location.search);
const url = parameters.get('mock') ?? '';
const control = parameters.get('control') ?? '';
const sessions = new Map<string, Opened>();

// Timers of hidden tabs are throttled to one a second, those of workers are not.
const source = 'onmessage = ({ data }) => setTimeout(() => postMessage(data.id), data.ms);';
const worker = new Worker(URL.createObjectURL(new Blob([source])));
const waiting = new Map<number, () => void>();
let count = 0;
worker.onmessage = ({ data }) => waiting.get(data)?.();
const later = (ms: number) =>
  new Promise<void>((resolve) => {
    count += 1;
    waiting.set(count, resolve);
    worker.postMessage({ id: count, ms });
  });

/** The storage of the browser, slowed down. */
const slowed = (ms: number): SessionStore => ({
  get: (key) => later(ms).then(() => localStorage.getItem(key)),
  set: (key, value) => later(ms).then(() => localStorage.setItem(key, value)),
  delete: (key) => later(ms).then(() => localStorage.removeItem(key)),
});

const userOf = (header = ''): string => JSON.parse(atob(header.split('.')[1] ?? '') || '{}').preferred_username;
const find = (name: string): Opened => sessions.get(name) as Opened;

/** The newest version that another tab told this one, by the key of the session. */
const told = new Map<string, number>();
const listening = new Set<() => void>();
function note(key: string, news: unknown): void {
  const version = Number(String(news).split(' ')[1]);
  if (version > (told.get(key) ?? 0)) told.set(key, version);
  for (const wake of listening) wake();
}
addEventListener('storage', ({ key, newValue }) => {
  if (key?.startsWith('news ')) note(key.slice('news '.length), newValue);
});
globalThis.BroadcastChannel = class extends BroadcastChannel {
  constructor(name: string) {
    super(name);
    this.addEventListener('message', ({ data }) => note(name, data));
  }
};

type Watch = (wake: () => void) => () => unknown;
/** Tells when a session changes. */
const changesOf =
  (name: string): Watch =>
  (wake) =>
    find(name).session.on('change', wake);
/** Tells when another tab sent a message. */
const messages: Watch = (wake) => {
  listening.add(wake);
  return () => listening.delete(wake);
};

/** Waits until a condition holds, which events tell; false if that takes too long. */
async function until(watch: Watch, condition: () => boolean): Promise<boolean> {
  let wake = () => {};
  const stop = watch(() => wake());
  try {
    for (const end = performance.now() + 6_000; performance.now() < end; ) {
      if (condition()) return true;
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      // Some conditions end without an event, like that of a token that expires.
      await Promise.race([changed, later(100)]);
    }
    return condition();
  } finally {
    stop();
  }
}

/** The version of the last sign-in or sign-out in the store. */
function versionOf(name: string): number {
  const versions = Object.entries({ ...localStorage }).flatMap(([key, text]) => {
    const isOfSession = /^(?:ended )?arango-services /.test(key) && key.endsWith(` ${name}`);
    return isOfSession ? [Number(JSON.parse(text).version ?? text)] : [];
  });
  return Math.max(0, ...versions);
}

const commands = {
  open(name: string, store: StoreName, slowMs: number) {
    const sent: string[] = [];
    const clock = { now: () => performance.now() + (sessions.get(name)?.aheadMs ?? 0) };
    const session = createSession({ url, name, clock, store: slowMs > 0 ? slowed(slowMs) : store });
    const client = createClient({
      url,
      credentials: session,
      retry: 0,
      fetch(target, init) {
        sent.push(userOf(new Headers(init.headers).get('authorization') ?? ''));
        return fetch(target, init);
      },
    });
    const ends: string[] = [];
    session.on('end', ({ reason }) => ends.push(reason));
    sessions.set(name, { session, client, sent, ends, aheadMs: 0 });
  },
  /** Returns the version of the sign-in. */
  async signIn(name: string, username: string) {
    await find(name).session.signIn({ username, password: `canary-of-${username}` });
    return versionOf(name);
  },
  /** Returns the version of the sign-out. */
  async signOut(name: string) {
    await find(name).session.signOut();
    return versionOf(name);
  },
  restore: (name: string) => find(name).session.restore(),
  /** Takes an interface from the page, for sessions that are opened later. */
  lack(what: 'locks' | 'BroadcastChannel') {
    const [owner, name] = what === 'locks' ? [navigator, 'locks'] : [globalThis, what];
    Object.defineProperty(owner, name, { value: undefined, configurable: true });
  },
  /** Calls a service, and returns the users that calls went out as meanwhile. */
  async call(name: string) {
    const { client, sent } = find(name);
    const before = sent.length;
    const answer = await client
      .route('whoami')
      .get<{ user: string }>()
      .then(
        ({ body }) => body.user,
        (error) => error.code,
      );
    return { answer, sent: sent.slice(before) };
  },
  /** Calls like `call` once another tab has told a version; undefined if none does. */
  async callOnceTold(name: string, version: number) {
    const isTold = () => [...told].some(([key, one]) => key.endsWith(` ${name}`) && one >= version);
    if (!(await until(messages, isTold))) return undefined;
    // The session hears the same event.
    await later(0);
    return commands.call(name);
  },
  /** Ends the session of this tab for a reason: by a call whose token has expired or is refused, or by an empty store. */
  async end(name: string, reason: EndReason) {
    const { session, client } = find(name);
    if (reason === 'signed-out') return void (await session.signOut());
    if (reason === 'expired') find(name).aheadMs += 3_700_000;
    if (reason === 'lost') {
      for (const storage of [localStorage, sessionStorage])
        for (const key of Object.keys({ ...storage })) if (key.endsWith(` ${name}`)) storage.removeItem(key);
      await session.restore();
    } else
      await client
        .route('refused')
        .get()
        .catch(() => undefined);
  },
  ends: (name: string) => find(name).ends,
  /** Lets the token grow old, and begins to renew it. */
  renew(name: string) {
    const opened = find(name);
    opened.aheadMs += 0.86 * 3_600_000;
    void Promise.resolve(opened.session.authorize(undefined as never)).catch(() => undefined);
  },
  /** Sends or stores as a hostile script of the origin does, in place of the version or the record of the session. */
  attack(name: string, what: string) {
    const keys = Object.keys({ ...localStorage });
    const key = keys.find((one) => one.startsWith('arango-services ') && one.endsWith(` ${name}`)) ?? '';
    const [kind = '', text = ''] = what.split(/ (.*)/);
    const record = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (kind === 'mark') localStorage.setItem(`ended ${key}`, text);
    else if (kind === 'store') localStorage.setItem(key, text);
    else if (kind === 'version') localStorage.setItem(key, JSON.stringify({ ...record, version: Number(text) }));
    else {
      const channel = new BroadcastChannel(key);
      channel.postMessage(what);
      channel.close();
    }
  },
  user: (name: string) => find(name).session.user ?? null,
  hasUser: (name: string, user: string | null) =>
    until(changesOf(name), () => (find(name).session.user ?? null) === user),
  token: (name: string) => find(name).session.currentToken() ?? null,
  /** The token, once it is another than before. */
  async tokenAfter(name: string, before: string | null) {
    const token = () => find(name).session.currentToken() ?? null;
    await until(changesOf(name), () => token() !== null && token() !== before);
    return token();
  },
  /** True if a token of a session is in the store. */
  isStored: (name: string) =>
    Object.entries({ ...localStorage }).some(([key, text]) => key.includes(` ${name}`) && text.includes('.eyJ')),
  async close(name: string) {
    await find(name).session.close();
    sessions.delete(name);
    for (const key of Object.keys({ ...localStorage })) if (key.includes(` ${name}`)) localStorage.removeItem(key);
  },
};

/** The commands of a tab. */
export type Commands = typeof commands;

/** Outcomes that were not sent yet: those of a moment are sent together, as each request costs much. */
const outcomes: object[] = [];
let isSending = false;

async function send(): Promise<void> {
  if (isSending) return;
  isSending = true;
  while (outcomes.length > 0) {
    await fetch(`${control}/done`, { method: 'POST', body: JSON.stringify(outcomes.splice(0)) });
  }
  isSending = false;
}

async function run({ id, name, args }: { id: number; name: keyof Commands; args: never[] }): Promise<void> {
  const command = commands[name] as (...args: never[]) => unknown;
  const outcome = await Promise.resolve()
    .then(() => command(...args))
    .then(
      (value) => ({ value }),
      (error) => ({ error: String(error) }),
    );
  outcomes.push({ id, ...outcome });
  await send();
}

for (;;) {
  const response = await fetch(`${control}/next`);
  for (const command of await response.json()) void run(command);
}
