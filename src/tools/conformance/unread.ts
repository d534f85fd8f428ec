import { type KnownState, notAddressable } from './checks/state-checks.js';
import type { CheckFinding } from './finding.js';

/** True if what decides about a user is not known. */
export function dependsOnUnread({ roles, bindings, unread }: KnownState, user: string): boolean {
  return bindings
    .filter((binding) => binding.user === user)
    .some(({ role }) => unread?.role.has(role) || roles.get(role)?.policies?.some((name) => unread?.policy.has(name)));
}

/** The checks that a name prevents, each with the reason. */
export function unreadFindings(state: KnownState, users: readonly string[]): CheckFinding[] {
  const { policy = [], role = [], user = [] } = state.unread ?? {};
  const toFinding = (name: string, says: CheckFinding['says']): CheckFinding => ({ name, says, why: notAddressable });
  return [
    ...[...policy].map((name) => toFinding(`state/policy/${name}`, 'get')),
    ...[...role].map((name) => toFinding(`state/role/${name}`, 'get')),
    ...[...user].map((name) => toFinding(`state/bindings/${name}`, 'listBindings')),
    ...users
      .filter((name) => dependsOnUnread(state, name))
      .map(
        (name): CheckFinding => ({
          name: `borders/scope/${name}`,
          says: 'scope',
          why: 'it depends on an item whose name no path holds: read it from the streams (--grpc)',
        }),
      ),
  ];
}
