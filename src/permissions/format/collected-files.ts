import type { Policy, Role } from '../../policy/index.js';
import { overlaps } from '../../policy/model/overlap.js';
import { Pattern, parseSegments, type Segment } from '../../policy/model/pattern.js';
import { nameFault } from '../../policy/model/predefined-names.js';
import { bindingKey } from '../model/binding-key.js';
import { type ManagedKind, managedName, Ownership } from '../model/ownership.js';
import type { PermissionsIssue } from '../model/permissions-error.js';
import { type AnyBinding, bindingItem, type ItemName, ownerOfKey } from '../model/plan-change.js';
import { createSuggestions } from '../model/suggestion.js';
import type { ScopeContent } from './file-schema.js';
import type { Owned } from './locate.js';
import { policyOfScope } from './policy-of-scope.js';
import { sizeFault } from './size-fault.js';
import type { ParsedFile } from './yaml.js';

/** The sections of `manage`. */
export const kinds = ['policies', 'roles', 'users', 'groups'] as const satisfies ManagedKind[];
export const nouns = { policies: 'policy', roles: 'role', users: 'user', groups: 'group' } as const;

interface Managed extends Owned {
  readonly kind: ManagedKind;
  readonly pattern: string;
  readonly segments: readonly Segment[];
}

const sections = { policy: 'policies', role: 'roles' } as const;

/** The key of an item in `owners`. */
const ownKey = (item: ItemName): string =>
  item.kind === 'binding' ? `binding ${bindingKey(item)}` : `${sections[item.kind]} ${item.name}`;

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

  manage(kind: ManagedKind, pattern: string, owned: Owned): void {
    const segments = parseSegments(pattern);
    const other = this.#patterns.find(
      (pattern) => pattern.kind === kind && pattern.parsed !== owned.parsed && overlaps(pattern.segments, segments),
    );
    if (other) {
      const { file, line } = other.parsed.issueAt(other.path, '');
      this.report(owned, `two files own the same ${kind}: ${file}:${line} has ${JSON.stringify(other.pattern)}`);
    }
    this.#patterns.push({ ...owned, kind, pattern, segments });
  }

  patterns(kind: ManagedKind): string[] {
    return this.#patterns.flatMap((pattern) => (pattern.kind === kind ? pattern.pattern : []));
  }

  /** The users or groups that `manage` names literally, without a wildcard. */
  literals(kind: 'users' | 'groups'): string[] {
    const isName = (text: string) => !text.includes('*') && nameFault(text) === undefined;
    return this.patterns(kind).filter(isName);
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
    return new Map(
      [...byFile].map(([parsed, patterns]) => {
        const of = (kind: ManagedKind) => patterns.flatMap((managed) => (managed.kind === kind ? managed.pattern : []));
        return [
          parsed,
          new Ownership({ policies: of('policies'), roles: of('roles'), users: of('users'), groups: of('groups') }),
        ];
      }),
    );
  }

  /** Reports names in one file that another file owns by a pattern. */
  checkOwners(): void {
    const patterns = this.#patterns.map((pattern) => ({ ...pattern, matches: new Pattern(pattern.pattern) }));
    if (patterns.length === 0) return;
    for (const [id, owned] of this.owners) {
      const [kind = '', name = ''] = [id.slice(0, id.indexOf(' ')), id.slice(id.indexOf(' ') + 1)];
      const [key, owner] = kind === 'binding' ? managedName(ownerOfKey(name)) : [kind, name];
      for (const pattern of patterns) {
        if (pattern.kind !== key || pattern.parsed === owned.parsed || !pattern.matches.matches(owner)) continue;
        const { file, line } = pattern.parsed.issueAt(pattern.path, '');
        this.report(owned, `${file}:${line} owns the ${nouns[pattern.kind]} ${JSON.stringify(owner)}`, true);
      }
    }
  }
}
