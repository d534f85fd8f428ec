import type { Policy, Role } from '../../policy/index.js';
import { overlaps } from '../../policy/model/overlap.js';
import { Pattern, parseSegments, type Segment } from '../../policy/model/pattern.js';
import { nameFault } from '../../policy/model/predefined-names.js';
import { bindingKey } from '../model/binding-key.js';
import {
  type ManagedKind,
  type ManagedName,
  managedKinds,
  managedNames,
  Ownership,
  patternsOf,
  toManage,
} from '../model/ownership.js';
import type { PermissionsIssue } from '../model/permissions-error.js';
import type { Manage } from '../model/permissions-state.js';
import { type AnyBinding, bindingItem, type ItemName, sections } from '../model/plan-change.js';
import { createSuggestions } from '../model/suggestion.js';
import type { ScopeContent } from './file-schema.js';
import type { Owned } from './locate.js';
import { policyOfScope } from './policy-of-scope.js';
import { sizeFault } from './size-fault.js';
import type { ParsedFile } from './yaml.js';

export const nouns = {
  policies: 'policy',
  roles: 'role',
  users: 'user',
  groups: 'group',
  bindings: 'bindings to the role',
} as const satisfies Record<ManagedKind, string>;

/** Advice for a binding that another file owns. */
const moveAdvice =
  ': move the binding there, or own the bindings of its role here (manage: { bindings: { roles: […] } })';
const advices: Partial<Record<ManagedKind, string>> = {
  users: moveAdvice,
  groups: moveAdvice,
  bindings: ': move it there',
};

/** A pattern of `manage`, and its place. */
export interface Managed extends Owned {
  readonly kind: ManagedKind;
  readonly pattern: string;
  readonly segments: readonly Segment[];
}

/** The key of an item in `owners`. */
export const ownKey = (item: ItemName): string =>
  item.kind === 'binding' ? `binding ${bindingKey(item)}` : `${sections[item.kind]} ${item.name}`;

/** The kind and the name of an item by its key in `owners`. */
export const sectionOf = (id: string): readonly [kind: string, name: string] => [
  id.slice(0, id.indexOf(' ')),
  id.slice(id.indexOf(' ') + 1),
];

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
  /** The patterns of `manage` of all files. */
  readonly patterns: Managed[] = [];

  /** Registers a name and reports a duplicate. */
  own(kind: string, key: string, label: string, owned: Owned): boolean {
    const id = `${kind} ${key}`;
    const other = this.owners.get(id);
    if (other === undefined) {
      this.owners.set(id, owned);
      return true;
    }
    const { file, line } = other.parsed.issueAt(other.path, '', true);
    this.report(owned, `${label} is also in ${file}:${line}`, true);
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
    for (const kind of managedKinds) {
      const path = kind === 'bindings' ? ['manage', kind, 'roles'] : ['manage', kind];
      for (const [i, pattern] of patternsOf(manage, kind).entries()) {
        this.#manage(kind, pattern, { parsed, path: [...path, i] });
      }
    }
  }

  #manage(kind: ManagedKind, pattern: string, owned: Owned): void {
    const segments = parseSegments(pattern);
    const other = this.patterns.find(
      (pattern) => pattern.kind === kind && pattern.parsed !== owned.parsed && overlaps(pattern.segments, segments),
    );
    if (other) {
      const { file, line } = other.parsed.issueAt(other.path, '');
      const what = kind === 'bindings' ? 'bindings by role' : kind;
      this.report(owned, `two files own the same ${what}: ${file}:${line} has ${JSON.stringify(other.pattern)}`);
    }
    this.patterns.push({ ...owned, kind, pattern, segments });
  }

  /** The names that all files own, or those of some patterns. */
  manageOf(patterns: readonly Managed[] = this.patterns): Manage {
    const byKind = Map.groupBy(patterns, ({ kind }) => kind);
    return toManage((kind) => (byKind.get(kind) ?? []).map(({ pattern }) => pattern));
  }

  /** The users or groups that `manage` names literally, without a wildcard. */
  literals(kind: 'users' | 'groups'): string[] {
    const isName = (text: string) => !text.includes('*') && nameFault(text) === undefined;
    return patternsOf(this.manageOf(), kind).filter(isName);
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
    const byFile = Map.groupBy(this.patterns, ({ parsed }) => parsed);
    return new Map([...byFile].map(([parsed, patterns]) => [parsed, new Ownership(this.manageOf(patterns))]));
  }

  /** The sections of `manage` that may own the item with a key in `owners`, by precedence. */
  #namesOf(id: string): readonly ManagedName[] {
    const [kind, name] = sectionOf(id);
    if (kind === 'policies' || kind === 'roles') return [[kind, name]];
    const binding = kind === 'binding' ? this.bindings.get(name) : undefined;
    return binding ? managedNames(bindingItem(binding)) : [];
  }

  /** Reports names in one file that another file owns by a pattern. */
  checkOwners(): void {
    if (this.patterns.length === 0) return;
    const patterns = this.patterns.map((managed) => ({ ...managed, compiled: new Pattern(managed.pattern) }));
    const byKind = Map.groupBy(patterns, ({ kind }) => kind);
    for (const [id, owned] of this.owners) {
      for (const [kind, name] of this.#namesOf(id)) {
        const owning = byKind.get(kind)?.filter(({ compiled }) => compiled.matches(name)) ?? [];
        for (const { parsed, path } of owning) {
          if (parsed === owned.parsed) continue;
          const { file, line } = parsed.issueAt(path, '');
          const what = `the ${nouns[kind]} ${JSON.stringify(name)}`;
          this.report(owned, `${file}:${line} owns ${what}${advices[kind] ?? ''}`, true);
        }
        // The first kind of owner decides; others do not count.
        if (owning.length > 0) break;
      }
    }
  }
}
