import type { LoggedRequest } from '../../mock/kit/logged-request.js';
import type { RequestDecision } from '../../mock/wire/mock-exchange.js';
import type { DecisionLine } from '../../policy/decision-line/line.js';

type Subject = Pick<LoggedRequest, 'user' | 'groups' | 'time'>;

/** A line of the log. U+FFFD is escaped: the reader takes it for broken UTF-8. */
function formatLine({ user, groups, time }: Subject, decision: RequestDecision, enforced: boolean): string {
  const subject = { user, groups: groups.length === 0 ? undefined : groups };
  const line: DecisionLine = { v: 1, kind: 'decision', time: time.toISOString(), subject, ...decision, enforced };
  return `${JSON.stringify(line).replaceAll('\ufffd', '\\ufffd')}\n`;
}

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
    const lines = all
      .slice(from, from + chunkSize)
      .flatMap((request) => request.decisions.map((decision) => formatLine(request, decision, enforced)));
    if (lines.length > 0) yield encoder.encode(lines.join(''));
  }
}
