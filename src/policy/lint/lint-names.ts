import type { IssuePath } from '../../base/lib/text/paths.js';
import { ownersAbove } from '../evaluate/binding-chain.js';
import type { Binding } from '../model/model.js';
import { samePolicy } from '../model/normalize.js';
import { keeperOf } from '../model/predefined-names.js';

/** Finds names of bindings that are probably mistakes. */
type NameRule = 'shared-binding' | 'same-binding-name' | 'two-scopes';

type Placed = readonly [index: number, Binding];
type Add = (rule: NameRule, path: IssuePath, message: string) => void;

/** The owners of bindings, and the section of a state that holds these. */
type OwnerKind = { readonly noun: 'user' | 'group'; readonly section: 'bindings' | 'groupBindings' };

const quote = JSON.stringify;
const nameOf = ({ user, role }: Binding): string => `${user}:${role}`;

/** The users to which a binding applies because of its name, shortest first. */
const usersIn = (name: string): string[] => [...ownersAbove(name)].reverse();

/**
 * Finds bindings that also apply to other users or groups because of their name: the services keep one binding per name
 * `user:role`, and it applies to every user that is a prefix of the name, up to a `:`. The `user` of a binding of a
 * group is the group.
 */
export function lintNames(
  { noun, section }: OwnerKind,
  bindings: readonly Placed[],
  roles: ReadonlySet<string>,
  add: Add,
): void {
  const named = new Map<string, Placed>();
  // For each such user and role, the first binding that applies.
  const first = new Map<string, Placed>();
  const spread = new Set<string>();
  for (const [i, binding] of bindings) {
    const name = nameOf(binding);
    const same = named.get(name);
    if (same === undefined) named.set(name, [i, binding]);
    else if (same[1].user !== binding.user) {
      add(
        'same-binding-name',
        [section, i],
        `has the same name ${quote(name)} as ${section}[${same[0]}]; services keep one`,
      );
    }
    // A managed role's name has colons, hence prefixes in each binding: only those in the user's name are mistakes.
    const own = keeperOf(binding.role) ? binding.user : name;
    const others = usersIn(own).filter((user) => user !== binding.user);
    for (const user of others) spread.add(user);
    if (others.length === 0 || !binding.scope || !roles.has(binding.role)) continue;
    const who = `${noun}${others.length > 1 ? 's' : ''} ${others.map((user) => quote(user)).join(', ')}`;
    const gift = `gives role ${quote(binding.role)} to ${who}, too: services match by prefix`;
    add('shared-binding', [section, i], `its name ${quote(name)} ${gift}`);
  }
  // Both scopes of a group count, so a second binding hides nothing.
  if (spread.size === 0 || noun === 'group') return;
  for (const [i, binding] of named.values()) {
    for (const user of usersIn(nameOf(binding))) {
      if (!spread.has(user)) continue;
      const key = quote([user, binding.role]);
      const other = first.get(key);
      if (other === undefined) first.set(key, [i, binding]);
      else if (!samePolicy(other[1].scope, binding.scope)) {
        const who = `user ${quote(user)} has role ${quote(binding.role)}`;
        const where = `also through bindings[${other[0]}] in another scope; the services pick one at random`;
        add('two-scopes', ['bindings', i], `${who} ${where}`);
      }
    }
  }
}

/** Finds roles of users that hide the binding of a group, because the services decide by names `group:role`. */
export function lintHiding(
  bindings: readonly Placed[],
  groupBindings: readonly Placed[],
  add: (rule: 'hides-group', path: IssuePath, message: string) => void,
): void {
  const ofGroups = new Map(groupBindings.map(([, binding]) => [nameOf(binding), binding]));
  for (const [i, { user, role }] of bindings) {
    const hidden = ofGroups.get(role);
    if (hidden === undefined) continue;
    const what = `what group ${quote(hidden.user)} has by role ${quote(hidden.role)}`;
    add(
      'hides-group',
      ['bindings', i],
      `hides ${what} from user ${quote(user)}: services decide by the name ${quote(role)}`,
    );
  }
}
