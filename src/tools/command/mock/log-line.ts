import { printable } from '../../../base/lib/text/printable.js';
import type { RequestSummary } from '../../../mock/kit/logged-request.js';
import type { RequestDecision } from '../../../mock/wire/mock-exchange.js';

/** The maximum number of decisions in a line. */
const mostNamed = 3;

const formatDecision = ({ action, resource }: RequestDecision): string => `${action} on ${JSON.stringify(resource)}`;

/**
 * Formats a request for `--log`: method, path, status and decision, with its action and resource. Of several decisions,
 * denials come first. Omits query, headers and the rest of the body.
 */
export function logLine({ method, path, status, decision, decisions }: RequestSummary): string {
  const words = [method, path, status === 0 ? 'dropped' : String(status)];
  if (decision === undefined) return printable(words.join(' '));
  const named = [...decisions].sort((a, b) => Number(a.effect === 'Allow') - Number(b.effect === 'Allow'));
  const parts = named.slice(0, mostNamed).map(formatDecision);
  if (named.length > mostNamed) parts.push(`and ${named.length - mostNamed} more`);
  return printable([...words, decision, ...(parts.length === 0 ? [] : [parts.join(', ')])].join(' '));
}
