import { type Evaluator, formatPath, type LintFinding, lint } from '../../policy/index.js';
import type { ConsoleFinding } from '../api.js';

/** Lists the content of an evaluator. */
export function stateOf(evaluator: Evaluator) {
  const named = <T>(names: readonly string[], get: (name: string) => T | undefined): Map<string, T> =>
    // The cast: each name is one of the evaluator's.
    new Map(names.map((name) => [name, get(name) as T]));
  return {
    policies: named(evaluator.policies(), (name) => evaluator.policy(name)),
    roles: named(evaluator.roles(), (name) => evaluator.role(name)),
    bindings: evaluator.bindings(),
    groupBindings: evaluator.groupBindings(),
  };
}

function toFinding({ rule, path, message }: LintFinding, state: ReturnType<typeof stateOf>): ConsoleFinding {
  const [kind, name, ...place] = path;
  const found = { rule, message, place: formatPath(place) };
  if (kind === 'policies' && name !== undefined) return { ...found, about: { kind: 'policy', name: String(name) } };
  if (kind === 'roles' && name !== undefined) return { ...found, about: { kind: 'role', name: String(name) } };
  const binding = kind === 'bindings' && state.bindings[Number(name)];
  if (binding) return { ...found, about: { kind: 'binding', user: binding.user, role: binding.role } };
  const bound = kind === 'groupBindings' && state.groupBindings[Number(name)];
  return {
    ...found,
    about: bound ? { kind: 'groupBinding', group: bound.group, role: bound.role } : { kind: 'state' },
  };
}

/** The probable mistakes in a state, each with the item that it is about. */
export function findingsOf(evaluator: Evaluator): readonly ConsoleFinding[] {
  const state = stateOf(evaluator);
  return lint(state).map((finding) => toFinding(finding, state));
}
