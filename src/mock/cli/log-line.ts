import { printable } from '../../lib/printable.js';
import type { RequestSummary } from '../kit/logged-request.js';
import type { MadeDecision } from '../wire/exchange.js';

/** Most decisions that one line names. */
const mostNamed = 3;

const formatDecision = ({ action, resource }: MadeDecision): string => `${action} on ${JSON.stringify(resource)}`;

/**
 * A request as `--log` prints it: method, path, status and decision, with the action and the resource of what was
 * decided. Where several things were decided, those that were denied come first. No query, no header and nothing else
 * of a body.
 */
export function logLine({ method, path, status, decision, decisions }: RequestSummary): string {
  const words = [method, path, status === 0 ? 'dropped' : String(status)];
  if (decision === undefined) return printable(words.join(' '));
  const named = [...decisions].sort((a, b) => Number(a.effect === 'Allow') - Number(b.effect === 'Allow'));
  const parts = named.slice(0, mostNamed).map(formatDecision);
  if (named.length > mostNamed) parts.push(`and ${named.length - mostNamed} more`);
  return printable([...words, decision, ...(parts.length === 0 ? [] : [parts.join(', ')])].join(' '));
}
