import type { IssuePath } from '../../base/lib/text/paths.js';
import { normalizePolicy, type Policy, type Role } from '../../policy/index.js';
import { sortedUnique } from '../../policy/model/normalize.js';
import { predefined } from '../../policy/model/predefined-names.js';
import { CollectedFiles, nouns, ownKey } from '../format/collected-files.js';
import { checkFile } from '../format/file-checks.js';
import { createFileSchema, type ScopeContent } from '../format/file-schema.js';
import { locate, type Owned } from '../format/locate.js';
import { policyOfScope } from '../format/policy-of-scope.js';
import type { ParsedFile } from '../format/yaml.js';
import { bindingKey } from '../model/binding-key.js';
import { byPlace, type FilePlace, PermissionsError, type PermissionsIssue } from '../model/permissions-error.js';
import type { Manage, PermissionsState } from '../model/permissions-state.js';
import { type AnyBinding, bindingItem, describeItem, type ItemName, ownerOf } from '../model/plan-change.js';
import { ownerFault } from '../model/writable.js';
import { collectResources } from '../resources/collect-resources.js';
import { type CustomResource, readResources } from '../resources/read-resources.js';
import { checkLimits } from './check-limits.js';
import { loadFiles } from './load-files.js';
import type { ReadFile } from './read-file.js';
import { type Raw, soundParts } from './sound-parts.js';

/** The content of files of permissions. */
export interface Permissions extends PermissionsState {
  /** The users that have a binding, and those that `manage` names literally: `alice`, not `team-*`. */
  readonly users: readonly string[];
  /** The groups that have a binding or that `manage` names literally; undefined if there are none. */
  readonly groups?: readonly string[] | undefined;
  /** The names that the files own. */
  readonly manage: Manage;
  /** Items that a file defines but does not own, although its `manage` has patterns of the same kind. */
  readonly outside: readonly ItemName[];
  /** The named scopes. */
  readonly scopes: ReadonlyMap<string, Policy>;
  /** The names of all files, in the order in which they are included. */
  readonly files: readonly string[];
  /** The operator's custom resources in the files. The state holds the items that the operator makes of them. */
  readonly resources: readonly CustomResource[];
  /** Traps in custom resources: settings that are accepted but have another effect than expected. */
  readonly findings: readonly PermissionsIssue[];
  /**
   * Finds the place of an item or a part of it: `locate(['policies', 'reader', 'statements', 0])`, or
   * `locate(['bindings', 0, 'scope'])` by the binding's index in `bindings`, and so for `groupBindings`. For a named
   * scope it returns the place in `scopes`.
   */
  locate(path: IssuePath): FilePlace | undefined;
}

/** Files, and their content. */
interface Collected {
  readonly permissions: Permissions;
  /** The files that hold no custom resources. */
  readonly files: readonly ParsedFile[];
  /** Finds the item in these files: the path is its section, and its name or index there. */
  placeOf(item: ItemName): Owned | undefined;
}

const fileSchema = /* @__PURE__ */ createFileSchema();

const entries = (value: unknown): [string, unknown][] => Object.entries((value ?? {}) as object);

function collectNamed(all: CollectedFiles, parsed: ParsedFile, raw: Raw): void {
  for (const kind of ['policies', 'roles'] as const) {
    for (const [name, item] of entries(raw[kind])) {
      const owned = { parsed, path: [kind, name] };
      if (name.startsWith(predefined)) all.report(owned, `names with ${predefined} belong to the platform`, true);
      all.checkSize(owned, item);
      if (!all.own(kind, name, `the ${nouns[kind]} ${JSON.stringify(name)}`, owned)) continue;
      // The casts: `checkFile` has validated the file.
      if (kind === 'policies') all.policies.set(name, normalizePolicy(item as Policy));
      else {
        const { policies, scope, description = '' } = item as Role;
        const narrowed = all.scope(scope, { parsed, path: ['roles', name, 'scope'] });
        all.roles.set(name, { policies: sortedUnique(policies), scope: narrowed ?? null, description });
      }
    }
  }
}

function collectBindings(
  section: 'bindings' | 'groupBindings',
  all: CollectedFiles,
  parsed: ParsedFile,
  raw: Raw,
): void {
  // `checkFile` has reported anything but a list. The cast: it has validated the items, too.
  const bindings = Array.isArray(raw[section]) ? (raw[section] as (AnyBinding | undefined)[]) : [];
  for (const [index, binding] of bindings.entries()) {
    if (binding === undefined) continue;
    const { role, scope } = binding;
    const item = bindingItem(binding);
    const owned = { parsed, path: [section, index] };
    const fault = ownerFault(item);
    if (fault !== undefined)
      all.report({ parsed, path: [...owned.path, section === 'bindings' ? 'user' : 'group'] }, fault);
    const narrowed = all.scope(scope, { parsed, path: [...owned.path, 'scope'] });
    all.checkSize(owned, typeof scope === 'object' ? { ...binding, scope: narrowed } : binding);
    if (scope === null) all.report({ parsed, path: [...owned.path, 'scope'] }, 'a binding needs a scope');
    const key = bindingKey(item);
    const label = `the ${describeItem(item)}`;
    if (all.own('binding', key, label, owned)) all.bindings.set(key, { ...ownerOf(item), role, scope: narrowed });
  }
}

