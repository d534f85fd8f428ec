import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConsoleApi, ConsoleState, Overview, ReplicaState, RequestRow } from '../api.js';
import type { PageAddress } from './fragment.js';
import type { Value } from './ui/value.js';

/** A message at the edge of the page. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
  /** A button of the message. */
  readonly action?: { readonly label: string; run(): void } | undefined;
}

/** Everything that the views share. */
export interface Session {
  readonly api: ConsoleApi;
  readonly overview: Overview;
  /** The state that decisions depend on; undefined until it has been read. */
  readonly state: Value<ConsoleState | undefined>;
  /** The log, newest first. */
  readonly requests: Value<readonly RequestRow[]>;
  /** True once the log has been read. */
  readonly isLogRead: Value<boolean>;
  /** Counts the changes of clock, faults, snapshots and edits, so that their lists are read again. */
  readonly changes: Value<number>;
  /** True while events arrive. */
  readonly isLive: Value<boolean>;
  readonly replica: Value<ReplicaState | null>;
  readonly address: Value<PageAddress>;
  /** The actions that questions of this page were about. */
  readonly asked: Value<readonly string[]>;
  readonly toasts: Value<readonly Toast[]>;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of the page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('a view needs a session around it');
  return session;
}

/** Adds a name to a list, unless it is there or empty. */
export function remember(names: Value<readonly string[]>, name: string): void {
  if (name !== '' && !names.get().includes(name)) names.set([...names.get(), name]);
}

/** The state of what the page shows, in words. A page that hears nothing knows nothing of the replica. */
export function statusWords(isLive: boolean, replica: ReplicaState | null): string {
  if (!isLive) return 'Reconnecting';
  return replica === null || replica.live ? 'Live' : replica.words;
}

/** Goes to an address; the filters replace those of the current one. */
export function goTo({ address }: Session, view: string, filters: PageAddress['filters'] = {}): void {
  address.set({ ...address.get(), view, filters });
}

/** Shows a message, which goes by itself after some seconds unless it is bad. */
export function notify({ toasts }: Session, toast: Omit<Toast, 'id'>): void {
  const id = (toasts.get().at(-1)?.id ?? 0) + 1;
  // Only the newest: several would cover what the page shows.
  toasts.set([{ ...toast, id }]);
  if (!toast.isBad) setTimeout(() => dismiss(toasts, id), 8_000);
}

/** Takes a message away. */
export function dismiss(toasts: Session['toasts'], id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}
