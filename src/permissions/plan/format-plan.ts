import { printable } from '../../base/lib/text/printable.js';
import type { PartialComparison } from '../../policy/analysis/compare-partly.js';
import { formatChanged } from '../../policy/analysis/format-comparison.js';
import { formatDifferences } from '../../policy/analysis/format-regions.js';
import { describeNotCompared } from '../../policy/analysis/not-compared.js';
import { formatHold } from '../holds/hold.js';
import { describeItem, type PlanChange } from '../model/plan-change.js';
import { formatChange, formatChanges, formatReasons } from './format-changes.js';
import { formatMeanwhile } from './format-meanwhile.js';
import { formatOwn } from './format-own.js';
import { formatOrphans, formatUnknown, formatUnowned } from './format-unknown.js';
import type { Plan } from './plan.js';
import { summaryOf } from './plan-summary.js';
import { toMarkdown } from './to-markdown.js';

/** Formats the regions of a comparison, and names the subjects that were not compared. */
function formatAccessChange(comparison: PartialComparison, hasDetails: boolean): string[] {
  const count = describeNotCompared(comparison);
  const note = count && `Access of ${count} was not compared (--max-work).`;
  const lines = hasDetails ? formatDifferences(comparison) : formatChanged(comparison);
  return [...lines, ...(note ? [note] : [])];
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0
    ? []
    : ['', title, ...lines.flatMap((line) => line.split('\n')).map((line) => `  ${printable(line)}`)];

/** The ways to format a plan. */
export type PlanFormat = 'text' | 'details' | 'markdown' | 'json';

/**
 * Formats a plan for people: first a summary; then the access gained (`+`) and lost (`-`), grouped by the statements
 * that grant it, at most 20 groups; then the items that are created (`+`), updated (`~`) and deleted (`-`); if there
 * are many, similar items share a line. With `details`, all regions and items one by one; with `markdown`, the text
 * as a comment on a pull request, of less than 60 000 characters; with `json`, as JSON. The text may change between
 * versions, so programs should read the plan itself.
 *
 * @example
 * ```ts
 * import { formatPlan, plan } from 'arango-services/permissions';
 *
 * const state = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
 * formatPlan(plan(state, state)); // No changes.
 * ```
 */
export const formatPlan = (plan: Plan, as: PlanFormat = 'text'): string =>
  as === 'json' ? JSON.stringify(plan) : formatSections(plan, as, []);

/** Formats a plan as text without the access gained and lost, for a page that lists these itself. */
export const formatItems = (plan: Plan): string => formatSections(plan, 'items', []);

/** A title and the lines below it. */
export type Section = readonly [title: string, lines: readonly string[]];

/**
 * Formats a plan for people, with additional sections at the end. `items` is `text` without the access.
 * @param unchanged the summary of a plan without changes.
 */
export function formatSections(
  plan: Plan,
  as: Exclude<PlanFormat, 'json'> | 'items',
  more: readonly Section[],
  unchanged = 'No changes.',
): string {
  const { changes, stages, kept, unowned, access, meanwhile, operator, users } = plan;
  const isDetailed = as === 'details';
  const formatAll = (all: readonly PlanChange[]) => (isDetailed ? all.flatMap(formatChange) : formatChanges(all));
  const restoring = changes.filter(({ restores }) => restores).map(describeItem);
  const lines = [
    ...section('Holds: no plan gives these before their end:', plan.holds.map(formatHold)),
    ...section(
      'Orphaned: bindings that no file defines or owns, of users and groups that are known; they stay:',
      formatOrphans(plan),
    ),
    ...section('Gives back what was revoked by hand ("apply --yes" needs --restore):', restoring),
    ...(as === 'items' ? [] : section('Access:', formatAccessChange(access, isDetailed))),
    ...section(
      'Only while it is applied:',
      formatMeanwhile(meanwhile, (change) => formatAccessChange(change, isDetailed)),
    ),
    ...section('Items:', formatAll(changes)),
    ...section('Kept:', isDetailed ? kept.map((item) => `${describeItem(item)}: ${item.reason}`) : formatReasons(kept)),
    ...section('Not in "manage", so they stay:', isDetailed ? unowned.map(describeItem) : []),
    ...section('Custom resources, which belong to the operator and are not written here; use kubectl:', [
      ...formatAll(operator.changes),
      ...operator.tokens.map(
        (name) => `token ${JSON.stringify(name)}: not compared before the operator names its items`,
      ),
    ]),
    ...section('Access after kubectl:', formatAccessChange(operator.access, isDetailed)),
    ...formatUnowned(plan),
    ...(users === 'all'
      ? []
      : ['', `Users whose bindings are known: ${users.length}. Access is compared for these only.`]),
    ...(typeof plan.groups === 'object' ? [`Groups whose bindings are known: ${plan.groups.length}.`] : []),
    ...(plan.groups === 'none' ? ['The deployment does not bind roles to groups.'] : []),
    ...formatUnknown(plan),
    ...more.flatMap(([title, some]) => section(title, some)),
    ...(stages.length === 0
      ? []
      : ['', `Changes: ${changes.length}, calls: ${stages.flat().length}, stages: ${stages.length}.`]),
  ];
  const callerLines = formatOwn(plan.own).map(printable);
  const summary = summaryOf(plan, unchanged);
  if (as === 'markdown')
    return toMarkdown(summary, [...callerLines, ...(callerLines.length > 0 ? lines : lines.slice(1))]);
  return [...callerLines, ...(callerLines.length > 0 ? [''] : []), summary, ...lines].join('\n');
}
