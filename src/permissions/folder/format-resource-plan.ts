import { counted } from '../../base/lib/counted.js';
import { printable } from '../../base/lib/text/printable.js';
import { formatList } from '../../policy/analysis/format-regions.js';
import { signs } from '../plan/format-changes.js';
import { formatSections, type PlanFormat, type Section } from '../plan/format-plan.js';
import type { ResourceChange, ResourcePlan } from './plan-resources.js';

/** The number of resources shown on a line of their own. */
const mostLines = 20;

const describe = ({ action, kind, name, namespace, file }: ResourceChange): string =>
  `${signs[action]} ${kind} ${namespace && `${namespace}/`}${name} (${file})`;

function linesOf(resources: readonly ResourceChange[], isDetailed: boolean): string[] {
  if (isDetailed || resources.length <= mostLines) return resources.map(describe);
  const groups = Map.groupBy(resources, ({ action, kind, file }) => JSON.stringify([action, kind, file]));
  return [...groups.values()].map((group) => {
    // The cast: a group has at least one.
    const first = group[0] as ResourceChange;
    if (group.length === 1) return describe(first);
    const { action, kind, file } = first;
    return `${signs[action]} ${group.length} ${kind} (${file}): ${formatList(group.map(({ name }) => name))}`;
  });
}

/**
 * Formats the plan of a folder of custom resources in the style of `formatPlan`: the users who gain and lose access,
 * the items that change in the deployment, and the resources that are created (`+`), changed (`~`) and deleted (`-`).
 * @example
 * ```ts
 * import { formatResourcePlan, planResources, readPermissions } from 'arango-services/permissions';
 *
 * const desired = await readPermissions('permissions.yaml', { read: () => '{}' });
 * formatResourcePlan(await planResources(desired, { deployment: 'main', files: new Map() })); // No changes.
 * ```
 */
export function formatResourcePlan(planned: ResourcePlan, as: PlanFormat = 'text'): string {
  if (as === 'json') return JSON.stringify(planned);
  const { plan, resources, findings, notes } = planned;
  const { operator } = plan;
  // The changes that the operator will make are shown like any others.
  const operatorPlan = {
    ...plan,
    changes: operator.changes,
    access: operator.access,
    operator: { ...operator, changes: [], access: { gained: [], lost: [] } },
  };
  const same = `${counted(resources.length, 'custom resource')} to write; the services do not change.`;
  const sections: Section[] = [
    ['Custom resources:', linesOf(resources, as === 'details')],
    ['Findings:', findings.map(({ file, line, message }) => printable(`${file}:${line}: ${message}`))],
    ['Notes:', resources.length > 0 ? notes : []],
  ];
  return formatSections(operatorPlan, as, sections, resources.length > 0 ? same : undefined);
}
