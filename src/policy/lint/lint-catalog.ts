import { nearest } from '../../base/lib/nearest.js';
import { remember } from '../../base/lib/remember.js';
import type { IssuePath } from '../../base/lib/text/paths.js';
import type { Binding, Policy, Role, Statement } from '../model/model.js';
import { overlaps } from '../model/overlap.js';
import { parseSegments, type Segment } from '../model/pattern.js';
import { predefined } from '../model/predefined-names.js';
import type { ActionCatalog, CatalogNeed } from './action-catalog.js';

/** Finds actions and resources that no service asks about. */
type CatalogRule = 'unknown-action' | 'unasked-resource' | 'unreached-action' | 'missing-action' | 'unscoped';

type Add = (rule: CatalogRule, path: IssuePath, message: string) => void;
type Segments = readonly Segment[];

/** The valid part of a state. */
interface LintedState {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  /** Of users and of groups; the `user` of a group's binding is the group. */
  readonly bindings: readonly (readonly [path: IssuePath, Binding])[];
}

/** An action, with the resources to which it applies. */
interface CatalogQuestion {
  readonly action: Segments;
  readonly resources: readonly Segments[];
}

interface Entry extends CatalogQuestion {
  readonly name: string;
  /** The resources as written in the catalog. */
  readonly texts: readonly string[];
  /** True if the action applies to the empty resource only. */
  readonly isBare: boolean;
  readonly catalog: ActionCatalog;
}

const quote = JSON.stringify;
const mostShown = 3;
/** Longer texts are not compared with every action. */
const longestName = 100;

/** The namespace of an action pattern; undefined if it contains a wildcard. */
function namespaceOf(pattern: string): string | undefined {
  const namespace = pattern.split(':', 1)[0] as string;
  return namespace.includes('*') ? undefined : namespace;
}

/** Checks a state against catalogs of actions. */
class CatalogLinter {
  readonly #state: LintedState;
  readonly #add: Add;
  readonly #entries: readonly Entry[];
  readonly #namespaces: ReadonlySet<string | undefined>;
  /** The first segments of resources. */
  readonly #resourceNamespaces: ReadonlySet<string>;
  readonly #found = new Map<string, readonly Entry[]>();
  readonly #parsed = new Map<string, Segments>();

