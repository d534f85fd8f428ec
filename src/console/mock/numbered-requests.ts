import type { LoggedRequest } from '../../mock/kit/logged-request.js';
import type { RequestLog } from '../../mock/kit/request-log.js';
import type { Evaluator } from '../../policy/index.js';

/** The header that names a request the console's, with a value that the console alone knows. */
export const consoleHeader = 'x-arango-services-console';

/** The policies around a request. */
interface Around {
  readonly before: Evaluator;
  readonly after: Evaluator;
}

/** The requests of a log, by ids that grow. */
export interface NumberedRequests {
  /** Adds the requests since the last update and returns them; `reset` is true if the log was cleared or restored. */
  update(): { readonly added: readonly LoggedRequest[]; readonly reset: boolean };
  idOf(request: LoggedRequest): number;
  /** The request of an id, if the log still has it. */
  find(id: number): LoggedRequest | undefined;
  /** The number of requests in the log up to an id. */
  countUpTo(id: number): number;
  /** The requests of the log, oldest first. */
  all(): readonly LoggedRequest[];
  /** The policies before and after a request that made decisions. */
  around(request: LoggedRequest): Around | undefined;
}

/**
 * Gives the requests of a log ids, and keeps the policies by which each was decided. `current` returns a copy of the
 * policies that no later change touches, the same one until they change.
 */
export function createNumberedRequests(log: () => RequestLog, current: () => Evaluator): NumberedRequests {
  const ids = new WeakMap<LoggedRequest, number>();
  const policies = new WeakMap<LoggedRequest, Around>();
  let newest = 0;
  let last: LoggedRequest | undefined;
  let before = current();

  /** The index of the first request with an id above this one. */
  function indexAfter(all: readonly LoggedRequest[], id: number): number {
    let [from, to] = [0, all.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      // The cast: the index lies inside the list.
      if ((ids.get(all[middle] as LoggedRequest) ?? 0) <= id) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  return {
    update() {
      const all = log();
      let start = all.length;
      while (start > 0 && !ids.has(all[start - 1] as LoggedRequest)) start -= 1; // The cast: as above.
      // If the newest known request is not at its place, the log was cleared or restored.
      const reset = last !== undefined && all[start - 1] !== last;
      const added = all.slice(start);
      const after = current();
      for (const request of added) {
        newest += 1;
        ids.set(request, newest);
        if (request.decisions.length > 0) policies.set(request, { before, after });
      }
      before = after;
      last = all.at(-1);
      return { added, reset };
    },
    idOf: (request) => ids.get(request) ?? 0,
    find(id) {
      const all = log();
      const request = all[indexAfter(all, id - 1)];
      return request !== undefined && ids.get(request) === id ? request : undefined;
    },
    countUpTo: (id) => indexAfter(log(), id),
    all: log,
    around: (request) => policies.get(request),
  };
}
