import { counted } from '../../../base/lib/counted.js';
import { printable } from '../../../base/lib/text/printable.js';
import { answerRules } from '../../../permissions/access/answer-rules.js';
import { formatDifferences, formatList } from '../../../policy/analysis/format-regions.js';
import type {
  AddedStatement,
  Cause,
  ChangedItem,
  LoggedQuestion,
  NotGranted,
  NotGrantedReason,
  Rehearsal,
  ReplayGroup,
} from '../../../policy/analysis/index.js';
import type { Fidelity } from '../../../policy/index.js';
import {
  formatErrors,
  formatExtent,
  formatStatement,
  formatSubject,
  formatUndecided,
  formatUnused,
} from './format-log.js';

/** The most lines of each section, and the most names in a list. */
const [mostLines, mostNames] = [100, 5];

const quote = (text: string): string => JSON.stringify(text);

/** A number with its thousands apart: `1 204 331`. */
const grouped = (count: number): string => count.toLocaleString('en-US').replaceAll(',', ' ');

const requests = (count: number): string => `${grouped(count)} request${count === 1 ? '' : 's'}`;

const listed = (names: readonly string[]): string => formatList(names, '', mostNames);

/** The answer in a sentence. */
export function summaryOf({ denied, log }: Rehearsal): string {
  if (denied.count === 0) return `Enforcing would deny none of ${requests(log.count)}.`;
  const who = [...(denied.users > 0 ? [counted(denied.users, 'user')] : []), counted(denied.actions, 'action')].join(
    ', ',
  );
  return `Enforcing would deny ${grouped(denied.count)} of ${requests(log.count)}: ${who}.`;
}

const reasons: Readonly<Record<Cause['reason'], string>> = {
  superuser: 'The superuser',
  allowed: 'Allowed',
  'explicit-deny': 'An explicit Deny',
  'nothing-allows': 'No statement of the user allows it',
  'no-binding': 'The user has no binding',
  'empty-user': 'The name of the user is empty',
  'empty-action': 'The action is empty',
};

const formatCause = (cause: Cause): string =>
  cause.role === undefined ? reasons[cause.reason] : `${reasons[cause.reason]}: ${formatStatement(cause)}`;

const formatQuestion = ({ action, resource }: LoggedQuestion): string => `${quote(action)} on ${quote(resource)}`;

function formatDenials(groups: readonly ReplayGroup[]): string[] {
  const byCause = Map.groupBy(groups, ({ cause }) => formatCause(cause));
  return [...byCause].flatMap(([cause, list]) => [
    `${cause}:`,
    ...list.map(({ subject, questions, count, lastSeen }) => {
      const questionText = listed(questions.map(formatQuestion));
      return `  - ${formatSubject(subject)}: ${questionText}, ${requests(count)}, last ${lastSeen}`;
    }),
  ]);
}

function formatAdded({ actions, resources, count, lastSeen, questions }: AddedStatement): string {
  const users = new Set(questions.map(({ subject }) => subject.user)).size;
  const usage = `${requests(count)} of ${counted(users, 'user')}, last ${lastSeen}`;
  return `Allow ${listed(actions)} on ${listed(resources)} – ${usage}`;
}

function formatItem(item: ChangedItem): string[] {
  const sign = item.action === 'create' ? '+' : '~';
  if (item.kind === 'role') return [`+ role ${quote(item.name)} of policy ${listed(item.policies.map(quote))}`];
  const name =
    item.kind === 'policy'
      ? `policy ${quote(item.name)}`
      : `binding of user ${quote(item.user)} to role ${quote(item.role)}`;
  if (item.statements.length === 0) return [`${sign} ${name}`];
  const where = item.kind === 'binding' ? ', in its scope' : '';
  return [`${sign} ${name}${where}:`, ...item.statements.map((statement) => `    + ${formatAdded(statement)}`)];
}

const whyNot: Readonly<Record<Exclude<NotGrantedReason, 'explicit-deny'>, string>> = {
  'empty-user': 'the services deny an empty user',
  'empty-action': 'the services deny an empty action',
  'no-user': 'a binding needs a user',
  user: 'a binding of this user cannot be stored, or would count for other users',
  'unknown-user': 'not known; see --include-unknown',
  action: 'no pattern matches this action alone',
  resource: 'no pattern matches this resource alone; see --generalise',
};

/** The users that are not known, whatever they asked for. */
function formatUnknown(list: readonly NotGranted[]): string[] {
  const byUser = Map.groupBy(list, ({ subject }) => subject.user ?? '');
  return [...byUser].map(([user, ofUser]) => {
    const total = ofUser.reduce((sum, { count }) => sum + count, 0);
    const times = ofUser.map(({ lastSeen = '' }) => lastSeen).sort();
    return `user ${quote(user)}: ${listed(ofUser.map(formatQuestion))}, ${requests(total)}, last ${times.at(-1)}`;
  });
}

function formatNotGranted(question: NotGranted): string {
  const { reason, cause, subject, count } = question;
  const why = reason === 'explicit-deny' ? `a Deny wins; change ${formatStatement(cause)} instead` : whyNot[reason];
  return `${formatSubject(subject)}: ${formatQuestion(question)}, ${requests(count)} – ${why}`;
}

/** A section, if it has lines; many are cut. */
function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const rest = lines.length - mostLines;
  const more = rest > 0 ? [`${rest} more lines: see --json`] : [];
  return ['', title, ...[...lines.slice(0, mostLines), ...more].map((line) => `  ${line}`)];
}

function formatChange({ change, denied, notGranted }: Rehearsal): string[] {
  const { items, access, isExact } = change;
  if (items.length === 0) return [];
  const check = isExact
    ? ['', 'Checked: users gain what they asked for and nothing else, and lose nothing.']
    : section(
        'Checked: access that changes, which is more than was asked for:',
        formatDifferences(access).flatMap((difference) => difference.split('\n')),
      );
  const rest =
    notGranted.length > 0 ? ` ${denied.questions - notGranted.length} of ${denied.questions} questions` : ' them';
  return [...section(`The smallest change that grants${rest}:`, items.flatMap(formatItem)), ...check];
}

/** Formats a rehearsal for people, without its summary. */
export function formatRehearsal(rehearsal: Rehearsal, fidelity: Fidelity): string[] {
  const { log, denied, notGranted, unused, superuser, refused, error, undecided } = rehearsal;
  const byKnown = Map.groupBy(notGranted, ({ reason }) => reason !== 'unknown-user');
  const lines = [
    formatExtent(log),
    `Decided by ${answerRules[fidelity].label}.`,
    ...(superuser.count > 0 ? [`Of the superuser, who is never denied: ${requests(superuser.count)}.`] : []),
    ...(refused.count > 0 ? [`Denied already, so not counted: ${requests(refused.count)}.`] : []),
    ...(error.count > 0 ? [`Not decided: ${requests(error.count)} (${formatErrors(error)}).`] : []),
    ...formatUndecided(undecided, 'it is not known if it would be denied'),
    ...section('Denied:', formatDenials(denied.groups)),
    ...formatChange(rehearsal),
    ...section(
      'Users who are not known, so they get nothing without --include-unknown:',
      formatUnknown(byKnown.get(false) ?? []),
    ),
    ...section('Not granted:', (byKnown.get(true) ?? []).map(formatNotGranted)),
    ...section(`Decided nothing since ${log.firstSeen}:`, log.count > 0 ? formatUnused(unused) : []),
  ];
  return lines.map(printable);
}