  constructor(catalogs: readonly ActionCatalog[], state: LintedState, add: Add) {
    this.#state = state;
    this.#add = add;
    this.#entries = catalogs.flatMap((catalog) =>
      catalog.actions.map(({ action, resources }) => ({
        name: action,
        action: parseSegments(action),
        resources: resources.map(parseSegments),
        texts: resources,
        isBare: resources.every((resource) => resource === ''),
        catalog,
      })),
    );
    this.#namespaces = new Set(this.#entries.map(({ name }) => namespaceOf(name)));
    const texts = this.#entries.flatMap((entry) => entry.texts).filter((text) => text.includes(':'));
    this.#resourceNamespaces = new Set(texts.flatMap((text) => namespaceOf(text) ?? []));
  }

  run(catalogs: readonly ActionCatalog[]): void {
    const { policies, roles, bindings } = this.#state;
    for (const [name, policy] of policies) this.#policy(policy, ['policies', name]);
    for (const [name, { scope }] of roles) if (scope) this.#policy(scope, ['roles', name, 'scope']);
    for (const [path, { role, scope }] of bindings) {
      if (!scope) continue;
      this.#policy(scope, [...path, 'scope']);
      this.#bareActions(role, scope, [...path, 'scope']);
    }
    for (const catalog of catalogs) for (const need of catalog.needs ?? []) this.#need(catalog, need);
  }

  #policy({ statements }: Policy, path: IssuePath): void {
    for (const [i, statement] of statements.entries()) this.#statement(statement, [...path, 'statements', i]);
  }

  /**
   * Compares a statement with the catalogs. Reports a `*` beside other resources, each action that is unknown or
   * applies to no resource of the statement, and each resource to which none of the remaining actions applies.
   */
  #statement({ effect, actions, resources }: Statement, path: IssuePath): void {
    const others = resources.find((resource) => resource !== '*');
    const isOurs = (action: string) => this.#namespaces.has(namespaceOf(action));
    if (effect === 'Allow' && others !== undefined && resources.includes('*') && actions.some(isOurs)) {
      const message =
        'the "*" makes the other resources meaningless; give actions that need it a statement of their own';
      this.#add('unscoped', [...path, 'resources', resources.indexOf('*')], message);
    }
    const reached: Entry[] = [];
    for (const [i, action] of actions.entries()) {
      const at = [...path, 'actions', i];
      const entries = this.#match(action);
      if (entries.length === 0) this.#unknown(action, at);
      else if (!isOurs(action)) continue;
      else if (resources.length > 0 && !entries.some((entry) => this.#isAsked(entry, resources))) {
        this.#add('unreached-action', at, `${quote(action)} applies to ${this.#resourcesOf(entries)}`);
      } else reached.push(...entries);
    }
    if (actions.some((action) => namespaceOf(action) === undefined)) this.#foreignTypes(resources, path);
    if (reached.length === 0 || !actions.every(isOurs)) return;
    for (const [i, resource] of resources.entries()) {
      const segments = this.#parse(resource);
      if (reached.some((entry) => entry.resources.some((resource) => overlaps(resource, segments)))) continue;
      const message = `no action here applies to ${quote(resource)}, but to ${this.#resourcesOf(reached)}`;
      this.#add('unasked-resource', [...path, 'resources', i], message);
    }
  }

  /** Finds resources of a catalog's namespace to which none of its actions applies: their type is unknown. */
  #foreignTypes(resources: readonly string[], path: IssuePath): void {
    for (const [i, resource] of resources.entries()) {
      if (!this.#resourceNamespaces.has(resource.split(':', 1)[0] as string)) continue;
      if (this.#entries.some((entry) => this.#isAsked(entry, [resource]))) continue;
      this.#add(
        'unasked-resource',
        [...path, 'resources', i],
        `no action of the catalog applies to ${quote(resource)}`,
      );
    }
  }

  #unknown(action: string, path: IssuePath): void {
    const names = this.#entries.map(({ name }) => name);
    const near = action.length > longestName ? undefined : nearest(action, names);
    const namespace = namespaceOf(action);
    // An unknown namespace is another service's, unless it is nearly that of a catalog. Whole actions are not compared:
    // `web:Read` and `db:Read` differ in two letters.
    if (!this.#namespaces.has(namespace)) {
      if (near === undefined || namespace === undefined) return;
      const others = [...this.#namespaces].map((namespace) => `${namespace}:`);
      if (nearest(`${namespace}:`, others) === undefined) return;
    }
    this.#add(
      'unknown-action',
      path,
      `no catalog has ${quote(action)}${near ? `; the nearest is ${quote(near)}` : ''}`,
    );
  }

  /** Without a "*", a scope denies actions on the empty resource. */
  #bareActions(role: string, scope: Policy, path: IssuePath): void {
    const seen = new Set<string>();
    for (const { actions, resources } of this.#allows(role)) {
      if (!resources.includes('*')) continue;
      for (const action of actions) {
        const entries = this.#match(action);
        if (entries.length === 0 || seen.has(action) || !entries.every(({ isBare }) => isBare)) continue;
        seen.add(action);
        if (entries.some((entry) => this.#allowsEntry(scope.statements, entry))) continue;
        const why = `role ${quote(role)} allows ${quote(action)}, which applies to ${this.#resourcesOf(entries)}`;
        this.#add('unreached-action', path, `${why}: nothing in this scope matches that`);
      }
    }
  }

  /** Finds users that have some actions of a catalog but lack one that every client needs. */
  #need(catalog: ActionCatalog, need: CatalogNeed): void {
    const { policies, roles, bindings } = this.#state;
    const entries = this.#entries.filter((entry) => entry.catalog === catalog);
    const wanted = { action: parseSegments(need.action), resources: [parseSegments(need.resource)] };
    const uses = (statements: readonly Statement[]) => entries.some((entry) => this.#allowsEntry(statements, entry));
    const has = (statements: readonly Statement[]) => this.#allowsEntry(statements, wanted);
    const results = new Map<string | Policy, readonly [uses: boolean, has: boolean]>();
    const look = (key: string | Policy, list: () => readonly Statement[]) => {
      const result = results.get(key) ?? ([uses(list()), has(list())] as const);
      results.set(key, result);
      return result;
    };
    const report = (path: IssuePath, who: string) => {
      const what = `${quote(need.action)} on ${quote(need.resource)}`;
      this.#add('missing-action', path, `${who} has actions of ${catalog.name}, but not ${what}: ${need.because}`);
    };
    const owners = new Map<string, { path: IssuePath; isFine: boolean }>();
    const bound = new Set<string>();
    for (const [place, { user, role, scope }] of bindings) {
      bound.add(role);
      if (!scope) continue;
      // The platform fills the predefined roles, so their scopes are checked alone.
      const isFilled = role.startsWith(predefined) && this.#allows(role).length === 0;
      const [roleUses, roleHas] = isFilled ? [true, true] : look(role, () => this.#allows(role));
      const [scopeUses, scopeHas] = look(scope, () => scope.statements);
      if (!roleUses || !scopeUses) continue;
      const isFine = roleHas && scopeHas;
      const owner = `${place[0] === 'bindings' ? 'user' : 'group'} ${quote(user)}`;
      const before = owners.get(owner);
      if (before) before.isFine ||= isFine;
      else owners.set(owner, { path: [...place, roleHas ? 'scope' : 'role'], isFine });
    }
    for (const [owner, { path, isFine }] of owners) if (!isFine) report(path, owner);
    const named = new Set([...roles.values()].flatMap((role) => role.policies));
    for (const name of roles.keys()) {
      const [isUsed, isFine] = look(name, () => this.#allows(name));
      if (!bound.has(name) && isUsed && !isFine) report(['roles', name], `role ${quote(name)}`);
    }
    for (const [name, { statements }] of policies) {
      if (!named.has(name) && uses(statements) && !has(statements)) report(['policies', name], `policy ${quote(name)}`);
    }
  }

  #allows(role: string): Statement[] {
    const { policies, roles } = this.#state;
    const all = (roles.get(role)?.policies ?? []).flatMap((policy) => policies.get(policy)?.statements ?? []);
    return all.filter(({ effect }) => effect === 'Allow');
  }

  #allowsEntry(statements: readonly Statement[], entry: CatalogQuestion): boolean {
    return statements.some(
      ({ effect, actions, resources }) =>
        effect === 'Allow' && this.#meetsAny(entry.action, actions) && this.#isAsked(entry, resources),
    );
  }

  #isAsked({ resources }: CatalogQuestion, patterns: readonly string[]): boolean {
    return resources.some((resource) => this.#meetsAny(resource, patterns));
  }

  #meetsAny(segments: Segments, patterns: readonly string[]): boolean {
    return patterns.some((pattern) => overlaps(this.#parse(pattern), segments));
  }

  #parse(pattern: string): Segments {
    return remember(this.#parsed, pattern, () => parseSegments(pattern));
  }

  #match(pattern: string): readonly Entry[] {
    return remember(this.#found, pattern, () => {
      const segments = this.#parse(pattern);
      return this.#entries.filter(({ action }) => overlaps(segments, action));
    });
  }

  #resourcesOf(entries: readonly Entry[]): string {
    if (entries.every(({ isBare }) => isBare)) return 'the resource "" alone, which only "*" matches';
    const all = [...new Set(entries.flatMap(({ texts }) => texts))].map((text) => quote(text));
    return all.slice(0, mostShown).join(', ') + (all.length > mostShown ? ' and others' : '');
  }
}

/** Finds actions and resources that no service uses, and users that lack actions which every client needs. */
export function lintCatalog(catalogs: readonly ActionCatalog[], state: LintedState, add: Add): void {
  new CatalogLinter(catalogs, state, add).run(catalogs);
}
