import { stateOf } from '../../permissions/model/permissions-state.js';
import { type Evaluator, formatPath, type LintFinding, lint } from '../../policy/index.js';
import type { ConsoleFinding } from '../api.js';

function toFinding({ rule, path, message }: LintFinding, state: ReturnType<typeof stateOf>): ConsoleFinding {
  const [kind, name, ...place] = path;
  const finding = { rule, message, place: formatPath(place) };
  if (kind === 'policies' && name !== undefined) return { ...finding, about: { kind: 'policy', name: String(name) } };
  if (kind === 'roles' && name !== undefined) return { ...finding, about: { kind: 'role', name: String(name) } };
  const binding = kind === 'bindings' && state.bindings[Number(name)];
  if (binding) return { ...finding, about: { kind: 'binding', user: binding.user, role: binding.role } };
  const bound = kind === 'groupBindings' && state.groupBindings[Number(name)];
  return {
    ...finding,
    about: bound ? { kind: 'groupBinding', group: bound.group, role: bound.role } : { kind: 'state' },
  };
}

/** The probable mistakes in a state, each with the item that it is about. */
export function findingsOf(evaluator: Evaluator): readonly ConsoleFinding[] {
  const state = stateOf(evaluator);
  return lint(state).map((finding) => toFinding(finding, state));
}
