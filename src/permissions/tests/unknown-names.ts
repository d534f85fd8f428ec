import { Pattern } from '../../policy/model/pattern.js';
import type { FilePlace } from '../model/permissions-error.js';
import { allBindings } from '../model/plan-change.js';
import { createSuggestions } from '../model/suggestion.js';
import type { GivenBinding } from './given.js';
import type { PermissionTests } from './parse-tests.js';
import type { TestedState } from './test-coverage.js';

/** A name in tests that exists nowhere in the state, so that an expected Deny may prove nothing. */
export interface UnknownName extends FilePlace {
  readonly kind: 'user' | 'group' | 'role' | 'action';
  readonly name: string;
  /** The name as a sentence. */
  readonly message: string;
}

const words = {
  user: 'no binding has the user',
  group: 'no binding has the group',
  role: 'there is no role',
  action: 'no policy names the action',
};

/** Collects the names of a state and of given bindings, and returns a test for them. */
function knownNames(state: TestedState, givenBindings: readonly GivenBinding[]) {
  const { policies, roles, bindings, groupBindings = [], users, groups } = state;
  const statements = [...policies.values()].flatMap((policy) => policy.statements);
  // The pattern "*" names no action.
  const actions = new Set(statements.flatMap((statement) => statement.actions).filter((action) => action !== '*'));
  const patterns = [...actions].map((action) => new Pattern(action));
  const namesByKind = {
    user: new Set([...bindings, ...givenBindings].map(({ user }) => user).concat(users === 'all' ? [] : users)),
    // In documented fidelity the groups of a question count as roles, too.
    group: new Set(
      [...groupBindings.map(({ group }) => group), ...roles.keys()].concat(typeof groups === 'object' ? groups : []),
    ),
    role: new Set([...roles.keys(), ...allBindings(state).map(({ role }) => role)]),
    action: actions,
  };
  const isKnown = (kind: UnknownName['kind'], name: string): boolean =>
    namesByKind[kind].has(name) ||
    (kind === 'action' &&
      (actions.size === 0 || name.includes('*') || patterns.some((pattern) => pattern.matches(name)))) ||
    (kind === 'role' && name.startsWith('managed:'));
  return { namesByKind, isKnown };
}

/** Finds the names in tests that neither the state nor the given bindings have, each at its first place. */
export function findUnknownNames(
  state: TestedState,
  files: readonly PermissionTests[],
  givenBindings: readonly GivenBinding[],
): readonly UnknownName[] {
  const { namesByKind, isKnown } = knownNames(state, givenBindings);
  const suggest = createSuggestions();
  const unknownNames = new Map<string, UnknownName>();
  const look = (kind: UnknownName['kind'], names: readonly string[] | undefined, { file, line, column }: FilePlace) => {
    for (const name of names ?? []) {
      const key = `${kind} ${name}`;
      if (unknownNames.has(key) || isKnown(kind, name)) continue;
      const message = `${words[kind]} ${JSON.stringify(name)}${suggest(name, namesByKind[kind])}`;
      unknownNames.set(key, { kind, name, message, file, line, column });
    }
  };
  for (const { expect, nobody } of files) {
    for (const question of expect) {
      look('user', [question.user], question);
      look('group', question.groups, question);
      look('action', [question.action], question);
    }
    for (const entry of nobody) {
      look('action', [entry.action], entry);
      look('user', entry.exceptUsers, entry);
      look('group', entry.exceptGroups, entry);
      look('role', entry.exceptRoles, entry);
    }
  }
  return [...unknownNames.values()];
}
