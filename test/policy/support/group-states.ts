import fc from 'fast-check';
import type { GroupBinding } from '../../../src/policy/index.ts';
import { everything, scopeArb, type stateArb } from './arbitrary.ts';
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
