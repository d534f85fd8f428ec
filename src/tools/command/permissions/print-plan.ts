import { answerRules } from '../../../permissions/access/answer-rules.js';
import { formatPlan, type Plan } from '../../../permissions/index.js';
import { evaluationRules } from '../../../policy/model/fidelity.js';
import type { Flags } from '../shared/flags.js';
import { print, printChanges } from '../shared/output.js';
import type { Surroundings } from '../shared/surroundings.js';

/** The rules by which the access of a plan was computed, and where the other rules compute another. */
function rulesLines({ fidelity, access, changes }: Plan): string[] {
  if (changes.length === 0) return [];
  const { label, other } = answerRules[fidelity];
  const { rolesCount } = evaluationRules[fidelity];
  const differs = rolesCount
    ? [...access.gained, ...access.lost].some(({ roles }) => roles.length > 0)
    : changes.some(({ kind }) => kind !== 'binding');
  const count = rolesCount ? 'do not count' : 'count, too';
  const note = `By ${answerRules[other].label}, roles that requests name ${count} (--fidelity ${other}).`;
  return [`Access by ${label}.`, ...(differs ? [note] : [])];
}

/** Prints a plan as text, in color on a terminal, as Markdown or as JSON. */
export function printPlan(plan: Plan, { json, markdown, details }: Flags, surroundings: Surroundings): void {
  const as = json ? 'json' : markdown ? 'markdown' : details ? 'details' : 'text';
  (json || markdown ? print : printChanges)(surroundings, formatPlan(plan, as));
  if (!json) for (const line of rulesLines(plan)) print(surroundings, line);
}
