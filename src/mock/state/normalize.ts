import type { Policy, Role } from '../../policy/index.js';
import { byCodePoint } from './table.js';

/** A statement as the management API answers it, field by field. */
interface WireStatement {
  readonly effect: 'Allow' | 'Deny';
  readonly resources: readonly string[];
  readonly actions: readonly string[];
  readonly description: string;
}

/** A policy as the management API answers it. */
export interface WirePolicy {
  readonly statements: readonly WireStatement[];
  readonly description: string;
}

/** A role as the management API answers it. */
export interface WireRole {
  readonly policies: readonly string[];
  readonly scope: WirePolicy | null;
  readonly description: string;
}

const sorted = (texts: readonly string[] | undefined): string[] => [...new Set(texts)].sort(byCodePoint);

/** What a policy becomes when it is written: complete, its lists sorted and unique. */
export function normalizePolicy({ statements, description }: Policy): WirePolicy {
  return {
    statements: statements.map((statement) => ({
      effect: statement.effect === 'Allow' || Number(statement.effect) === 1 ? 'Allow' : 'Deny',
      resources: sorted(statement.resources),
      actions: sorted(statement.actions),
      description: statement.description ?? '',
    })),
    description: description ?? '',
  };
}

/** What a role becomes when it is written. */
export function normalizeRole({ policies, scope, description }: Role): WireRole {
  return {
    policies: sorted(policies),
    scope: scope == null ? null : normalizePolicy(scope),
    description: description ?? '',
  };
}
