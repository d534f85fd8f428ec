import { counted } from '../../../base/lib/counted.js';
import type { Cause, LogCoverage, ReplayErrors, Undecided, UnusedParts } from '../../../policy/analysis/index.js';
import type { EvaluatorSubject } from '../../../policy/index.js';

/** Formats the extent of a log. */
export function formatExtent({ days, users, firstSeen, lastSeen }: LogCoverage): string {
  if (firstSeen === undefined) return 'The log has no decisions with a question.';
  return `The log has ${counted(users, 'user')} on ${counted(days, 'day')}, from ${firstSeen} to ${lastSeen}.`;
}

/** Formats the numbers of decisions that cannot be replayed, by reason. */
export const formatErrors = ({ groups }: ReplayErrors): string =>
  groups.map(({ reason, count }) => `${count} ${reason}`).join(', ');

/** Formats the lines that do not tell a decision, each reason on its own line. */
export const formatUndecided = ({ groups }: Undecided, consequence: string): string[] =>
  groups.map(({ reason, count, lines }) => {
    const does = `${counted(count, 'line')} ${count === 1 ? 'does' : 'do'} not tell what was decided (${reason})`;
    const names = lines.map(({ file, line }) => (file === undefined ? `line ${line}` : `${file}:${line}`)).join(', ');
    const more = count > lines.length ? ` and ${count - lines.length} more` : '';
    return `${does}, so ${consequence}: ${names}${more}`;
  });

/** Formats the subject of a question. */
export function formatSubject({ user, roles = [], superuser }: EvaluatorSubject): string {
  if (superuser) return 'the superuser';
  const named = roles.length > 0 ? ` with roles ${roles.map((role) => JSON.stringify(role)).join(', ')}` : '';
  return user === undefined ? `a request${named}` : `user ${JSON.stringify(user)}${named}`;
}

/** Formats the statement behind a decision, or the reason without one. */
export const formatCause = (cause: Cause): string =>
  cause.role === undefined ? cause.reason : `${cause.reason} by ${formatStatement(cause)}`;

/** Formats the place of the statement behind a decision. */
export function formatStatement({ role, policy, statement = 0 }: Cause): string {
  const where = policy === undefined ? 'the scope of' : `policy ${JSON.stringify(policy)} of`;
  return `${where} role ${JSON.stringify(role)}, statement ${statement + 1}`;
}

/** Names the parts of a state that decided nothing. */
export const formatUnused = ({ statements, policies, roles, bindings, groupBindings = [] }: UnusedParts): string[] => {
  const whole = new Set(policies);
  const quote = (text: string) => JSON.stringify(text);
  return [
    ...policies.map((name) => `policy ${quote(name)}`),
    ...statements
      .filter(({ policy }) => !whole.has(policy))
      .map(({ policy, statement }) => `policy ${quote(policy)} statement ${statement + 1}`),
    ...roles.map((name) => `role ${quote(name)}`),
    ...bindings.map(({ user, role }) => `binding of user ${quote(user)} to role ${quote(role)}`),
    ...groupBindings.map(({ group, role }) => `binding of group ${quote(group)} to role ${quote(role)}`),
  ];
};
