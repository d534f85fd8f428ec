import type { ConsoleApi, ConsoleState, RequestRow } from '../api.js';
import { readPageAddress } from './fragment.js';
import type { LogSource } from './log/log-source.js';
import { createLogs } from './log/logs.js';
import { createWorkerStart } from './log/start-worker.js';
import { notify, type Session, type Toast } from './session.js';
import { createValue } from './ui/value.js';

/** The platform that the page shows, and how the page reaches it. */
export interface Backend {
  /** Opens the console. Rejects with code `key` if the printed key is missing or wrong. */
  open(key?: string): Promise<ConsoleApi>;
  /** Packs a state for the address; undefined if it is too long. Only the playground has it. */
  pack?(state: ConsoleState): Promise<string | undefined>;
  /** A decision log to try. Only the playground has it. */
  readonly sampleLog?: LogSource | undefined;
}

/** Opens the console and creates the session that the views share. */
export async function openSession({ open, pack, sampleLog }: Backend, key: string | undefined): Promise<Session> {
  const api = await open(key);
  const overview = await api.overview();
  const session: Session = {
    api,
    overview,
    state: createValue<ConsoleState | undefined>(undefined),
    requests: createValue<readonly RequestRow[]>([]),
    isLogRead: createValue(false),
    changes: createValue(0),
    heardAt: createValue(Date.now()),
    isLive: createValue(true),
    replica: createValue(overview.replica),
    address: createValue(readPageAddress(location.hash)),
    asked: createValue<readonly string[]>([]),
    toasts: createValue<readonly Toast[]>([]),
    logs: createLogs(createWorkerStart()),
    sampleLog,
  };
  if (pack !== undefined) session.state.watch(() => void share(session, pack));
  return session;
}

/** Writes the current state to the address. */
async function share(session: Session, pack: NonNullable<Backend['pack']>): Promise<void> {
  const state = session.state.get();
  if (state === undefined) return;
  const shared = await pack(state);
  if (state !== session.state.get()) return;
  session.address.set({ ...session.address.get(), shared });
  if (shared === undefined) {
    notify(session, { text: 'The state is too long for an address: this link shows the example.', isBad: true });
  }
}
