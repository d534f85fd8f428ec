import {
  accepting,
  asGiven,
  oneOf,
  optional,
  type Reader,
  type ReadersOf,
  strictObject,
} from '../../base/lib/readers.js';
import { stableJson } from '../../base/lib/stable-json.js';
import type { Fidelity } from '../../policy/index.js';
import type { Permissions } from '../files/collect-files.js';
import { findStaleResources } from '../files/compare-resources.js';
import { readPermissions } from '../files/read-permissions.js';
import type { PermissionsIssue } from '../model/permissions-error.js';
import { readInput } from '../model/read-argument.js';
import { type CustomResourceKind, isResource } from '../model/resource-kinds.js';
import { type Plan, plan } from '../plan/plan.js';
import { type ResourceOptions, resourceReaders } from '../resources/export-resources.js';
import type { CustomResource } from '../resources/read-resources.js';
import { isWritten, type WrittenResources, writeResources } from './write-resources.js';

/** Options of {@link planResources}. */
export interface PlanResourcesOptions extends ResourceOptions {
  /** The texts of the folder, by file name. Files without custom resources are ignored. */
  readonly files: ReadonlyMap<string, string>;
  /** The fidelity in which access is computed. Default `documented`. */
  readonly fidelity?: Fidelity | undefined;
  /** The maximum number of pattern comparisons, as in `plan`. */
  readonly maxWork?: number | undefined;
}

export const readPlanResourcesOptions = strictObject({
  ...resourceReaders,
  files: accepting<ReadonlyMap<string, string>>('a Map of texts by name', (value) => value instanceof Map),
  fidelity: optional(oneOf<Fidelity>('documented', 'sidecar')),
  // `plan` validates it.
  maxWork: asGiven as Reader<number | undefined>,
} satisfies ReadersOf<PlanResourcesOptions>);

/** The change of one custom resource in a folder. */
export interface ResourceChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: CustomResourceKind;
  /** Empty if the resource names none. */
  readonly namespace: string;
  readonly name: string;
  /** The file in the folder. */
  readonly file: string;
}

/** The changes of a folder of custom resources, and their effects in the deployment. Plain data. */
export interface ResourcePlan extends Pick<WrittenResources, 'notes'> {
  readonly resources: readonly ResourceChange[];
  /**
   * The resulting plan. All its changes are made by the operator and stand in `operator`, with the access that they
   * change.
   */
  readonly plan: Plan;
  /** Traps in the new folder, and changes that the operator carries out only in part (see `findStaleResources`). */
  readonly findings: readonly PermissionsIssue[];
}

/** The name of a virtual file that includes the files of the folder. */
const all = '<folder>';

/** Reads the custom resources of files as a state. */
function readFolder(files: ReadonlyMap<string, string>, deployment: string): Promise<Permissions> {
  const texts = new Map([...files, [all, stableJson({ include: [...files.keys()].sort() })]]);
  // The cast: only these names are included.
  return readPermissions(all, { read: (file) => texts.get(file) as string, deployment });
}

const keyOf = ({ kind, namespace, name }: CustomResource): string => stableJson([kind, namespace, name]);

function findChanged(before: Permissions, after: Permissions): ResourceChange[] {
  const [old, now] = [before, after].map(
    ({ resources }) => new Map(resources.map((resource) => [keyOf(resource), resource])),
  );
  const change = (action: ResourceChange['action'], { kind, namespace, name, file }: CustomResource) =>
    ({ action, kind, namespace, name, file }) as const;
  const written = after.resources.flatMap((resource) => {
    const earlier = old?.get(keyOf(resource));
    if (earlier === undefined) return [change('create', resource)];
    return stableJson(earlier.spec) === stableJson(resource.spec) ? [] : [change('update', resource)];
  });
  const gone = before.resources.filter((resource) => !now?.has(keyOf(resource)));
  return [...written, ...gone.map((resource) => change('delete', resource))];
}

/**
 * Plans how `writeResources` will change a folder of custom resources: the resources that are created, changed and
 * deleted, and the access gained and lost once kubectl and the operator have applied them. Only files written by
 * `writeResources` change; custom resources in other files stay, and are included in the computed access.
 *
 * @throws PermissionsError (code `PERMISSIONS`) like `writeResources`, and with issues for invalid files of the
 * folder, for a resource in two files, and if the folder is for another deployment.
 *
 * @example
 * ```ts
 * import { formatResourcePlan, planResources, readPermissions } from 'arango-services/permissions';
 *
 * const texts = new Map([['permissions.yaml', 'policies: { reader: { statements: [] } }']]);
 * const desired = await readPermissions('permissions.yaml', { read: (file) => texts.get(file) ?? '' });
 * const planned = await planResources(desired, { deployment: 'main', files: new Map() });
 * console.log(formatResourcePlan(planned));
 * ```
 */
export async function planResources(desired: Permissions, options: PlanResourcesOptions): Promise<ResourcePlan> {
  const { deployment, namespace, files, fidelity, maxWork } = readInput(options, 'options', readPlanResourcesOptions);
  const written = writeResources(desired, { deployment, namespace });
  const { parseDocuments } = await import('../format/yaml.js');
  const current = [...files].filter(
    ([name, text]) => isWritten(text) || isResource(parseDocuments(name, text, isResource)[0].value),
  );
  const foreign = current.filter(([, text]) => !isWritten(text));
  const target = namespace === undefined ? deployment : `${namespace}/${deployment}`;
  const before = await readFolder(new Map(current), target);
  const filesAfter = new Map([...foreign, ...written.files]);
  const isSame = filesAfter.size === current.length && current.every(([name, text]) => filesAfter.get(name) === text);
  const after = isSame ? before : await readFolder(filesAfter, target);
  return {
    resources: findChanged(before, after),
    plan: plan({ ...before, users: 'all', groups: 'all' }, after, { fidelity, maxWork }),
    findings: [...after.findings, ...findStaleResources(before, after)],
    notes: written.notes,
  };
}