function checkReferences(all: CollectedFiles, parsed: ParsedFile, raw: Raw): void {
  for (const [name, role] of entries(raw.roles)) {
    for (const [index, policy] of (role as Role).policies.entries()) {
      if (!all.knowsNames || all.policies.has(policy) || policy.startsWith('managed:')) continue;
      const message = `no policy has the name ${JSON.stringify(policy)}${all.suggest(policy, all.policies.keys())}`;
      all.report({ parsed, path: ['roles', name, 'policies', index] }, message);
    }
  }
}

/**
 * Reads and checks files of permissions, with the parser of YAML and the schemas.
 * @throws PermissionsError (code `PERMISSIONS`) with all issues.
 */
export async function collectFiles(
  file: string,
  read: ReadFile,
  deployment: string | undefined,
  realPath: (file: string) => string | Promise<string> = (name) => name,
): Promise<Collected> {
  const { files, resources: documents, names, issues, paths, inclusions } = await loadFiles(file, read, realPath);
  const all = new CollectedFiles();
  const resources = readResources(documents, deployment, all);
  const fileIssues = [...issues, ...all.issues.splice(0)];
  if (issues.length > 0) all.knowsNames = false;
  const contents = files.map((parsed) => {
    const { issues, paths } = checkFile(parsed, fileSchema);
    const { raw, isComplete } = soundParts(parsed.value, paths);
    fileIssues.push(...issues);
    if (!isComplete) all.knowsNames = false;
    return [parsed, raw] as const;
  });
  for (const [parsed, raw] of contents) {
    for (const [name, scope] of entries(raw.scopes)) {
      const owned = { parsed, path: ['scopes', name] };
      const policy = policyOfScope(scope as ScopeContent);
      all.checkSize(owned, policy);
      if (all.own('scope', name, `the scope ${JSON.stringify(name)}`, owned)) all.scopes.set(name, policy);
    }
    // The cast: `checkFile` has validated the file, and a wrong field is missing.
    all.manage(parsed, (raw.manage ?? {}) as Partial<Manage>);
  }
  for (const [parsed, raw] of contents) collectNamed(all, parsed, raw);
  for (const [parsed, raw] of contents) {
    for (const section of ['bindings', 'groupBindings'] as const) collectBindings(section, all, parsed, raw);
    checkReferences(all, parsed, raw);
  }
  all.checkOwners();
  checkLimits(all, { contents, documents, paths, inclusions });
  if (fileIssues.length > 0) throw new PermissionsError([...fileIssues, ...all.issues].sort(byPlace(names)));
  // Items that the operator makes belong to the operator, even if `manage` of the files matches their names.
  const operator = documents.length > 0 ? collectResources(all, resources) : undefined;
  if (all.issues.length > 0) throw new PermissionsError(all.issues.sort(byPlace(names)));
  const listed = [...all.bindings.values()];
  const bindings = listed.filter((binding) => 'user' in binding);
  const groupBindings = listed.filter((binding) => 'group' in binding);
  const users = sortedUnique([...bindings.map(({ user }) => user), ...all.literals('users')]);
  const groups = sortedUnique([...groupBindings.map(({ group }) => group), ...all.literals('groups')]);
  const keys = { bindings: bindings.map(bindingKey), groupBindings: groupBindings.map(bindingKey) };
  const permissions: Permissions = {
    policies: all.policies,
    roles: all.roles,
    bindings,
    users,
    ...(groupBindings.length > 0 && { groupBindings }),
    ...(groups.length > 0 && { groups }),
    manage: all.manageOf(),
    outside: all.outside(),
    scopes: all.scopes,
    files: names,
    resources: resources.map(({ parsed, path, uid, status, ...resource }) => resource),
    findings: all.findings.sort(byPlace(names)),
    ...(operator && { operator }),
    locate: (path) => locate(all.owners, keys, path),
  };
  const placeOf = (item: ItemName) => {
    const owned = all.owners.get(ownKey(item));
    return owned && files.includes(owned.parsed) ? owned : undefined;
  };
  return { permissions, files, placeOf };
}
