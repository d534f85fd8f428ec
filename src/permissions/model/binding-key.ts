import type { BindingOwner } from './plan-change.js';

/** A binding of a user or a group, by its names. */
interface BoundName {
  readonly user?: string | undefined;
  readonly group?: string | undefined;
  readonly role: string;
}

/** The owner of the binding with a key. */
export function ownerOfKey(key: string): BindingOwner {
  // The cast: the key is one that `bindingKey` has made.
  const [name, , kind] = JSON.parse(key) as [name: string, role: string, kind?: 'group'];
  return kind === undefined ? { user: name } : { group: name };
}

/** The key of a binding, a list that begins with its owner: a user or group has at most one binding per role. */
export const bindingKey = ({ user, group, role }: BoundName): string =>
  JSON.stringify(group === undefined ? [user, role] : [group, role, 'group']);
