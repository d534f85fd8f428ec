import { remember } from '../../policy/analysis/space.js';
import type { Evaluator } from '../../policy/index.js';
import type { Change } from '../model/change.js';
import { bindingKey } from '../model/names.js';
import type { Reach } from './effects.js';

/** Changes that affect a common user or role, and the users and roles that they reach. */
export interface Component {
  readonly changes: readonly (readonly [at: number, Change])[];
  readonly reach: Reach;
}

/** Disjoint-set forest over numbers. */
class Sets {
  readonly #parents: number[];

  constructor(size: number) {
    this.#parents = Array.from({ length: size }, (_, i) => i);
  }

  find(one: number): number {
    let at = one;
    for (let next = this.#parents[at] ?? at; next !== at; next = this.#parents[at] ?? at) {
      this.#parents[at] = this.#parents[next] ?? next;
      at = next;
    }
    return at;
  }

  join([first, ...others]: readonly number[]): void {
    if (first === undefined) return;
    for (const other of others) this.#parents[this.find(other)] = this.find(first);
  }
}

/**
 * Splits changes into components without a common user or role, so that each component can be ordered independently.
 * Changes for which `together` returns true are joined as well: a caller may have the bindings of a user and, in
 * addition, the roles that its token names.
 */
export function splitComponents(
  changes: readonly Change[],
  states: readonly Evaluator[],
  together: (change: Change) => boolean = () => false,
): Component[] {
  const [policies, roles, bindings] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  for (const [at, change] of changes.entries()) {
    if (change.kind === 'binding') bindings.set(bindingKey(change), at);
    else (change.kind === 'policy' ? policies : roles).set(change.name, at);
  }
  const sets = new Sets(changes.length);
  sets.join([...changes.entries()].flatMap(([at, change]) => (together(change) ? at : [])));
  const reachOfRole = new Map<string, readonly number[]>();
  for (const role of new Set([...states.flatMap((state) => state.roles()), ...roles.keys()])) {
    const found = new Set<number>();
    const changeOfRole = roles.get(role);
    if (changeOfRole !== undefined) found.add(changeOfRole);
    for (const state of states) {
      for (const policy of state.role(role)?.policies ?? []) {
        const at = policies.get(policy);
        if (at !== undefined) found.add(at);
      }
    }
    if (found.size > 0) reachOfRole.set(role, [...found]);
    sets.join([...found]);
  }
  const reachOfUser = new Map<string, number>();
  for (const user of new Set(states.flatMap((state) => state.users()))) {
    const found: number[] = [];
    for (const binding of states.flatMap((state) => state.bindings(user))) {
      const changeOfBinding = bindings.size > 0 ? bindings.get(bindingKey(binding)) : undefined;
      if (changeOfBinding !== undefined) found.push(changeOfBinding);
      // The changes of one role are already joined, so one of them is enough.
      const [first] = reachOfRole.get(binding.role) ?? [];
      if (first !== undefined) found.push(first);
    }
    sets.join(found);
    if (found[0] !== undefined) reachOfUser.set(user, found[0]);
  }
  const components = new Map<
    number,
    { changes: (readonly [number, Change])[]; reach: { users: Set<string>; roles: Set<string> } }
  >();
  const componentOf = (at: number) => {
    const make = () => ({ changes: [], reach: { users: new Set<string>(), roles: new Set<string>() } });
    return remember(components, sets.find(at), make);
  };
  for (const [at, change] of changes.entries()) componentOf(at).changes.push([at, change]);
  for (const [user, at] of reachOfUser) componentOf(at).reach.users.add(user);
  for (const [role, [at = 0]] of reachOfRole) componentOf(at).reach.roles.add(role);
  return [...components.values()];
}
