import type { Binding, LintFinding, Policy, Role, Statement } from '../../../src/policy/index.ts';
import { covers, overlaps } from './overlap.ts';

const quote = JSON.stringify;

/** A state of the test. */
interface Pairs {
  readonly policies: Readonly<Record<string, Policy>>;
  readonly roles: Readonly<Record<string, Role>>;
  readonly bindings: readonly Binding[];
}

interface Placed {
  readonly policy: string;
  readonly number: number;
  readonly statement: Statement;
}

function meet(a: Statement, b: Statement): boolean {
  const any = (left: readonly string[], right: readonly string[]) =>
    left.some((l) => right.some((r) => overlaps(l, r)));
  return any(a.actions, b.actions) && any(a.resources, b.resources);
}

function shadows(deny: Statement, allow: Statement): boolean {
  const all = (outer: readonly string[], inner: readonly string[]) =>
    inner.length > 0 && inner.every((one) => outer.some((pattern) => covers(pattern, one)));
  return all(deny.actions, allow.actions) && all(deny.resources, allow.resources);
}

/** The findings of `lint` about overlapping statements, by definition: compares each pair. */
export function lintPairs({ policies, roles, bindings }: Pairs): LintFinding[] {
  const [policyMap, roleMap] = [new Map(Object.entries(policies)), new Map(Object.entries(roles))];
  const findings: LintFinding[] = [];
  const statements = (names: readonly string[], effect: string): Placed[] =>
    [...new Set(names)].flatMap((policy) =>
      (policyMap.get(policy)?.statements ?? []).flatMap((statement, number) =>
        statement.effect === effect ? { policy, number, statement } : [],
      ),
    );
  const known = new Set<Statement>();
  const check = (names: readonly string[], where: string) => {
    for (const { policy, number, statement } of statements(names, 'Allow')) {
      const deny = statements(names, 'Deny').find((one) => shadows(one.statement, statement));
      if (deny === undefined || known.has(statement)) continue;
      known.add(statement);
      const by = `policy ${quote(deny.policy)} statement ${deny.number + 1}`;
      const message = `this Allow has no effect${where}: ${by} denies all that it allows`;
      findings.push({ rule: 'shadowed-allow', path: ['policies', policy, 'statements', number], message });
    }
  };
  for (const name of policyMap.keys()) check([name], '');
  for (const [name, role] of roleMap) check(role.policies, ` in role ${quote(name)}`);
  const rolesOf = new Map<string, Set<string>>();
  for (const { user, role, scope } of bindings) {
    if (scope && roleMap.has(role)) rolesOf.set(user, (rolesOf.get(user) ?? new Set()).add(role));
  }
  const seen = new Set<string>();
  for (const [user, names] of rolesOf) {
    for (const denier of names) {
      for (const allower of names) {
        if (denier === allower || seen.has(quote([denier, allower]))) continue;
        seen.add(quote([denier, allower]));
        for (const deny of statements(roleMap.get(denier)?.policies ?? [], 'Deny')) {
          const allow = statements(roleMap.get(allower)?.policies ?? [], 'Allow').find((one) =>
            meet(deny.statement, one.statement),
          );
          if (allow === undefined) continue;
          const message =
            `this Deny applies inside role ${quote(denier)} only; user ${quote(user)} also has policy ` +
            `${quote(allow.policy)} statement ${allow.number + 1} of role ${quote(allower)}, which allows some of it`;
          const path = ['policies', deny.policy, 'statements', deny.number];
          findings.push({ rule: 'deny-stays-inside', path, message });
        }
      }
    }
  }
  return findings;
}
