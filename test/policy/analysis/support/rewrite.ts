import type { Binding, Fidelity, Policy, Role, Statement } from '../../../../src/policy/index.ts';
import type { State } from '../../support/arbitrary.ts';

/** Numbers below a limit that look random, the same for the same seed. */
export function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/**
 * A state written otherwise that decides alike: in another order, with duplicates, with statements split, with patterns
 * that others cover, with policies split in two and, in documented fidelity, bindings split by what their scope allows.
 */
export function rewrite(state: State, fidelity: Fidelity, seed: number): State {
  const below = dice(seed);
  const shuffle = <T>(list: readonly T[]): T[] => {
    const left = [...list];
    return list.map(() => left.splice(below(left.length), 1)[0] as T);
  };
  const repeat = <T>(list: readonly T[]): T[] => shuffle([...list, ...list.filter(() => below(4) === 0)]);
  // What "*" covers adds nothing; nor does what a pattern covers whose last segment is "*".
  const pad = (list: readonly string[], isAction: boolean): string[] => {
    const wide = list.find((pattern) => pattern === '*' || (pattern.endsWith(':*') && !isAction));
    return repeat(wide && below(2) === 0 ? [...list, wide === '*' ? 'a:b' : `${wide.slice(0, -1)}b*`] : list);
  };
  const split = (statement: Statement): Statement[] => {
    const { effect, actions, resources } = statement;
    if (below(2) === 0) return [{ effect, actions: pad(actions, true), resources: pad(resources, false) }];
    return actions.flatMap((action) =>
      below(2) === 0
        ? [{ effect, actions: [action], resources: pad(resources, false) }]
        : resources.map((resource) => ({ effect, actions: [action], resources: [resource] })),
    );
  };
  // A policy that cannot be parsed is skipped as a whole, so it is not taken apart.
  const isOdd = ({ statements }: Policy) =>
    statements.some(({ actions, resources }) =>
      [...actions, ...resources].some((text) => /\*.+\*$|^a$|b:\*/su.test(text)),
    );
  const turn = (policy: Policy): Policy =>
    isOdd(policy) ? policy : { statements: repeat(policy.statements.flatMap(split)), description: `${below(9)}` };
  const policies = new Map<string, Policy>();
  const halves = new Map<string, string>();
  for (const [name, policy] of shuffle([...state.policies])) {
    const turned = turn(policy);
    const at = isOdd(policy) || below(2) === 0 ? turned.statements.length : below(turned.statements.length);
    policies.set(name, { statements: turned.statements.slice(0, at) });
    if (at === turned.statements.length) continue;
    halves.set(name, `half of ${name}`);
    policies.set(`half of ${name}`, { statements: turned.statements.slice(at) });
  }
  const roles = new Map<string, Role>();
  for (const [name, { policies, scope }] of shuffle([...state.roles])) {
    const named = repeat(policies.flatMap((policy) => [policy, halves.get(policy) ?? policy]));
    roles.set(name, { policies: named, ...(scope && { scope: turn(scope) }) });
  }
  const spread = (binding: Binding): Binding[] => {
    if (!binding.scope) return [binding];
    const scope = turn(binding.scope);
    const allows = scope.statements.filter(({ effect }) => effect === 'Allow');
    if (fidelity === 'sidecar' || allows.length < 2 || below(2) === 0) return [{ ...binding, scope }];
    const denies = scope.statements.filter(({ effect }) => effect !== 'Allow');
    return allows.map((allow) => ({ ...binding, scope: { statements: [allow, ...denies] } }));
  };
  const bindings = state.bindings.flatMap(spread);
  // In sidecar fidelity the last one of a name counts.
  return { policies, roles, bindings: fidelity === 'sidecar' ? bindings : repeat(bindings) };
}
