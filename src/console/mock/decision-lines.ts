import type { LoggedRequest } from '../../mock/kit/logged-request.js';
import { formatDecision } from '../../policy/decisions/format-line.js';

const rules = { service: undefined, withContext: false };

/** The number of requests in a chunk. */
const chunkSize = 500;

/**
 * Formats the decisions for the requests of a mock as a decision log of this package. A request without a user is the
 * superuser's, if it has no groups either.
 * @param enforced false if the callers are let through whatever the effect is.
 */
export async function* decisionLines(
  requests: readonly LoggedRequest[],
  enforced: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  const all = [...requests];
  const encoder = new TextEncoder();
  for (let from = 0; from < all.length; from += chunkSize) {
    const lines = all.slice(from, from + chunkSize).flatMap(({ user, groups, time, decisions }) => {
      const subject = { user, groups: groups.length === 0 ? undefined : groups };
      return decisions.map((one) => formatDecision({ ...one, subject, enforced }, time.toISOString(), rules));
    });
    if (lines.length > 0) yield encoder.encode(lines.join(''));
  }
}
