import { type NormalPolicy, normalizePolicy, type Policy, type Role } from '../../policy/index.js';
import { sortedUnique } from '../../policy/model/normalize.js';

/** A policy as the management API returns it. */
export type WirePolicy = NormalPolicy;

/** A role as the management API returns it. */
export interface WireRole {
  readonly policies: readonly string[];
  readonly scope: WirePolicy | null;
  readonly description: string;
}

/** Normalizes a policy for storage. On the wire an effect may also be a number; 1 is Allow. */
export function toWirePolicy(policy: Policy): WirePolicy {
  const statements = policy.statements.map((statement) =>
    Number(statement.effect) === 1 ? { ...statement, effect: 'Allow' as const } : statement,
  );
  return normalizePolicy({ ...policy, statements });
}

/** Normalizes a role for storage. */
export function toWireRole({ policies, scope, description }: Role): WireRole {
  return {
    policies: sortedUnique(policies),
    scope: scope == null ? null : toWirePolicy(scope),
    description: description ?? '',
  };
}
