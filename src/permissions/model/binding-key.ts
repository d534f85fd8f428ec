import type { IssuePath } from '../../base/lib/text/paths.js';
import type { Binding, Evaluator, Explanation, GroupBinding } from '../../policy/index.js';

/** A binding of a user or a group, by its names. */
interface BoundName {
  readonly user?: string | undefined;
  readonly group?: string | undefined;
  readonly role: string;
}

/** The key of a binding, a list that begins with its owner: a user or group has at most one binding per role. */
export const bindingKey = ({ user, group, role }: BoundName): string =>
  JSON.stringify(group === undefined ? [user, role] : [group, role, 'group']);

/** The bindings of users, and those of groups. */
interface BindingLists {
  readonly bindings?: readonly Binding[] | undefined;
  readonly groupBindings?: readonly GroupBinding[] | undefined;
}

/** The places of bindings in their state, by key. */
export const bindingPaths = (state: BindingLists): ReadonlyMap<string, IssuePath> =>
  new Map(
    (['bindings', 'groupBindings'] as const).flatMap((section) =>
      (state[section] ?? []).map((binding, i): [string, IssuePath] => [bindingKey(binding), [section, i]]),
    ),
  );

/** The keys of the bindings that an explanation considers; undefined for a role that the request names. */
export function consideredKeys(evaluator: Evaluator, { request, considered }: Explanation): (string | undefined)[] {
  // The user's bindings come first, in the evaluator's order.
  const own = evaluator.bindings(request.user ?? '');
  return considered.map(({ via, group, role }, i) => {
    const binding = via === 'group' ? { group, role } : own[i];
    return binding && bindingKey(binding);
  });
}
