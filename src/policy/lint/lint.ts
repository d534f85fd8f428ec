import { Reading } from '../../base/lib/reading.js';
import type { IssuePath } from '../../base/lib/text/paths.js';
import { printable } from '../../base/lib/text/printable.js';
import { wrongKind } from '../../base/lib/values.js';
import { entriesOf } from '../evaluate/load.js';
import { readStateOptions } from '../evaluate/state-options.js';
import { superAdmin } from '../model/fresh-deployment.js';
import type { Binding, Issue, Named, Policy, PolicyState, Role } from '../model/model.js';
import { parseSegments } from '../model/pattern.js';
import { type Check, readPolicyOptions, strictChecks } from '../model/validate.js';
import type { ActionCatalog } from './action-catalog.js';
import { deceptionOf } from './deceptive-names.js';
import { lintCatalog } from './lint-catalog.js';
import { lintDenials } from './lint-denials.js';
import { lintMinting } from './lint-minting.js';
import { lintHiding, lintNames } from './lint-names.js';
import { type LintOptions, type LintRule, readLintOptions } from './lint-options.js';
import { RoleStatements } from './role-statements.js';

/** A probable mistake in a state. */
export interface LintFinding {
  /** The rule that reported the finding. */
  readonly rule: LintRule;
  /** The place of the finding in the state. */
  readonly path: IssuePath;
  /** The problem as a sentence. */
  readonly message: string;
}

/** Limits time and output for a large state that repeats one mistake. */
const mostFindings = 1_000;

const quote = JSON.stringify;

const owners = [
  ['user', 'bindings'],
  ['group', 'groupBindings'],
] as const;

class Linter {
  readonly findings: LintFinding[] = [];
  readonly #policies = new Map<string, Policy>();
  readonly #roles = new Map<string, Role>();
  /** Of users and of groups; the `user` of a group's binding is the group. */
  readonly #bindings: Readonly<Record<'bindings' | 'groupBindings', readonly (readonly [index: number, Binding])[]>>;
  /** The names of all policies, including invalid ones. */
  readonly #policyNames = new Set<string>();
  readonly #roleNames = new Set<string>();
  /** Users and patterns that were checked for deceptive names. */
  readonly #named = new Set<string>();
  /** Policies whose patterns were checked: many bindings may share a scope. */
  readonly #checked = new Set<Policy>();
  readonly #catalogs: readonly ActionCatalog[];
  readonly #off: ReadonlySet<string>;

  constructor({ policies = {}, roles = {}, bindings = [], groupBindings = [] }: PolicyState, options: LintOptions) {
    const { catalogs, off } = readLintOptions(options);
    this.#catalogs = catalogs;
    this.#off = off;
    for (const [name, policy] of this.#entries('policies', policies)) {
      this.#policyNames.add(name);
      this.#name(name, ['policies', name], 'the name of this policy');
      if (this.#sound(['policies', name], strictChecks.policy, policy)) this.#policies.set(name, policy);
    }
    for (const [name, role] of this.#entries('roles', roles)) {
      this.#roleNames.add(name);
      this.#name(name, ['roles', name], 'the name of this role');
      if (this.#sound(['roles', name], strictChecks.role, role)) this.#roles.set(name, role);
    }
    this.#bindings = {
      bindings: this.#listed('bindings', strictChecks.binding, bindings),
      groupBindings: this.#listed('groupBindings', strictChecks.groupBinding, groupBindings).map(
        ([i, { group, ...rest }]) => [i, { user: group, ...rest }],
      ),
    };
  }

