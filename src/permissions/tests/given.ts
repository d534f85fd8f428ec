import type { Policy } from '../../policy/index.js';
import { policyOfScope } from '../format/policy-of-scope.js';
import { bindingKey, bindingPaths } from '../model/binding-key.js';
import { PermissionsError, type PermissionsIssue } from '../model/permissions-error.js';
import { describeItem } from '../model/plan-change.js';
import { createSuggestions } from '../model/suggestion.js';
import { findFreshTwice, freshBindings } from './fresh-items.js';
import type { PermissionTests } from './parse-tests.js';
import type { TestedState } from './test-coverage.js';

/** A binding added by tests, with its resolved scope. */
export interface GivenBinding {
  readonly user: string;
  readonly role: string;
  readonly scope: Policy;
}

/**
 * Resolves the bindings that tests add.
 * @throws PermissionsError for an unknown role or scope, and for a binding that already exists.
 */
export function resolveGiven(state: TestedState, files: readonly PermissionTests[]): (readonly GivenBinding[])[] {
  const { roles, scopes = new Map<string, Policy>(), locate } = state;
  const issues: PermissionsIssue[] = [];
  const suggest = createSuggestions();
  const paths = bindingPaths(state);
  const resolved = files.map(({ fresh, given }) => {
    if (fresh) issues.push(...findFreshTwice(state).map((message) => ({ ...fresh, message })));
    const added = fresh ? freshBindings : [];
    const seen = new Set(added.map(bindingKey));
    const own = given.flatMap(({ user, role, scope: named, file, line, column }) => {
      const report = (message: string) => {
        issues.push({ file, line, column, message });
        return [];
      };
      const key = bindingKey({ user, role });
      const label = `the ${describeItem({ kind: 'binding', user, role })}`;
      const path = paths.get(key);
      const place = path && locate?.(path);
      if (path) return report(`${label} is there already${place ? `: ${place.file}:${place.line}` : ''}`);
      if (seen.has(key)) return report(`${label} is given twice`);
      seen.add(key);
      if (!roles.has(role) && !role.startsWith('managed:')) {
        return report(`no role has the name ${JSON.stringify(role)}${suggest(role, roles.keys())}`);
      }
      const scope = typeof named === 'string' ? scopes.get(named) : named && policyOfScope(named);
      if (scope) return { user, role, scope };
      return report(`no scope has the name ${JSON.stringify(named)}${suggest(String(named), scopes.keys())}`);
    });
    return [...added, ...own];
  });
  if (issues.length > 0) throw new PermissionsError(issues);
  return resolved;
}
