import type { LoggedRequest } from '../../mock/kit/logged-request.js';
import { formatDecision } from '../../policy/decisions/format-line.js';

const rules = { service: undefined, withContext: false };

/** The number of requests in a chunk. */
const chunkSize = 500;

/**
 * Formats the decisions for the requests of a mock as a decision log of this package. A request without a user is the
 * superuser's, if it has no groups either. The effect is the one that the caller got, so each Deny was enforced.
 */
export async function* decisionLines(requests: readonly LoggedRequest[]): AsyncGenerator<Uint8Array, void, undefined> {
  const all = [...requests];
  const encoder = new TextEncoder();
  for (let from = 0; from < all.length; from += chunkSize) {
    const lines = all.slice(from, from + chunkSize).flatMap(({ user, groups, time, decisions }) => {
      const subject = { user, groups: groups.length === 0 ? undefined : groups };
      return decisions.map((decision) => formatDecision({ subject, ...decision }, time.toISOString(), rules));
    });
    if (lines.length > 0) yield encoder.encode(lines.join(''));
  }
}
