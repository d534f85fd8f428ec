import { formatDifferences } from '../analysis/format-comparison.js';
import { printable } from '../lib/printable.js';
import type { Policy, Role } from '../policy/index.js';
import { type Change, type Content, describeItem } from './change.js';
import type { Plan } from './plan.js';

const signs = { create: '+', update: '~', delete: '-' } as const;

/** The content as lines that can be compared one by one. */
function linesOf(content: Content): string[] {
  if (content === null) return [];
  const of = (policy: Policy, place: string) =>
    policy.statements.map(({ effect, actions, resources, description }) => {
      const pair = `${[...actions].sort().join(', ')} on ${[...resources].sort().join(', ')}`;
      return `${place}${effect} ${pair}${description ? ` (${JSON.stringify(description)})` : ''}`;
    });
  const text = content.description ? [`description ${JSON.stringify(content.description)}`] : [];
  if ('statements' in content) return [...text, ...of(content, '')];
  const { policies, scope } = content satisfies Role;
  return [...text, ...policies.map((name) => `policy ${JSON.stringify(name)}`), ...(scope ? of(scope, 'scope: ') : [])];
}

function formatChange(change: Change): string[] {
  const [before, after] = [linesOf(change.before), linesOf(change.after)];
  const gone = before.filter((line) => !after.includes(line)).map((line) => `    - ${line}`);
  const come = after.filter((line) => !before.includes(line)).map((line) => `    + ${line}`);
  return [`${signs[change.action]} ${describeItem(change)}: ${change.reason}`, ...gone, ...come];
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0
    ? []
    : ['', title, ...lines.flatMap((line) => line.split('\n')).map((line) => `  ${printable(line)}`)];

/**
 * Formats a plan as text for people: `+` creates, `~` updates and `-` deletes an item; then the access gained and lost.
 * With `json`, as JSON. The text may change between versions, so programs should read the plan itself.
 *
 * @example
 * ```ts
 * import { formatPlan, plan } from 'arango-services/permissions';
 *
 * const state = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
 * formatPlan(plan(state, state)); // No changes.
 * ```
 */
export function formatPlan(plan: Plan, as: 'text' | 'json' = 'text'): string {
  if (as === 'json') return JSON.stringify(plan);
  const { changes, stages, kept, access, meanwhile, operator, users } = plan;
  const calls = stages.flat().length;
  const lines = changes.flatMap(formatChange).map(printable);
  const rest = [
    ...section(
      'Kept:',
      kept.map((one) => `${describeItem(one)}: ${one.reason}`),
    ),
    ...section('Access:', formatDifferences(access)),
    ...section('Only while it is applied:', formatDifferences(meanwhile)),
    ...section('Custom resources, which belong to the operator and are not written here; use kubectl:', [
      ...operator.changes.flatMap(formatChange),
      ...operator.tokens.map(
        (name) => `token ${JSON.stringify(name)}: not compared before the operator names its items`,
      ),
    ]),
    ...section('Access after kubectl:', formatDifferences(operator.access)),
  ];
  const known =
    users === 'all' ? [] : ['', `Users whose bindings are known: ${users.length}. Access is compared for these only.`];
  if (changes.length === 0) return ['No changes.', ...rest, ...known].join('\n');
  const count = `Changes: ${changes.length}, calls: ${calls}, stages: ${stages.length}.`;
  return [...lines, ...rest, ...known, '', count].join('\n');
}
