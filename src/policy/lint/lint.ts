import { Reading } from '../../base/lib/reading.js';
import type { IssuePath } from '../../base/lib/text/paths.js';
import { printable } from '../../base/lib/text/printable.js';
import { wrongKind } from '../../base/lib/values.js';
import { entriesOf } from '../evaluate/load.js';
import { readStateOptions } from '../evaluate/state-options.js';
import type { Binding, GroupBinding, Issue, Named, Policy, PolicyState, Role, Statement } from '../model/model.js';
import { Pattern, parseSegments } from '../model/pattern.js';
import { type Check, readPolicyOptions, strictChecks } from '../model/validate.js';
import type { ActionCatalog } from './action-catalog.js';
import { deceptionOf } from './deceptive-names.js';
import { lintCatalog } from './lint-catalog.js';
import { lintNames } from './lint-names.js';
import { type LintOptions, type LintRule, readLintOptions } from './lint-options.js';
import { meet, type Placed, PlacedList, shadows } from './placed-statements.js';
import { type ParsedStatement, parseStatement } from './statement-index.js';

/** A probable mistake in a state. */
export interface LintFinding {
  /** The rule that reported it. */
  readonly rule: LintRule;
  /** Its place in the state. */
  readonly path: IssuePath;
  /** The problem as a sentence. */
  readonly message: string;
}

/** Limits time and output for a large state that repeats one mistake. */
const mostFindings = 1_000;

const quote = JSON.stringify;

