import { type NormalPolicy, normalizePolicy, type Policy, type Role } from '../../policy/index.js';
import { sortedUnique } from '../../policy/normalize.js';

/** A policy as the management API answers it. */
export type WirePolicy = NormalPolicy;

/** A role as the management API answers it. */
export interface WireRole {
  readonly policies: readonly string[];
  readonly scope: WirePolicy | null;
  readonly description: string;
}

/** What a policy becomes when it is written. On the wire an effect may also be a number, and 1 is Allow. */
export function toWirePolicy(policy: Policy): WirePolicy {
  const statements = policy.statements.map((statement) =>
    Number(statement.effect) === 1 ? { ...statement, effect: 'Allow' as const } : statement,
  );
  return normalizePolicy({ ...policy, statements });
}

/** What a role becomes when it is written. */
export function toWireRole({ policies, scope, description }: Role): WireRole {
  return {
    policies: sortedUnique(policies),
    scope: scope == null ? null : toWirePolicy(scope),
    description: description ?? '',
  };
}
