import { describeRules } from '../../permissions/access/known.js';
import { formatPlan, type Plan } from '../../permissions/index.js';
import type { Flags } from '../shared/flags.js';
import { isColored, print } from '../shared/output.js';
import type { Surroundings } from '../shared/surroundings.js';

const colors: Readonly<Record<string, string>> = { '+': '32', '~': '33', '-': '31' };

/** Colors the lines of a plan. */
const colorLines = (text: string): string =>
  text.replace(/^( *)([+~-]) .*$/gm, (line, _space, sign: string) => `\x1b[${colors[sign]}m${line}\x1b[0m`);

/** The rules by which the access of a plan was computed, and where the other rules compute another. */
function rulesLines({ fidelity, access, changes }: Plan): string[] {
  if (changes.length === 0) return [];
  const isNamed = [...access.gained, ...access.lost].some(({ roles }) => roles.length > 0);
  if (fidelity === 'documented') {
    const other = `By ${describeRules('sidecar')}, roles that requests name do not count (--fidelity sidecar).`;
    return [`Access by ${describeRules(fidelity)}.`, ...(isNamed ? [other] : [])];
  }
  const isReached = changes.some(({ kind }) => kind !== 'binding');
  const other = `By ${describeRules('documented')}, roles that requests name count, too (--fidelity documented).`;
  return [`Access by ${describeRules(fidelity)}.`, ...(isReached ? [other] : [])];
}

/** Prints a plan as text, in color on a terminal, as Markdown or as JSON. */
export function printPlan(plan: Plan, { json, markdown, details }: Flags, surroundings: Surroundings): void {
  const as = json ? 'json' : markdown ? 'markdown' : details ? 'details' : 'text';
  const text = formatPlan(plan, as);
  print(surroundings, json || markdown || !isColored(surroundings) ? text : colorLines(text));
  if (!json) for (const line of rulesLines(plan)) print(surroundings, line);
}