  /** The sound items of a list, with their indexes. */
  #listed<T>(section: string, check: Check, items: Iterable<T>): [index: number, T][] {
    const isList = typeof items === 'object' && items !== null && Symbol.iterator in items;
    if (!isList) this.#add('invalid', [section], wrongKind('a list', items));
    return (isList ? [...items] : []).flatMap((item, i): [number, T][] =>
      this.#sound([section, i], check, item) ? [[i, item]] : [],
    );
  }

  run(): void {
    const [policies, roles] = [this.#policies, this.#roles];
    const add = (...finding: [rule: LintRule, path: IssuePath, message: string]) => this.#add(...finding);
    for (const [name, policy] of policies) this.#policy(policy, ['policies', name]);
    for (const [name, role] of roles) this.#role(name, role);
    const placed: (readonly [path: IssuePath, Binding])[] = [];
    for (const [noun, section] of owners) {
      const list = this.#bindings[section];
      for (const [i, binding] of list) {
        this.#binding(noun, binding, [section, i]);
        placed.push([[section, i], binding]);
      }
      lintNames({ noun, section }, list, this.#roleNames, add);
    }
    lintHiding(this.#bindings.bindings, this.#bindings.groupBindings, add);
    const statements = new RoleStatements(policies, roles);
    if (this.#bindings.groupBindings.length > 0) lintMinting(roles.keys(), statements, add);
    if (this.#catalogs.length > 0) lintCatalog(this.#catalogs, { policies, roles, bindings: placed }, add);
    lintDenials({ policies, roles, bindings: this.#bindings.bindings, statements, isFull: () => this.#isFull, add });
    this.#unused(new Set(placed.map(([, { role }]) => role)));
  }

  #add(rule: LintRule, path: IssuePath, message: string): void {
    if (!this.#isFull && !this.#off.has(rule)) this.findings.push({ rule, path, message: printable(message) });
  }

  /** True if the limit of findings is reached. */
  get #isFull(): boolean {
    return this.findings.length >= mostFindings;
  }

  #entries<T>(key: string, named: Named<T>): Iterable<[string, T]> {
    const entries = entriesOf(named);
    if (entries === undefined) this.#add('invalid', [key], wrongKind('an object or a Map', named));
    return entries ?? [];
  }

  #sound(path: IssuePath, check: Check, value: unknown): boolean {
    const reading = new Reading<Issue>();
    reading.at(path, value, check);
    for (const issue of reading.issues) {
      this.#add(issue.segment === undefined ? 'invalid' : 'unparsable-pattern', issue.path, issue.message);
    }
    return reading.issues.length === 0;
  }

  #policy(policy: Policy, path: IssuePath): void {
    if (this.#checked.has(policy)) return;
    this.#checked.add(policy);
    for (const [i, { actions, resources }] of policy.statements.entries()) {
      const at = [...path, 'statements', i];
      if (actions.length === 0 || resources.length === 0) {
        this.#add('empty-statement', at, `has no ${actions.length === 0 ? 'actions' : 'resources'} and never matches`);
      }
      for (const [j, action] of actions.entries()) this.#pattern(action, [...at, 'actions', j]);
      for (const [j, resource] of resources.entries()) this.#pattern(resource, [...at, 'resources', j]);
    }
  }

  /** Reports names that look like other names. */
  #name(name: string, path: IssuePath, what: string): void {
    const problem = deceptionOf(name);
    if (problem !== undefined) this.#add('deceptive-name', path, `${what}, ${quote(name)}, ${problem}`);
  }

  /** Reports a deceptive name at its first place only. */
  #nameOnce(text: string, path: IssuePath, what: string, names = [text]): void {
    const key = `${what} ${text}`;
    if (this.#named.has(key)) return;
    this.#named.add(key);
    for (const name of names) this.#name(name, path, what);
  }

  #pattern(pattern: string, path: IssuePath): void {
    this.#nameOnce(pattern, path, 'a name of this pattern', pattern.split(':'));
    const literal = parseSegments(pattern).find(({ text }) => text.includes('*'));
    if (literal === undefined) return;
    const message = `in ${quote(pattern)} the "*" inside ${quote(literal.text)} is literal: it matches only a "*"`;
    this.#add('literal-star', path, message);
  }

  #role(name: string, { policies, scope }: Role): void {
    for (const [i, policy] of policies.entries()) {
      if (this.#policyNames.has(policy)) continue;
      this.#add('missing-policy', ['roles', name, 'policies', i], `there is no policy ${quote(policy)}; it is skipped`);
    }
    if (scope) this.#policy(scope, ['roles', name, 'scope']);
  }

  #binding(noun: 'user' | 'group', { user, role, scope }: Binding, path: IssuePath): void {
    this.#nameOnce(user, [...path, noun], `the name of this ${noun}`);
    if (user.includes(':')) {
      const message = `a ":" in a ${noun} name: the service stores bindings as "${noun}:role", where it is ambiguous`;
      this.#add('colon-in-user', [...path, noun], message);
    }
    if (!this.#roleNames.has(role)) {
      this.#add('missing-role', [...path, 'role'], `there is no role ${quote(role)}; the binding grants nothing`);
    } else if (this.#roles.get(role)?.policies.length === 0) {
      this.#add('empty-role', [...path, 'role'], `role ${quote(role)} has no policies; the binding grants nothing`);
    }
    if (role === superAdmin && (noun === 'group' || user !== 'root')) {
      this.#add('super-admin', [...path, 'role'], `may do everything; the platform gives it to user "root" alone`);
    }
    if (scope) this.#policy(scope, [...path, 'scope']);
    else this.#add('no-scope', path, 'a binding without a scope grants nothing');
  }

  /** Finds unused items; `bound` are the roles of bindings. */
  #unused(bound: ReadonlySet<string>): void {
    const policies = new Set([...this.#roles.values()].flatMap((role) => role.policies));
    for (const name of this.#policyNames) {
      if (!policies.has(name)) this.#add('unused-policy', ['policies', name], 'no role uses this policy');
    }
    for (const name of this.#roleNames) {
      if (!bound.has(name)) this.#add('unused-role', ['roles', name], 'no binding uses this role');
    }
  }
}

/**
 * Finds probable mistakes in a state: misleading patterns, missing names, unused items, and Allows or Denies without
 * the expected effect. An invalid state is checked as far as possible; its issues are findings, too. Takes time in
 * proportion to the pairs of roles, one of them with a Deny, that a user has at the same time. Stops at 1 000 findings.
 * With catalogs it also finds actions and resources that no service uses.
 * @throws PolicyError (code `POLICY`) for options that are not valid, and for misspelt keys of the state.
 * @example
 * ```ts
 * import { formatPath, lint } from 'arango-services/policy';
 *
 * const findings = lint({ roles: { viewer: { policies: ['reader'] } } });
 * for (const { path, message } of findings) console.log(formatPath(path), message);
 * // roles.viewer.policies[0] there is no policy "reader"; it is skipped
 * // roles.viewer no binding uses this role
 * ```
 */
export function lint(state: PolicyState, options: LintOptions = {}): readonly LintFinding[] {
  readPolicyOptions(state, readStateOptions);
  const linter = new Linter(state, options);
  linter.run();
  return linter.findings;
}
