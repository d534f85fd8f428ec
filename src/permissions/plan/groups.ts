import { remember } from '../../base/lib/remember.js';
import type { Evaluator } from '../../policy/index.js';
import { type AnyBinding, bindingItem, itemKey, type PlanChange } from '../model/plan-change.js';

/** The users and roles that some changes reach. */
export interface Reach {
  readonly users: ReadonlySet<string>;
  /** Roles, and groups with bindings, which subjects name in the same way. */
  readonly roles: ReadonlySet<string>;
}

/** Changes that reach a common user or role. Groups are ordered independently of each other. */
export interface Group extends Reach {
  readonly changes: readonly (readonly [at: number, PlanChange])[];
}

/** Splits changes into groups. Those for which `isOwn` is true are one group. */
export function groupChanges(
  changes: readonly PlanChange[],
  states: readonly Evaluator[],
  isOwn: (change: PlanChange) => boolean,
): Group[] {
  const places = new Map(changes.map((change, at) => [itemKey(change), at]));
  const leaders = changes.map((_, at) => at);
  const leaderOf = (change: number): number => {
    let at = change;
    for (let next = leaders[at] ?? at; next !== at; next = leaders[at] ?? at) {
      leaders[at] = leaders[next] ?? next;
      at = next;
    }
    return at;
  };
  /** Joins changes, and returns one of them. */
  const join = (all: Iterable<number | undefined>): number | undefined => {
    const [first, ...others] = [...all].filter((at) => at !== undefined);
    for (const at of others) leaders[leaderOf(at)] = leaderOf(first as number);
    return first;
  };
  join(changes.flatMap((change, at) => (isOwn(change) ? at : [])));
  const names = new Set([
    ...states.flatMap((state) => state.roles()),
    ...changes.flatMap(({ kind, name }) => (kind === 'role' ? name : [])),
  ]);
  const roles = new Map(
    [...names].map((name) => {
      const policies = states.flatMap((state) => state.role(name)?.policies ?? []);
      const keys = [
        { kind: 'role', name } as const,
        ...policies.map((policy) => ({ kind: 'policy', name: policy }) as const),
      ];
      return [name, join(keys.map((key) => places.get(itemKey(key))))];
    }),
  );
  const joinBindings = (bindings: readonly AnyBinding[]) =>
    join(bindings.flatMap((binding) => [places.get(itemKey(bindingItem(binding))), roles.get(binding.role)]));
  const users = new Map(
    [...new Set(states.flatMap((state) => state.users()))].map((user) => {
      return [user, joinBindings(states.flatMap((state) => state.bindings(user)))];
    }),
  );
  const named = new Map(roles);
  for (const group of new Set(states.flatMap((state) => state.groups()))) {
    const bound = joinBindings(states.flatMap((state) => state.groupBindings(group)));
    named.set(group, join([roles.get(group), bound]));
  }
  const groups = new Map<
    number,
    { changes: (readonly [number, PlanChange])[]; users: Set<string>; roles: Set<string> }
  >();
  const groupOf = (at: number) =>
    remember(groups, leaderOf(at), () => ({ changes: [], users: new Set<string>(), roles: new Set<string>() }));
  for (const [at, change] of changes.entries()) groupOf(at).changes.push([at, change]);
  for (const [role, at] of named) if (at !== undefined) groupOf(at).roles.add(role);
  for (const [user, at] of users) if (at !== undefined) groupOf(at).users.add(user);
  return [...groups.values()];
}
