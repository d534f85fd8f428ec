import type { Policy, Role } from '../../policy/index.js';
import { overlaps } from '../../policy/model/overlap.js';
import { Pattern, parseSegments, type Segment } from '../../policy/model/pattern.js';
import { nameFault } from '../../policy/model/predefined-names.js';
import { bindingKey } from '../model/binding-key.js';
import { type ManagedKind, type ManagedName, managedNames, Ownership, patternsOf } from '../model/ownership.js';
import type { PermissionsIssue } from '../model/permissions-error.js';
import type { Manage } from '../model/permissions-state.js';
import { type AnyBinding, bindingItem, type ItemName, itemOfKey } from '../model/plan-change.js';
import { createSuggestions } from '../model/suggestion.js';
import type { ScopeContent } from './file-schema.js';
import type { Owned } from './locate.js';
import { policyOfScope } from './policy-of-scope.js';
import { sizeFault } from './size-fault.js';
import type { ParsedFile } from './yaml.js';

/** The sections of `manage`. */
const kinds = ['policies', 'roles', 'users', 'groups', 'bindings'] as const satisfies ManagedKind[];
export const nouns = {
  policies: 'policy',
  roles: 'role',
  users: 'user',
  groups: 'group',
  bindings: 'bindings to the role',
} as const satisfies Record<ManagedKind, string>;

/** Advice for a binding that another file owns by its user or group. */
const moveAdvice =
  ': move the binding there, or own the bindings of its role here (manage: { bindings: { roles: […] } })';

interface Managed extends Owned {
  readonly kind: ManagedKind;
  readonly pattern: string;
  readonly segments: readonly Segment[];
}

const sections = { policy: 'policies', role: 'roles' } as const;

/** The key of an item in `owners`. */
const ownKey = (item: ItemName): string =>
  item.kind === 'binding' ? `binding ${bindingKey(item)}` : `${sections[item.kind]} ${item.name}`;

/** The kind and the name of an item by its key in `owners`. */
export const sectionOf = (id: string): readonly [kind: string, name: string] => [
  id.slice(0, id.indexOf(' ')),
  id.slice(id.indexOf(' ') + 1),
];

/** The sections of `manage` that may own the item with a key in `owners`, by precedence. */
function namesOf(id: string): readonly ManagedName[] {
  const [kind, name] = sectionOf(id);
  if (kind === 'binding') return managedNames(itemOfKey(name));
  const section = kinds.find((section) => section === kind);
  return section === undefined ? [] : [[section, name]];
}

/** Collects the content of several files. */
export class CollectedFiles {
  readonly issues: PermissionsIssue[] = [];
  /** Traps: settings that are accepted but have another effect than expected. */
  readonly findings: PermissionsIssue[] = [];
  /**
   * False if names are missing because a file or a part of it could not be read; unknown names are then not reported.
   */
  knowsNames = true;
  readonly suggest = createSuggestions();
  readonly scopes = new Map<string, Policy>();
  readonly policies = new Map<string, Policy>();
  readonly roles = new Map<string, Role>();
  /** Of users and of groups, by their keys. */
  readonly bindings = new Map<string, AnyBinding>();
  readonly owners = new Map<string, Owned>();
  readonly #patterns: Managed[] = [];

  /** Registers a name and reports a duplicate. */
  own(kind: string, key: string, shown: string, owned: Owned): boolean {
    const id = `${kind} ${key}`;
    const other = this.owners.get(id);
    if (other === undefined) {
      this.owners.set(id, owned);
      return true;
    }
    const { file, line } = other.parsed.issueAt(other.path, '', true);
    this.report(owned, `${shown} is also in ${file}:${line}`, true);
    return false;
  }

  report({ parsed, path }: Owned, message: string, atKey = false): void {
    this.issues.push(parsed.issueAt(path, message, atKey));
  }

  /** Reports an item that the services do not take. */
  checkSize(owned: Owned, item: unknown): void {
    const fault = sizeFault(item);
    if (fault !== undefined) this.report(owned, fault);
  }

