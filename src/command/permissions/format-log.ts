import type { LogCoverage } from '../../analysis/index.js';
import { counted } from '../../lib/counted.js';
import type { EvaluatorSubject } from '../../policy/index.js';

/** Formats the extent of a log. */
export function formatExtent({ days, users, firstSeen, lastSeen }: LogCoverage): string {
  if (firstSeen === undefined) return 'The log has no decisions with a question.';
  return `The log has ${counted(users, 'user')} on ${counted(days, 'day')}, from ${firstSeen} to ${lastSeen}.`;
}

/** Formats the subject of a question. */
export function formatSubject({ user, roles = [], superuser }: EvaluatorSubject): string {
  if (superuser) return 'the superuser';
  const named = roles.length > 0 ? ` with roles ${roles.map((role) => JSON.stringify(role)).join(', ')}` : '';
  return user === undefined ? `a request${named}` : `user ${JSON.stringify(user)}${named}`;
}
