import { printable } from '../../base/lib/text/printable.js';
import { isObject } from '../../base/lib/values.js';
import type { AccessRegion, GrantedRegion } from '../../policy/analysis/analysis-types.js';
import { formatAccess, formatPair } from '../../policy/analysis/format-regions.js';
import { type Allowance, excessAccess, grants } from '../../policy/analysis/index.js';
import type { Fidelity } from '../../policy/index.js';
import { parseFile } from '../format/yaml.js';
import { PermissionsError } from '../model/permissions-error.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { type AnswerBasis, basisOf, fidelityOf, noteOf } from './answer-basis.js';
import { checkUser } from './explain-access.js';
import { linesOfReasons, type ScopedReason, scopesOf } from './scoped-reasons.js';

/** All access of one user. */
export interface UserGrants extends AnswerBasis {
  readonly grants: readonly (GrantedRegion & { readonly because: readonly ScopedReason[] })[];
}

/** Access beyond the allowances. */
export interface ExcessAccess extends AnswerBasis {
  readonly excess: readonly AccessRegion[];
}

/**
 * Lists the access of a user, with that of these groups.
 * @throws PermissionsError for a user whose bindings the state does not know.
 */
export function findGrants(
  state: PermissionsState,
  user: string,
  fidelityOption: Fidelity | undefined,
  groups: readonly string[] = [],
): UserGrants {
  checkUser(state, user, groups);
  const fidelity = fidelityOf(state, fidelityOption);
  const subject = groups.length > 0 ? { user, roles: groups } : { user };
  const regions = grants(state, subject, { fidelity });
  const addScopes = scopesOf(state);
  const scoped = regions.map((grant) => ({ ...grant, because: addScopes(grant.because, user, groups) }));
  return { grants: scoped, ...basisOf(state, fidelity) };
}

/** Formats the access of a user as lines for people. */
export function formatGrants(access: UserGrants): string {
  const items = access.grants.map(({ except, because, ...pair }) =>
    [formatPair(pair), ...except.map((exception) => `except ${formatPair(exception)}`), ...linesOfReasons(because)]
      .map(printable)
      .join('\n    '),
  );
  return [...(items.length > 0 ? items : ['Nothing.']), ...noteOf(access, [], false)].join('\n');
}

/**
 * Reads a list of allowances `{ action, resource, users?, groups?, roles? }` from YAML or JSON.
 * @throws PermissionsError for any other content.
 */
export function readAllowances(file: string, content: Uint8Array): readonly Allowance[] {
  const { value, issues, issueAt } = parseFile(file, content);
  if (issues.length > 0) throw new PermissionsError(issues);
  if (Array.isArray(value) && value.every(isObject)) {
    // Copied because the parser's objects have no prototype. The cast: `excessAccess` validates them.
    return value.map((item) => ({ ...item })) as unknown as readonly Allowance[];
  }
  throw new PermissionsError([issueAt([], 'expected a list of { action, resource, users, groups, roles }')]);
}

/**
 * Finds users, groups and roles with access beyond the allowances.
 * @throws AnalysisError (code `ANALYSIS`) for an allowance that is not valid.
 */
export function findExcess(
  state: PermissionsState,
  allowed: readonly Allowance[],
  fidelityOption: Fidelity | undefined,
): ExcessAccess {
  const fidelity = fidelityOf(state, fidelityOption);
  return { excess: excessAccess(state, allowed, { fidelity }), ...basisOf(state, fidelity) };
}

/** Formats access beyond the allowances as lines for people. */
export function formatExcess(access: ExcessAccess): string {
  const items = access.excess.map((region) => formatAccess(region));
  return [...(items.length > 0 ? items : ['No user may do more than that.']), ...noteOf(access, [], true)].join('\n');
}