class Linter {
  readonly findings: LintFinding[] = [];
  readonly #policies = new Map<string, Policy>();
  readonly #roles = new Map<string, Role>();
  readonly #bindings: readonly [index: number, Binding][];
  readonly #groupBindings: readonly [index: number, GroupBinding][];
  /** The names of all policies, including invalid ones. */
  readonly #policyNames = new Set<string>();
  readonly #roleNames = new Set<string>();
  readonly #parsed = new Map<Statement, ParsedStatement>();
  /** Users and patterns that were checked for deceptive names. */
  readonly #named = new Set<string>();
  /** Policies whose patterns were checked: many bindings may share a scope. */
  readonly #checked = new Set<Policy>();
  /** Statements of roles by the role's name. */
  readonly #lists = { Allow: new Map<string, PlacedList>(), Deny: new Map<string, PlacedList>() };
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
    this.#bindings = this.#listed('bindings', strictChecks.binding, bindings);
    this.#groupBindings = this.#listed('groupBindings', strictChecks.groupBinding, groupBindings);
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
    for (const [name, policy] of this.#policies) this.#policy(policy, ['policies', name]);
    for (const [name, role] of this.#roles) this.#role(name, role);
    const add = (...found: Parameters<Parameters<typeof lintNames>[3]>) => this.#add(...found);
    for (const [i, binding] of this.#bindings) this.#binding('user', binding, ['bindings', i]);
    lintNames({ noun: 'user', section: 'bindings' }, this.#bindings, this.#roleNames, add);
    // From here on the owner of a binding is its `user`.
    const ofGroups = this.#groupBindings.map(([i, { group, ...rest }]) => [i, { user: group, ...rest }] as const);
    for (const [i, binding] of ofGroups) this.#binding('group', binding, ['groupBindings', i]);
    lintNames({ noun: 'group', section: 'groupBindings' }, ofGroups, this.#roleNames, add);
    if (ofGroups.length > 0) this.#minting();
    if (this.#catalogs.length > 0) {
      const bindings = [
        ...this.#bindings.map(([i, binding]) => [['bindings', i], binding] as const),
        ...ofGroups.map(([i, binding]) => [['groupBindings', i], binding] as const),
      ];
      const sound = { policies: this.#policies, roles: this.#roles, bindings };
      lintCatalog(this.#catalogs, sound, (...found) => this.#add(...found));
    }
    this.#shadowed();
    this.#denials();
    this.#needless();
    this.#unused();
  }

  #add(rule: LintRule, path: IssuePath, message: string): void {
    if (!this.#isFull && !this.#off.has(rule)) this.findings.push({ rule, path, message: printable(message) });
  }

  /** True if the limit of findings is reached. */
  get #isFull(): boolean {
    return this.findings.length >= mostFindings;
  }

  #entries<T>(key: string, named: Named<T>): Iterable<[string, T]> {
    const found = entriesOf(named);
    if (found === undefined) this.#add('invalid', [key], wrongKind('an object or a Map', named));
    return found ?? [];
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

  /** Reports roles that let their holders put any group into a token, since the services do not check its groups. */
  #minting(): void {
    const mints = ({ effect, actions }: Statement) =>
      effect === 'Allow' && actions.some((action) => new Pattern(action).matches('authentication:CreateToken'));
    for (const [name, { policies }] of this.#roles) {
      const policy = policies.find((one) => this.#policies.get(one)?.statements.some(mints));
      if (policy === undefined) continue;
      const message = `may create tokens by policy ${quote(policy)}: it can reach every group`;
      this.#add('reaches-groups', ['roles', name], message);
    }
  }

  #binding(noun: 'user' | 'group', { user, role, scope }: Binding, path: IssuePath): void {
    this.#nameOnce(user, [...path, noun], `the name of this ${noun}`);
    if (user.includes(':')) {
      const message = `a ":" in a ${noun} name: the service stores bindings as "${noun}:role", where it is ambiguous`;
      this.#add('colon-in-user', [...path, noun], message);
    }
    if (!this.#roleNames.has(role)) {
      this.#add('missing-role', [...path, 'role'], `there is no role ${quote(role)}; the binding grants nothing`);
    }
    if (scope) this.#policy(scope, [...path, 'scope']);
    else this.#add('no-scope', path, 'a binding without a scope grants nothing');
  }

  #parse(statement: Statement): ParsedStatement {
    let parsed = this.#parsed.get(statement);
    if (parsed === undefined) {
      parsed = parseStatement(statement);
      this.#parsed.set(statement, parsed);
    }
    return parsed;
  }

  #statements(role: Role | undefined, effect: Statement['effect']): PlacedList {
    const found: Placed[] = [];
    for (const policy of new Set(role?.policies)) {
      for (const [i, statement] of (this.#policies.get(policy)?.statements ?? []).entries()) {
        if (statement.effect !== effect) continue;
        found.push({ path: ['policies', policy, 'statements', i], policy, parsed: this.#parse(statement) });
      }
    }
    return new PlacedList(found);
  }

  /** The statements of a role with one effect, cached. */
  #ofRole(role: string, effect: Statement['effect']): PlacedList {
    const lists = this.#lists[effect];
    let list = lists.get(role);
    if (list === undefined) {
      list = this.#statements(this.#roles.get(role), effect);
      lists.set(role, list);
    }
    return list;
  }

  /**
   * Finds Allows that have no effect because a Deny covers them: in their own policy, or in another one of the same
   * role.
   */
  #shadowed(): void {
    const known = new Set<ParsedStatement>();
    const check = (role: Role, where: string) => {
      if (this.#isFull) return;
      const denies = this.#statements(role, 'Deny');
      for (const { path, parsed } of this.#statements(role, 'Allow').all) {
        const deny =
          this.#isFull || known.has(parsed) ? undefined : denies.first(parsed, (one) => shadows(one, parsed));
        if (deny === undefined) continue;
        known.add(parsed);
        const by = `policy ${quote(deny.policy)} statement ${Number(deny.path[3]) + 1}`;
        this.#add('shadowed-allow', path, `this Allow has no effect${where}: ${by} denies all that it allows`);
      }
    };
    for (const name of this.#policies.keys()) check({ policies: [name] }, '');
    for (const [name, role] of this.#roles) check(role, ` in role ${quote(name)}`);
  }

  /**
   * Finds a Deny in one role of a user that another role of the same user allows: readers may expect the Deny to win.
   */
  #denials(): void {
    const rolesOf = new Map<string, Set<string>>();
    for (const [, { user, role, scope }] of this.#bindings) {
      if (scope && this.#roles.has(role)) rolesOf.set(user, (rolesOf.get(user) ?? new Set()).add(role));
    }
    const seen = new Set<string>();
    for (const [user, names] of rolesOf) {
      for (const denier of names) {
        if (this.#isFull || this.#ofRole(denier, 'Deny').all.length === 0) continue;
        for (const allower of names) {
          const pair = quote([denier, allower]);
          if (this.#isFull || denier === allower || seen.has(pair)) continue;
          seen.add(pair);
          this.#crossing(user, denier, allower);
        }
      }
    }
  }

  #crossing(user: string, denier: string, allower: string): void {
    const allows = this.#ofRole(allower, 'Allow');
    for (const deny of this.#ofRole(denier, 'Deny').all) {
      if (this.#isFull) return;
      const allow = allows.first(deny.parsed, (one) => meet(deny.parsed, one));
      if (allow === undefined) continue;
      const other = `policy ${quote(allow.policy)} statement ${Number(allow.path[3]) + 1} of role ${quote(allower)}`;
      this.#add(
        'deny-stays-inside',
        deny.path,
        `this Deny applies inside role ${quote(denier)} only; ` +
          `user ${quote(user)} also has ${other}, which allows some of it`,
      );
    }
  }

  /** Finds a Deny that no Allow meets in any role with its policy: it has no effect on other roles. */
  #needless(): void {
    const found = new Map<ParsedStatement, Placed>();
    const met = new Set<ParsedStatement>();
    for (const [name, { policies }] of this.#roles) {
      const allows = this.#ofRole(name, 'Allow');
      // A policy that is not here may allow anything.
      const isKnown = policies.every((policy) => this.#policies.has(policy));
      for (const deny of this.#ofRole(name, 'Deny').all) {
        const { parsed } = deny;
        if (met.has(parsed)) continue;
        if (isKnown && allows.first(parsed, (one) => meet(parsed, one)) === undefined) found.set(parsed, deny);
        else met.add(parsed);
      }
    }
    for (const [parsed, { path }] of found) {
      if (!met.has(parsed)) this.#add('needless-deny', path, 'no Allow of a role with this policy meets this Deny');
    }
  }

  #unused(): void {
    const policies = new Set([...this.#roles.values()].flatMap((role) => role.policies));
    for (const name of this.#policyNames) {
      if (!policies.has(name)) this.#add('unused-policy', ['policies', name], 'no role uses this policy');
    }
    const roles = new Set([...this.#bindings, ...this.#groupBindings].map(([, { role }]) => role));
    for (const name of this.#roleNames) {
      if (!roles.has(name)) this.#add('unused-role', ['roles', name], 'no binding uses this role');
    }
  }
}

/**
 * Finds probable mistakes in a state: misleading patterns, missing names, unused items, and Allows or Denies without
 * the expected effect. An invalid state is checked as far as possible; its issues are findings, too. Takes time in
 * proportion to the pairs of roles, one of them with a Deny, that a user has at the same time. Stops at 1 000 findings.
 * With catalogs it also finds actions and resources that no service uses.
 *
 * @throws PolicyError (code `POLICY`) for options that are not valid, and for misspelt keys of the state.
 *
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
