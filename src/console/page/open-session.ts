import type { ConsoleApi, ConsoleState, RequestRow } from '../api.js';
import { readPlace } from './fragment.js';
import type { Session, Toast } from './session.js';
import { createValue } from './ui/value.js';

/** The other side of the page. */
export interface Backend {
  readonly api: ConsoleApi;
  /** Begins a session. Rejects with code `key` if a key is needed or not the right one. */
  begin(key?: string): Promise<void>;
}

/** Begins a session and makes what the views share. */
export async function openSession({ api, begin }: Backend, key: string | undefined): Promise<Session> {
  await begin(key);
  const overview = await api.overview();
  return {
    api,
    overview,
    state: createValue<ConsoleState | undefined>(undefined),
    requests: createValue<readonly RequestRow[]>([]),
    isLogRead: createValue(false),
    changes: createValue(0),
    isLive: createValue(true),
    replica: createValue(overview.replica),
    place: createValue(readPlace(location.hash)),
    toasts: createValue<readonly Toast[]>([]),
  };
}