  scope(value: unknown, owned: Owned): Policy | undefined {
    if (value === null || value === undefined) return undefined;
    // The cast: `checkFile` has validated the file.
    if (typeof value !== 'string') return policyOfScope(value as ScopeContent);
    const scope = this.scopes.get(value);
    if (scope === undefined && this.knowsNames) {
      this.report(owned, `no scope has the name ${JSON.stringify(value)}${this.suggest(value, this.scopes.keys())}`);
    }
    return scope;
  }

  /** Registers the patterns of `manage` of a file, and reports those that two files own. */
  manage(parsed: ParsedFile, manage: Partial<Manage>): void {
    for (const kind of kinds) {
      const path = kind === 'bindings' ? ['manage', kind, 'roles'] : ['manage', kind];
      for (const [i, pattern] of patternsOf(manage, kind).entries()) {
        this.#manage(kind, pattern, { parsed, path: [...path, i] });
      }
    }
  }

  #manage(kind: ManagedKind, pattern: string, owned: Owned): void {
    const segments = parseSegments(pattern);
    const other = this.#patterns.find(
      (pattern) => pattern.kind === kind && pattern.parsed !== owned.parsed && overlaps(pattern.segments, segments),
    );
    if (other) {
      const { file, line } = other.parsed.issueAt(other.path, '');
      const what = kind === 'bindings' ? 'bindings by role' : kind;
      this.report(owned, `two files own the same ${what}: ${file}:${line} has ${JSON.stringify(other.pattern)}`);
    }
    this.#patterns.push({ ...owned, kind, pattern, segments });
  }

  #patternsOf(kind: ManagedKind, patterns: readonly Managed[] = this.#patterns): string[] {
    return patterns.flatMap((managed) => (managed.kind === kind ? managed.pattern : []));
  }

  /** The patterns of all files, or of one of them. */
  manageOf(patterns: readonly Managed[] = this.#patterns): Manage {
    const of = (kind: ManagedKind) => this.#patternsOf(kind, patterns);
    const [groups, bindings] = [of('groups'), of('bindings')];
    return {
      policies: of('policies'),
      roles: of('roles'),
      users: of('users'),
      ...(groups.length > 0 && { groups }),
      ...(bindings.length > 0 && { bindings: { roles: bindings } }),
    };
  }

  /** The users or groups that `manage` names literally, without a wildcard. */
  literals(kind: 'users' | 'groups'): string[] {
    const isName = (text: string) => !text.includes('*') && nameFault(text) === undefined;
    return this.#patternsOf(kind).filter(isName);
  }

  /** Items that their file defines but does not own, although its `manage` has patterns of the same kind. */
  outside(): ItemName[] {
    const ownerships = this.#ownerships();
    const items: ItemName[] = [
      ...[...this.policies.keys()].map((name) => ({ kind: 'policy', name }) as const),
      ...[...this.roles.keys()].map((name) => ({ kind: 'role', name }) as const),
      ...[...this.bindings.values()].map(bindingItem),
    ];
    return items.filter((item) => {
      const definition = this.owners.get(ownKey(item));
      return definition !== undefined && ownerships.get(definition.parsed)?.isOutside(item) === true;
    });
  }

  /** The items that each file owns by its `manage`. */
  #ownerships(): ReadonlyMap<ParsedFile, Ownership> {
    const byFile = Map.groupBy(this.#patterns, ({ parsed }) => parsed);
    return new Map([...byFile].map(([parsed, patterns]) => [parsed, new Ownership(this.manageOf(patterns))]));
  }

  /** Reports names in one file that another file owns by a pattern. */
  checkOwners(): void {
    const patterns = this.#patterns.map((pattern) => ({ ...pattern, matches: new Pattern(pattern.pattern) }));
    if (patterns.length === 0) return;
    for (const [id, owned] of this.owners) {
      for (const [kind, name] of namesOf(id)) {
        const owning = patterns.filter((pattern) => pattern.kind === kind && pattern.matches.matches(name));
        for (const { parsed, path } of owning) {
          if (parsed === owned.parsed) continue;
          const { file, line } = parsed.issueAt(path, '');
          const advice =
            kind === 'users' || kind === 'groups' ? moveAdvice : kind === 'bindings' ? ': move it there' : '';
          this.report(owned, `${file}:${line} owns the ${nouns[kind]} ${JSON.stringify(name)}${advice}`, true);
        }
        // Its other owners do not count.
        if (owning.length > 0) break;
      }
    }
  }
}
