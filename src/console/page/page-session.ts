import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConsoleApi, ConsoleState, Overview, ReplicaState, RequestRow } from '../api.js';
import type { PageAddress } from './fragment.js';
import type { Logs } from './log/open-logs.js';
import type { Value } from './ui/value.js';
import { shown } from './ui/words.js';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
  /** A button of the message. */
  readonly action?: { readonly label: string; run(): void } | undefined;
}

export interface PageSession {
  readonly api: ConsoleApi;
  readonly overview: Overview;
  /** The state that decisions depend on; undefined until it has been read. */
  readonly state: Value<ConsoleState | undefined>;
  /** The newest rows of the log, newest first. Older ones are loaded as they are needed. */
  readonly requests: Value<readonly RequestRow[]>;
  /** The number of rows of the log that are not loaded. */
  readonly olderRequests: Value<number>;
  /** True once the log has been read. */
  readonly isLogRead: Value<boolean>;
  /** Counts the changes of clock, faults, snapshots and edits, so that their lists are read again. */
  readonly changes: Value<number>;
  /** The time of the last news, in milliseconds since 1970. */
  readonly heardAt: Value<number>;
  /** True while events arrive. */
  readonly isLive: Value<boolean>;
  readonly replica: Value<ReplicaState | null>;
  readonly address: Value<PageAddress>;
  /** The actions of questions asked on this page. */
  readonly asked: Value<readonly string[]>;
  readonly toasts: Value<readonly Toast[]>;
  /** The decision log that the page reads. */
  readonly logs: Logs;
}

export const SessionContext = createContext<PageSession | undefined>(undefined);

export function useSession(): PageSession {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('a view needs a session around it');
  return session;
}

/** Adds a name to a list, unless it is there or empty. */
export function remember(names: Value<readonly string[]>, name: string): void {
  if (name !== '' && !names.get().includes(name)) names.set([...names.get(), name]);
}

/** An age in words, like `12 s`. */
function ageWords(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1_000));
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6_000 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`;
}

/**
 * Describes in words how fresh the page's data is. Without a connection the page cannot tell the replica's state.
 * @param ageMs the time since the page last heard of its backend
 */
export function statusWords(isLive: boolean, replica: ReplicaState | null, ageMs: number): string {
  if (!isLive) return `Disconnected: shows what was there ${ageWords(ageMs)} ago`;
  return replica === null || replica.live ? 'Live' : replica.words;
}

/** Navigates to an address; its filters replace the current ones. */
export function goTo({ address }: PageSession, view: string, filters: PageAddress['filters'] = {}): void {
  address.set({ ...address.get(), view, filters });
}

/** Shows a view with some of the filters changed. */
export function narrow({ address }: PageSession, view: string, changes: PageAddress['filters']): void {
  address.set({ ...address.get(), view, filters: { ...address.get().filters, ...changes } });
}

/** Shows a message, which disappears after some seconds unless it reports a problem. */
export function notify({ toasts }: PageSession, toast: Omit<Toast, 'id'>): void {
  const id = (toasts.get().at(-1)?.id ?? 0) + 1;
  // Shows only the newest message: several would cover the view.
  toasts.set([{ ...toast, id }]);
  if (!toast.isBad) setTimeout(() => dismiss(toasts, id), 8_000);
}

/** Says that of several files that were dropped at once only the first is read. */
export function noteOthers(session: PageSession, { name }: File, dropped: number): void {
  if (dropped === 1) return;
  notify(session, { text: `Of ${dropped} files only the first is read: ${shown(name)}`, isBad: true });
}

export function dismiss(toasts: PageSession['toasts'], id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}
