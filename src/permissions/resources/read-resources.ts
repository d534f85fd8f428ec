import { isObject } from '../../base/lib/values.js';
import type { CollectedFiles } from '../format/collected-files.js';
import type { ParsedFile } from '../format/yaml.js';
import type { FilePlace, PermissionsIssue } from '../model/permissions-error.js';
import type { CustomResourceKind, ResourceSpecs } from '../model/resource-kinds.js';
import { checkResource, isCustomResourceKind, isOther } from './resource-checks.js';

type YamlPath = readonly (string | number)[];

/** A custom resource of the operator, with its place in a file. */
export type CustomResource = {
  readonly [Kind in CustomResourceKind]: FilePlace & {
    readonly kind: Kind;
    readonly name: string;
    /** Empty if the file names none. */
    readonly namespace: string;
    readonly spec: ResourceSpecs[Kind];
  };
}[CustomResourceKind];

/** A custom resource with the fields that the cluster adds. */
export type FoundResource = CustomResource & {
  readonly parsed: ParsedFile;
  readonly path: YamlPath;
  readonly uid: string | undefined;
  readonly status: unknown;
};

/** Yields the documents of a file, and the items of lists, as `kubectl get -o yaml` prints them. */
function* itemsOf(documents: readonly ParsedFile[]): Generator<readonly [parsed: ParsedFile, path: YamlPath, unknown]> {
  for (const parsed of documents) {
    const { kind, items } = parsed.value as { readonly kind?: unknown; readonly items?: unknown };
    if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) yield [parsed, [], parsed.value];
    else for (const [index, item] of items.entries()) yield [parsed, ['items', index], item];
  }
}

const deploymentOf = ({ namespace, spec }: FoundResource): string =>
  `${namespace}${namespace && '/'}${spec.deployment.name}`;

/** Keeps the resources of one deployment. */
function ofDeployment(
  resources: readonly FoundResource[],
  wanted: string | undefined,
  all: CollectedFiles,
): FoundResource[] {
  const matches = resources.filter(
    (resource) => wanted === undefined || [deploymentOf(resource), resource.spec.deployment.name].includes(wanted),
  );
  const [first] = matches;
  const [elsewhere] = resources;
  if (first === undefined && elsewhere) {
    const [none, there] = [wanted, deploymentOf(elsewhere)].map((name) => JSON.stringify(name));
    const message = `no custom resource is for the deployment ${none}; this one is for ${there}`;
    all.report({ parsed: elsewhere.parsed, path: [...elsewhere.path, 'spec', 'deployment'] }, message, true);
  }
  const other = first && matches.find((resource) => deploymentOf(resource) !== deploymentOf(first));
  if (first && other) {
    const [before, here] = [first, other].map((resource) => JSON.stringify(deploymentOf(resource)));
    const place = `${first.file}:${first.line}`;
    const message = `is for the deployment ${here}, but ${place} for ${before}; choose one by the option deployment`;
    all.report({ parsed: other.parsed, path: [...other.path, 'spec', 'deployment'] }, message, true);
  }
  return matches;
}

/** Reads custom resources of the operator; other Kubernetes documents are skipped. */
export function readResources(
  documents: readonly ParsedFile[],
  deployment: string | undefined,
  all: CollectedFiles,
): readonly FoundResource[] {
  const resources: FoundResource[] = [];
  const refused = new Set<string>();
  const traps = new Map<FoundResource, readonly PermissionsIssue[]>();
  for (const [parsed, path, value] of itemsOf(documents)) {
    if (parsed.issues.length > 0) {
      all.issues.push(...parsed.issues);
      continue;
    }
    if (!isObject(value)) {
      all.report({ parsed, path }, 'expected a custom resource');
      continue;
    }
    // The casts: every field is checked before it is used.
    const raw = value as Readonly<Record<string, unknown>>;
    if (isOther(raw)) continue;
    const { isValid, issues, findings } = checkResource(parsed, path, raw, refused);
    all.issues.push(...issues);
    const { kind, metadata, spec, status } = raw;
    if (!isValid || !isCustomResourceKind(kind)) continue;
    const {
      name,
      namespace = '',
      uid,
    } = metadata as Readonly<Record<'name' | 'namespace' | 'uid', string | undefined>>;
    const { file, line, column }: PermissionsIssue = parsed.issueAt([...path, 'metadata', 'name'], '');
    const customResource = { kind, name, namespace, spec, file, line, column } as CustomResource;
    const resource = { ...customResource, parsed, path, uid, status };
    resources.push(resource);
    traps.set(resource, findings);
  }
  const ownResources = ofDeployment(resources, deployment, all);
  all.findings.push(...ownResources.flatMap((resource) => traps.get(resource) ?? []));
  return ownResources;
}
