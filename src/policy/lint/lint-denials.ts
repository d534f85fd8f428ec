import type { IssuePath } from '../../base/lib/text/paths.js';
import type { Binding, Policy, Role } from '../model/model.js';
import { meet, type Placed, shadows } from './placed-statements.js';
import type { RoleStatements } from './role-statements.js';
import type { ParsedStatement } from './statement-index.js';

type DenialRule = 'shadowed-allow' | 'deny-stays-inside' | 'needless-deny';

/** The sound items of a state, and the statements of its roles. */
interface LintedRoles {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  /** Those of users. */
  readonly bindings: readonly (readonly [index: number, Binding])[];
  readonly statements: RoleStatements;
}

const quote = JSON.stringify;

class DenialLinter {
  readonly #policies: LintedRoles['policies'];
  readonly #roles: LintedRoles['roles'];
  readonly #bindings: LintedRoles['bindings'];
  readonly #statements: RoleStatements;
  readonly #isFull: () => boolean;
  readonly #add: (rule: DenialRule, path: IssuePath, message: string) => void;

  constructor(
    { policies, roles, bindings, statements }: LintedRoles,
    isFull: () => boolean,
    add: (rule: DenialRule, path: IssuePath, message: string) => void,
  ) {
    this.#policies = policies;
    this.#roles = roles;
    this.#bindings = bindings;
    this.#statements = statements;
    this.#isFull = isFull;
    this.#add = add;
  }

  /**
   * Finds Allows that have no effect because a Deny covers them: in their own policy, or in another one of the same
   * role.
   */
  shadowed(): void {
    const known = new Set<ParsedStatement>();
    const check = (policies: readonly string[], where: string) => {
      if (this.#isFull()) return;
      const denies = this.#statements.inPolicies(policies, 'Deny');
      for (const { path, parsed } of this.#statements.inPolicies(policies, 'Allow').all) {
        const deny =
          this.#isFull() || known.has(parsed) ? undefined : denies.first(parsed, (one) => shadows(one, parsed));
        if (deny === undefined) continue;
        known.add(parsed);
        const by = `policy ${quote(deny.policy)} statement ${Number(deny.path[3]) + 1}`;
        this.#add('shadowed-allow', path, `this Allow has no effect${where}: ${by} denies all that it allows`);
      }
    };
    for (const name of this.#policies.keys()) check([name], '');
    for (const [name, { policies }] of this.#roles) check(policies, ` in role ${quote(name)}`);
  }

  /**
   * Finds a Deny in one role of a user that another role of the same user allows: readers may expect the Deny to win.
   */
  denials(): void {
    const rolesOf = new Map<string, Set<string>>();
    for (const [, { user, role, scope }] of this.#bindings) {
      if (scope && this.#roles.has(role)) rolesOf.set(user, (rolesOf.get(user) ?? new Set()).add(role));
    }
    const seen = new Set<string>();
    for (const [user, names] of rolesOf) {
      for (const denier of names) {
        if (this.#isFull() || this.#statements.of(denier, 'Deny').all.length === 0) continue;
        for (const allower of names) {
          const pair = quote([denier, allower]);
          if (this.#isFull() || denier === allower || seen.has(pair)) continue;
          seen.add(pair);
          this.#crossing(user, denier, allower);
        }
      }
    }
  }

  #crossing(user: string, denier: string, allower: string): void {
    const allows = this.#statements.of(allower, 'Allow');
    for (const deny of this.#statements.of(denier, 'Deny').all) {
      if (this.#isFull()) return;
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
  needless(): void {
    const found = new Map<ParsedStatement, Placed>();
    const met = new Set<ParsedStatement>();
    for (const [name, { policies }] of this.#roles) {
      const allows = this.#statements.of(name, 'Allow');
      // A policy that is not here may allow anything.
      const isKnown = policies.every((policy) => this.#policies.has(policy));
      for (const deny of this.#statements.of(name, 'Deny').all) {
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
}

/**
 * Finds Allows and Denies without the expected effect.
 * @param isFull true if there are as many findings as are listed.
 */
export function lintDenials(
  state: LintedRoles,
  isFull: () => boolean,
  add: (rule: DenialRule, path: IssuePath, message: string) => void,
): void {
  const linter = new DenialLinter(state, isFull, add);
  linter.shadowed();
  linter.denials();
  linter.needless();
}
