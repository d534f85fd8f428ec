import fc from 'fast-check';
import type { EvaluatorQuestion, Fidelity, GroupBinding } from '../../../src/policy/index.ts';
import { everything, faultyStateArb, requestFor, scopeArb, stateArb } from './arbitrary.ts';
import type { GroupState } from './naive-groups.ts';

export const groupNames = ['x', 'g', 'g:r', 'team', 'h', '__proto__'];
const groupBindingArb: fc.Arbitrary<GroupBinding> = fc.record({
  group: fc.constantFrom(...groupNames),
  role: fc.constantFrom('r', 'r:r', 'u', ':r', '__proto__', '名前'),
  scope: fc.option(scopeArb, { freq: 8, nil: undefined }),
});

/** States where bindings of groups meet roles of users with the same names. */
export const withGroups = (base: typeof stateArb): fc.Arbitrary<GroupState> =>
  fc
    .tuple(base, fc.array(groupBindingArb, { minLength: 2, maxLength: 8 }), fc.nat({ max: 3 }))
    .map(([random, groupBindings, nth]) => {
      const [hidden] = groupBindings;
      const name = hidden && `${hidden.group}:${hidden.role}`;
      if (name === undefined || nth > 1) return { ...random, groupBindings };
      const roles = new Map(random.roles);
      if (nth === 0) roles.set(name, { policies: [] });
      return {
        ...random,
        roles,
        bindings: [...random.bindings, { user: 'u', role: name, scope: everything }],
        groupBindings,
      };
    });

/** Random states in which groups are bound to roles. */
export const groupStateArb = (fidelity: Fidelity): fc.Arbitrary<GroupState> =>
  withGroups(fidelity === 'sidecar' ? faultyStateArb : stateArb);

/** A question whose groups often have a binding that fits. */
export function nextQuestion(random: GroupState, fidelity: Fidelity, seed: number): EvaluatorQuestion {
  const [first] = random.groupBindings;
  const live = random.groupBindings.filter(({ role, scope }) => scope && random.roles.has(role));
  const from = live.length > 0 && (seed >> 6) % 8 > 0 ? live : random.groupBindings;
  const binding = (seed >> 5) % 2 === 0 && live.includes(first as GroupBinding) ? first : from[seed % from.length];
  // The action and resource of a request that fits the group's binding; the user has other bindings or none.
  const fitting = { ...random, bindings: [{ user: 'x', role: binding?.role ?? '', scope: binding?.scope }] };
  const { action, resource } = requestFor(fitting, seed);
  const roles = [['', groupNames[seed % 6] ?? ''][(seed >> 2) % 2] ?? '', binding?.group ?? ''];
  const empty = fidelity === 'sidecar' ? '' : 'stranger';
  const user = ['stranger', 'u', empty, undefined, 'stranger', 'u'][(seed >> 3) % 6];
  return user === undefined ? { roles, action, resource } : { user, roles, action, resource };
}
