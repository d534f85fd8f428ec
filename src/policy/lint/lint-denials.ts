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
  /** The bindings of users. */
  readonly bindings: readonly (readonly [index: number, Binding])[];
  readonly statements: RoleStatements;
  /** True if the maximum number of findings is reached. */
  readonly isFull: () => boolean;
  readonly add: (rule: DenialRule, path: IssuePath, message: string) => void;
}

const quote = JSON.stringify;
const nameOf = ({ policy, path }: Placed): string => `policy ${quote(policy)} statement ${Number(path[3]) + 1}`;

/** Finds Allows without effect, because a Deny of their own policy or of the same role covers them. */
function lintShadowed({ policies, roles, statements, isFull, add }: LintedRoles): void {
  const allows = new Set<ParsedStatement>();
  const check = (names: readonly string[], where: string) => {
    if (isFull()) return;
    const denies = statements.inPolicies(names, 'Deny');
    for (const { path, parsed } of statements.inPolicies(names, 'Allow').all) {
      const deny = isFull() || allows.has(parsed) ? undefined : denies.first(parsed, (other) => shadows(other, parsed));
      if (deny === undefined) continue;
      allows.add(parsed);
      add('shadowed-allow', path, `this Allow has no effect${where}: ${nameOf(deny)} denies all that it allows`);
    }
  };
  for (const name of policies.keys()) check([name], '');
  for (const [name, role] of roles) check(role.policies, ` in role ${quote(name)}`);
}

/** Finds a Deny in one role of a user for what another of the user's roles allows: readers may expect a denial. */
function lintCrossing({ roles, bindings, statements, isFull, add }: LintedRoles): void {
  const cross = (user: string, denier: string, allower: string): void => {
    const allows = statements.of(allower, 'Allow');
    for (const deny of statements.of(denier, 'Deny').all) {
      if (isFull()) return;
      const allow = allows.first(deny.parsed, (other) => meet(deny.parsed, other));
      if (allow === undefined) continue;
      const other = `${nameOf(allow)} of role ${quote(allower)}, which allows some of it`;
      const message = `this Deny applies inside role ${quote(denier)} only; user ${quote(user)} also has ${other}`;
      add('deny-stays-inside', deny.path, message);
    }
  };
  const rolesOf = new Map<string, Set<string>>();
  for (const [, { user, role, scope }] of bindings) {
    if (scope && roles.has(role)) rolesOf.set(user, (rolesOf.get(user) ?? new Set()).add(role));
  }
  const seen = new Set<string>();
  for (const [user, names] of rolesOf) {
    for (const denier of names) {
      if (isFull() || statements.of(denier, 'Deny').all.length === 0) continue;
      for (const allower of names) {
        const pair = quote([denier, allower]);
        if (isFull() || denier === allower || seen.has(pair)) continue;
        seen.add(pair);
        cross(user, denier, allower);
      }
    }
  }
}

/** Finds a Deny that no Allow meets in any role with its policy: it has no effect on other roles. */
function lintNeedless({ policies: allPolicies, roles, statements, add }: LintedRoles): void {
  const denyOf = new Map<ParsedStatement, Placed>();
  const met = new Set<ParsedStatement>();
  for (const [name, { policies }] of roles) {
    const allows = statements.of(name, 'Allow');
    // A policy that is not here may allow anything.
    const isKnown = policies.every((policy) => allPolicies.has(policy));
    for (const deny of statements.of(name, 'Deny').all) {
      const { parsed } = deny;
      if (met.has(parsed)) continue;
      if (isKnown && allows.first(parsed, (other) => meet(parsed, other)) === undefined) denyOf.set(parsed, deny);
      else met.add(parsed);
    }
  }
  for (const [parsed, { path }] of denyOf) {
    if (!met.has(parsed)) add('needless-deny', path, 'no Allow of a role with this policy meets this Deny');
  }
}

/** Finds Allows and Denies without the expected effect. */
export function lintDenials(state: LintedRoles): void {
  lintShadowed(state);
  lintCrossing(state);
  lintNeedless(state);
}
