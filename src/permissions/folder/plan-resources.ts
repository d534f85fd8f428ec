import { accepting, asGiven, oneOf, optional, type Reader, type ReadersOf, strictObject } from '../../lib/readers.js';
import { stableJson } from '../../lib/stable-json.js';
import type { Fidelity } from '../../policy/index.js';
import { findStaleResources } from '../files/compare-resources.js';
import { type Permissions, readPermissions } from '../files/read-permissions.js';
import { parseDocuments } from '../format/yaml.js';
import type { PermissionsIssue } from '../model/error.js';
import { readInput } from '../model/read-input.js';
import { type CustomResourceKind, isResource } from '../model/resource-kinds.js';
import { type Plan, plan } from '../plan/plan.js';
import { type ResourceOptions, resourceReaders } from '../resources/export-resources.js';
import type { CustomResource } from '../resources/read-resources.js';
import { isWritten, type WrittenResources, writeResources } from './write-resources.js';

/** Options of {@link planResources}. */
export interface PlanResourcesOptions extends ResourceOptions {
  /** The texts in the folder, by the names of its files. Files without custom resources do not count. */
  readonly files: ReadonlyMap<string, string>;
  /** The rules by which access is computed. Default `documented`. */
  readonly fidelity?: Fidelity | undefined;
  /** The most comparisons of patterns, as in `plan`. */
  readonly maxWork?: number | undefined;
}

export const readPlanResourcesOptions = strictObject({
  ...resourceReaders,
  files: accepting<ReadonlyMap<string, string>>('a Map of texts by name', (value) => value instanceof Map),
  fidelity: optional(oneOf<Fidelity>('documented', 'sidecar')),
  // `plan` checks it.
  maxWork: asGiven as Reader<number | undefined>,
} satisfies ReadersOf<PlanResourcesOptions>);

/** A custom resource of a folder that changes. */
export interface ResourceChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: CustomResourceKind;
  /** Empty if the resource does not say. */
  readonly namespace: string;
  readonly name: string;
  /** The file in the folder. */
  readonly file: string;
}

/** The changes of a folder of custom resources, and those that they make in the deployment. Plain data. */
export interface ResourcePlan extends Pick<WrittenResources, 'notes'> {
  readonly resources: readonly ResourceChange[];
  /** The plan of the operator: its changes, and the access that they change, are in `operator`. */
  readonly plan: Plan;
  /**
   * Traps of the folder as it will be, and changes that the operator does not carry out as they read
   * (`findStaleResources`).
   */
  readonly findings: readonly PermissionsIssue[];
}

/** The name that includes the files of a folder. No file has it. */
const all = '<folder>';

/** Reads the custom resources of files as the state that they make. */
function readFolder(files: ReadonlyMap<string, string>, deployment: string): Promise<Permissions> {
  const texts = new Map([...files, [all, stableJson({ include: [...files.keys()].sort() })]]);
  // The cast: only these names are included.
  return readPermissions(all, { read: (file) => texts.get(file) as string, deployment });
}

const keyOf = ({ kind, namespace, name }: CustomResource): string => stableJson([kind, namespace, name]);

function findChanged(before: Permissions, after: Permissions): ResourceChange[] {
  const [old, now] = [before, after].map(({ resources }) => new Map(resources.map((one) => [keyOf(one), one])));
  const change = (action: ResourceChange['action'], { kind, namespace, name, file }: CustomResource) =>
    ({ action, kind, namespace, name, file }) as const;
  const written = after.resources.flatMap((one) => {
    const earlier = old?.get(keyOf(one));
    if (earlier === undefined) return [change('create', one)];
    return stableJson(earlier.spec) === stableJson(one.spec) ? [] : [change('update', one)];
  });
  const gone = before.resources.filter((one) => !now?.has(keyOf(one)));
  return [...written, ...gone.map((one) => change('delete', one))];
}

/**
 * Plans the changes of a folder of custom resources that `writeResources` makes: which resources are created, changed
 * and deleted, and who gains and loses access once kubectl and the operator have carried them out. Only files that
 * `writeResources` has written change; custom resources in other files of the folder stay, and count for access.
 *
 * @throws PermissionsError (code `PERMISSIONS`) for what `writeResources` refuses, and with issues for files of the
 *   folder that are not valid, for a resource in two files, and if the folder is for another deployment.
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
  const found = [...files].filter(
    ([name, text]) => isWritten(text) || isResource(parseDocuments(name, text, isResource)[0].value),
  );
  const foreign = found.filter(([, text]) => !isWritten(text));
  const wanted = namespace === undefined ? deployment : `${namespace}/${deployment}`;
  const before = await readFolder(new Map(found), wanted);
  const wantedFiles = new Map([...foreign, ...written.files]);
  const isSame = wantedFiles.size === found.length && found.every(([name, text]) => wantedFiles.get(name) === text);
  const after = isSame ? before : await readFolder(wantedFiles, wanted);
  return {
    resources: findChanged(before, after),
    plan: plan({ ...before, users: 'all' }, after, { fidelity, maxWork }),
    findings: [...after.findings, ...findStaleResources(before, after)],
    notes: written.notes,
  };
}
