import type { BindingNode, NearestMiss, PatternNode, StatementNode } from '../api.js';

const isMatched = (patterns: readonly PatternNode[]): boolean => patterns.some(({ matches }) => matches);
const list = (patterns: readonly PatternNode[]): string => patterns.map(({ pattern }) => pattern).join(', ');
const hasMatched = (statements: readonly StatementNode[], effect: 'Allow' | 'Deny'): boolean =>
  statements.some((statement) => statement.effect === effect && statement.matched);

/** The parts of a binding, beside its policies' Allows, that keep it from allowing. */
function obstacles({ via, outcome, because, scope, policies }: BindingNode): readonly string[] {
  const parts: string[] = outcome === 'hidden' ? [because] : [];
  if (scope === null && via !== 'request') parts.push('the binding has no scope');
  if (scope !== null && hasMatched(scope.statements, 'Deny')) parts.push('the scope denies it');
  else if (scope !== null && !hasMatched(scope.statements, 'Allow')) parts.push('it is outside the scope');
  const denying = policies.find(({ state, statements }) => state === 'evaluated' && hasMatched(statements, 'Deny'));
  if (denying !== undefined) parts.push(`policy ${JSON.stringify(denying.name)} denies it`);
  return parts;
}

/** The parts that keep a statement from allowing: the best first, if there is exactly one. */
function partsOf({ actions, resources }: StatementNode, around: readonly string[]): readonly string[] {
  return [
    ...around,
    ...(isMatched(resources) ? [] : [`its resources are ${list(resources)}`]),
    ...(isMatched(actions) ? [] : [`its actions are ${list(actions)}`]),
  ];
}

/**
 * The statement that would have allowed but for one part: its action, its resource, the scope, or a Deny. Of several,
 * one whose action matches.
 */
export function nearestMiss(bindings: readonly BindingNode[]): NearestMiss | null {
  const misses = bindings.flatMap((binding) => {
    if (!binding.roleExists) return [];
    const around = obstacles(binding);
    return binding.policies.flatMap(({ name, state, statements }) =>
      statements.flatMap((statement) => {
        const { effect, index, actions, resources } = statement;
        const parts = partsOf(statement, around);
        const [but] = parts;
        if (state !== 'evaluated' || effect !== 'Allow' || but === undefined || parts.length > 1) return [];
        if (actions.length === 0 || resources.length === 0) return [];
        return [{ role: binding.role, policy: name, index, but, hasAction: isMatched(actions) }];
      }),
    );
  });
  const best = misses.find(({ hasAction }) => hasAction) ?? misses[0];
  if (best === undefined) return null;
  const { role, policy, index, but } = best;
  return { role, policy, index, but };
}
