import { counted } from '../../base/lib/counted.js';
import { oneOf } from '../../base/lib/readers.js';
import { printable } from '../../base/lib/text/printable.js';
import type { AccessRegion, Comparison } from './analysis-types.js';
import { formatDifferences, formatList, formatPair, formatPattern, mostNames, named, quote } from './format-regions.js';
import { type AccessGroup, type ChangedRegion, type GroupException, groupAccess, mostGroups } from './group-access.js';
import { readInput } from './read-input.js';

function whoIs({ users, groups, roles, via }: AccessGroup): string {
  const through = via.length > 0 ? ` of ${named('role', via)}` : '';
  return [
    ...(users.length > 0
      ? [`${users.length > mostNames ? `${users.length} users` : named('user', users)}${through}`]
      : []),
    ...(groups.length > 0 ? [`${named('group', groups)}${through}`] : []),
    ...(roles.length > 0 ? [`requests that name ${named('role', roles)}`] : []),
  ].join(' and ');
}

function patternsOf({ patterns, users }: AccessGroup): string {
  const texts = patterns.map((pattern) => {
    const some = pattern.users < users.length && pattern.users > 0 ? ` (${counted(pattern.users, 'user')})` : '';
    const denied = pattern.denied.length > 0 ? ` except ${formatList(pattern.denied.map(formatPair))}` : '';
    return `${formatPair(pattern)}${denied}${some}`;
  });
  return formatList(texts, 'patterns');
}

function reasonsOf({ policies }: AccessGroup): string {
  const texts = [...policies].map(([policy, statements]) => {
    const [first = 0] = statements;
    const numbers = statements.size > 1 ? `, ${statements.size} statements` : ` statement ${first + 1}`;
    return `policy ${quote(policy)}${numbers}`;
  });
  return texts.length === 0 ? 'the superuser' : formatList(texts, 'policies');
}

/** The number of exceptions shown per group. */
const mostKept = 2;

/** Formats the exceptions that most users have, and counts the others. */
function keptOf(group: AccessGroup): string {
  const { except } = group;
  const more = except.length > mostKept ? [counted(except.length - mostKept, 'more exception')] : [];
  return [...except.slice(0, mostKept).map((exception) => formatKept(exception, group)), ...more]
    .map((text) => `; ${text}`)
    .join('');
}

/** True for one user or one group, which takes a verb in the singular. */
const isSingle = ({ users, groups, roles }: AccessGroup): boolean =>
  users.length + groups.length === 1 && roles.length === 0;

function formatKept(exception: GroupException, group: AccessGroup): string {
  const { change, users, via, patterns } = group;
  const hasAction = patterns.every(({ action }) => formatPattern(action) === formatPattern(exception.action));
  const what = hasAction ? `it on ${formatPattern(exception.resource)}` : formatPair(exception);
  const isOne = isSingle(group);
  const who = isOne ? '' : exception.users === users.length ? 'all ' : `${exception.users} of them `;
  const isOther = exception.roles.some((role) => !via.includes(role));
  const by = isOther ? ` by ${named('role', exception.roles)}` : '';
  return change === 'lost' ? `${who}keep${isOne ? 's' : ''} ${what}${by}` : `${who}had ${what} before${by}`;
}

const signs = { gained: '+ ', lost: '- ', held: '' } as const;
const verbs = { gained: 'gain', lost: 'lose', held: 'have' } as const;

/** Formats a group as a sentence. If the sentence does not name all users, a question of one user is added. */
function formatGroup(group: AccessGroup): string {
  const { users, change, own, example } = group;
  const isOne = isSingle(group);
  const verb = isOne && change === 'held' ? 'has' : `${verbs[change]}${isOne ? 's' : ''}`;
  const head = `${whoIs(group)} ${verb} ${patternsOf(group)} – ${reasonsOf(group)}${keptOf(group)}`;
  const [name = ''] = own;
  const names = own.size > 0 ? [`<own>: ${own.size} names, such as ${quote(name)}`] : [];
  const { user = '', action, resource } = example.witness;
  const question = `for example user ${quote(user)}: ${quote(action)} on ${quote(resource)}`;
  return [head, ...names, ...(users.length > mostNames ? [question] : [])].map(printable).join('\n    ');
}

/** The text of a group, with its users and roles. */
export interface GroupText {
  /** Missing in the text that counts the groups that are left out. */
  readonly change?: ChangedRegion['change'];
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly text: string;
}

/** Formats access as groups: users, patterns and reasons. The last text counts the groups that are left out. */
export function groupTexts(regions: readonly ChangedRegion[]): GroupText[] {
  const groups = groupAccess(regions);
  const texts = groups.slice(0, mostGroups).map((group): GroupText => {
    const { change, users, roles } = group;
    return { change, users, roles, text: formatGroup(group) };
  });
  const rest = groups.slice(mostGroups);
  if (rest.length === 0) return texts;
  const all = (kind: 'users' | 'roles') => [...new Set(rest.flatMap((group) => group[kind]))].sort();
  const [users, roles] = [all('users'), all('roles')];
  const text = `and ${counted(rest.length, 'more group')} of ${counted(users.length, 'user')}`;
  return [...texts, { users, roles, text }];
}

const formatGroups = (regions: readonly ChangedRegion[]): string[] =>
  groupTexts(regions).map(({ change, text }) =>
    change ? signs[change] + text : `${text}: see the details (--details)`,
  );

/** Formats current access as groups. */
export const formatHeld = (regions: readonly AccessRegion[]): string[] =>
  formatGroups(regions.map((region) => ({ change: 'held', region })));

/** Formats gained and lost access as groups. */
export const formatChanged = ({ gained, lost }: Comparison): string[] =>
  formatGroups([
    ...lost.map((region) => ({ change: 'lost', region }) as const),
    ...gained.map((region) => ({ change: 'gained', region }) as const),
  ]);

/**
 * Formats a comparison as text for people, `+` for access gained and `-` for access lost, grouped by the statements
 * that grant it: at most 20 groups, beginning with those of the most users. With `details`, all regions one by one;
 * with `json`, as JSON. The text may change between versions, so programs should read the comparison itself.
 *
 * @example
 * ```ts
 * import { compare, formatComparison } from 'arango-services/analysis';
 *
 * formatComparison(compare({}, {})); // No access changes.
 * formatComparison(compare({}, {}), 'json'); // {"gained":[],"lost":[]}
 * ```
 */
export function formatComparison(comparison: Comparison, as: 'text' | 'details' | 'json' = 'text'): string {
  readInput(as, 'as', oneOf('text', 'details', 'json'));
  if (as === 'json') return JSON.stringify(comparison);
  const lines = as === 'text' ? formatChanged(comparison) : formatDifferences(comparison);
  return lines.join('\n') || 'No access changes.';
}
