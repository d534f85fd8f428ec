import type { ConsoleApi, ConsoleState, RequestRow } from '../api.js';
import { readPageAddress } from './fragment.js';
import { createLogs } from './log/open-logs.js';
import { createWorkerStart } from './log/start-worker.js';
import type { PageSession, Toast } from './page-session.js';
import { createValue } from './ui/value.js';

/** The platform that the page shows, and how the page reaches it. */
export interface Backend {
  /** Opens the console. Rejects with code `key` if the printed key is missing or wrong. */
  open(key?: string): Promise<ConsoleApi>;
}

/** Opens the console and creates the session that the views share. */
export async function openSession({ open }: Backend, key: string | undefined): Promise<PageSession> {
  const api = await open(key);
  const overview = await api.overview();
  return {
    api,
    overview,
    state: createValue<ConsoleState | undefined>(undefined),
    requests: createValue<readonly RequestRow[]>([]),
    olderRequests: createValue(0),
    isLogRead: createValue(false),
    changes: createValue(0),
    heardAt: createValue(Date.now()),
    isLive: createValue(true),
    replica: createValue(overview.replica),
    address: createValue(readPageAddress(location.hash)),
    asked: createValue<readonly string[]>([]),
    toasts: createValue<readonly Toast[]>([]),
    logs: createLogs(createWorkerStart()),
  };
}
