import { waitOnce } from '../../base/lib/wait.js';
import type { ConsoleEvent, RequestRow } from '../api.js';
import type { PageSession } from './page-session.js';

/** Merges new rows, oldest first, into the log, newest first; at most `limit` stay. */
function mergeRows(log: readonly RequestRow[], rows: readonly RequestRow[], limit: number): readonly RequestRow[] {
  const newest = log[0]?.id ?? Number.NEGATIVE_INFINITY;
  const added = rows.filter(({ id }) => id > newest);
  return added.length === 0 ? log : [...added.reverse(), ...log].slice(0, Math.max(1, limit));
}

async function readState({ api, state }: PageSession): Promise<void> {
  state.set(await api.state());
}

/** Reads the log from its newest known row on. */
async function readLog(session: PageSession): Promise<void> {
  const { api, overview, requests, isLogRead } = session;
  if (overview.capabilities.requests) {
    for (let more = true; more; ) {
      const page = await api.requests({ after: requests.get()[0]?.id });
      requests.set(mergeRows(requests.get(), page.rows, overview.logLimit));
      more = page.more && page.rows.length > 0;
    }
  }
  isLogRead.set(true);
}

async function take(session: PageSession, event: ConsoleEvent): Promise<void> {
  const { overview, requests, replica, changes } = session;
  switch (event.type) {
    case 'requests':
      return requests.set(mergeRows(requests.get(), event.rows, overview.logLimit));
    case 'reset':
      requests.set([]);
      changes.set(changes.get() + 1);
      await Promise.all([readLog(session), readState(session)]);
      return;
    case 'state':
      return readState(session);
    case 'replica':
      return replica.set(event.replica);
    default:
      changes.set(changes.get() + 1);
  }
}

/** Follows the backend's events until the signal aborts; reconnects if the stream breaks. */
export async function follow(session: PageSession, signal: AbortSignal): Promise<void> {
  for (let waitMs = 500; !signal.aborted; waitMs = Math.min(8_000, waitMs * 2)) {
    try {
      const news = session.api.events(signal)[Symbol.asyncIterator]();
      // Subscribes before the lists are read, so that no event is missed in between.
      let next = news.next();
      next.catch(() => {});
      await Promise.all([readState(session), readLog(session)]);
      session.isLive.set(true);
      waitMs = 500;
      for (let item = await next; !item.done; item = await next) {
        await take(session, item.value);
        next = news.next();
      }
    } catch {
      // The loop reconnects; meanwhile the bar shows that the page is not live.
    }
    // Until now what the page shows was current.
    if (session.isLive.get()) session.heardAt.set(Date.now());
    session.isLive.set(false);
    await waitOnce(waitMs, [signal]);
  }
}
