/** A binding of a user or a group, by its names. */
interface BoundName {
  readonly user?: string | undefined;
  readonly group?: string | undefined;
  readonly role: string;
}

/** The key of a binding, a list that begins with its owner: a user or group has at most one binding per role. */
export const bindingKey = ({ user, group, role }: BoundName): string =>
  JSON.stringify(group === undefined ? [user, role] : [group, role, 'group']);
