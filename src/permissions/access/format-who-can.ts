import { printable } from '../../base/lib/text/printable.js';
import type { Grantee } from '../../policy/analysis/analysis-types.js';
import { formatList } from '../../policy/analysis/format-regions.js';
import { noteOf } from './answer-basis.js';
import type { Holder, WhoCanAnswer } from './answer-who-can.js';
import { linesOfReasons } from './scoped-reasons.js';

/** Options of the text of {@link formatWhoCan}. */
export interface FormatWhoCanOptions {
  /** Lists all users of a group. Default false: the first three and the number of the others. */
  readonly all?: boolean | undefined;
}

/** The number of users named per group. */
const mostNamed = 3;
/** The number of holders named per difference between fidelities. */
const mostDifferent = 5;

const quote = (name: string | undefined): string => JSON.stringify(name);

function nameHolder({ user, group, role }: Holder): string {
  if (user !== undefined) return `user ${quote(user)}`;
  return group === undefined ? `requests that name the role ${quote(role)}` : `group ${quote(group)}`;
}

function headOf(users: readonly string[], all: boolean): string {
  if (users.length === 1) return `user ${quote(users[0])}`;
  const most = all || users.length <= mostNamed + 1 ? users.length : mostNamed;
  return `${users.length} users: ${formatList(users.map(quote), '(--all)', most)}`;
}

/** Combines users with the same reasons into one item; the groups and roles that requests may name follow. */
function itemsOf(holders: readonly Grantee[], all: boolean): string[] {
  const groups = new Map<string, { readonly users: string[]; readonly reasons: readonly string[] }>();
  const roles: string[] = [];
  for (const holder of holders) {
    const reasons = linesOfReasons(holder.because);
    if (holder.user === undefined) roles.push([nameHolder(holder), ...reasons].map(printable).join('\n    '));
    else {
      const group = groups.get(reasons.join('\n'));
      if (group) group.users.push(holder.user);
      else groups.set(reasons.join('\n'), { users: [holder.user], reasons });
    }
  }
  const items = [...groups.values()].map(({ users, reasons }) =>
    [headOf(users, all), ...reasons].map(printable).join('\n    '),
  );
  return [...items, ...roles];
}

const nameSome = (holders: readonly Holder[]): string =>
  printable(formatList(holders.map(nameHolder), '', mostDifferent));

function differencesOf({ otherwise }: WhoCanAnswer): string[] {
  if (otherwise === undefined) return ['the state is not valid'];
  const { more, fewer } = otherwise;
  return [
    ...(more.length > 0 ? [`also: ${nameSome(more)}`] : []),
    ...(fewer.length > 0 ? [`not: ${nameSome(fewer)}`] : []),
  ];
}

/**
 * Formats holders as lines for people, or as JSON; users with the same reasons are combined. The text may change
 * between versions, so programs should read the data.
 * @example
 * ```ts
 * import { answerWhoCan, formatWhoCan } from 'arango-services/permissions';
 *
 * const state = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
 * formatWhoCan(answerWhoCan(state, { action: 'a:b', resource: '*' }));
 * // No user has it.
 * //
 * // By the documented rules.
 * ```
 */
export function formatWhoCan(
  answer: WhoCanAnswer,
  as: 'text' | 'json' = 'text',
  { all = false }: FormatWhoCanOptions = {},
): string {
  if (as === 'json') return JSON.stringify(answer);
  const items = itemsOf(answer.holders, all);
  const partly = answer.partly > 0 ? [`${answer.partly} more may do some of it: --match any`] : [];
  // It is not known in which fidelity files will be used, so only the answer for a deployment lists differences.
  const differences = answer.known === 'files' ? [] : differencesOf(answer);
  const none = answer.byMinting ? 'No token that users or groups may create has it.' : 'No user has it.';
  return [...(items.length > 0 ? items : [none]), ...partly, ...noteOf(answer, differences, true)].join('\n');
}
