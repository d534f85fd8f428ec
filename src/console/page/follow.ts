import { waitOnce } from '../../base/lib/wait.js';
import type { ConsoleEvent, RequestRow } from '../api.js';
import type { PageSession } from './page-session.js';

/** Adds new rows (oldest first) to the loaded log (newest first). A full log drops its oldest rows. */
function addNewer({ requests, olderRequests, overview }: PageSession, rows: readonly RequestRow[]): void {
  const log = requests.get();
  const newest = log[0]?.id ?? Number.NEGATIVE_INFINITY;
  const added = rows.filter(({ id }) => id > newest);
  if (added.length === 0) return;
  const limit = Math.max(1, overview.logLimit);
  const next = [...added.reverse(), ...log].slice(0, limit);
  olderRequests.set(Math.min(olderRequests.get(), limit - next.length));
  requests.set(next);
}

async function readState({ api, state }: PageSession): Promise<void> {
  state.set(await api.state());
}

/** The number of rows that the page loads at first, and the one of each further page. */
const [firstRows, moreRows] = [200, 2_000];

/** Reads the newest rows of the log or, after an interruption, those since the newest known one. */
async function readLog(session: PageSession): Promise<void> {
  const { api, overview, requests, olderRequests, isLogRead } = session;
  if (overview.capabilities.requests) {
    const newest = requests.get()[0]?.id;
    if (newest === undefined) {
      const { rows, older } = await api.requests({ before: Number.MAX_SAFE_INTEGER, most: firstRows });
      olderRequests.set(older);
      addNewer(session, rows);
    }
    for (let more = newest !== undefined; more; ) {
      const page = await api.requests({ after: requests.get()[0]?.id });
      addNewer(session, page.rows);
      more = page.more && page.rows.length > 0;
    }
  }
  isLogRead.set(true);
}

/** Loads the next older rows of the log. */
export async function readOlder(session: PageSession): Promise<void> {
  const { api, requests, olderRequests } = session;
  const last = requests.get().at(-1);
  if (last === undefined || olderRequests.get() === 0) return;
  const { rows, older } = await api.requests({ before: last.id, most: moreRows });
  // The log may have been cleared meanwhile, or another page may have come.
  if (requests.get().at(-1) !== last) return readOlder(session);
  olderRequests.set(older);
  requests.set([...requests.get(), ...rows.toReversed()]);
}

async function take(session: PageSession, event: ConsoleEvent): Promise<void> {
  const { requests, replica, changes } = session;
  switch (event.type) {
    case 'requests':
      return addNewer(session, event.rows);
    case 'reset':
      requests.set([]);
      session.olderRequests.set(0);
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
      await Promise.all([readLog(session), readState(session)]);
      session.isLive.set(true);
      waitMs = 500;
      for (let item = await next; !item.done; item = await next) {
        await take(session, item.value);
        next = news.next();
      }
    } catch {
      // The loop reconnects; meanwhile the bar shows that the page is not live.
    }
    // The page was current until now.
    if (session.isLive.get()) session.heardAt.set(Date.now());
    session.isLive.set(false);
    await waitOnce(waitMs, [signal]);
  }
}
