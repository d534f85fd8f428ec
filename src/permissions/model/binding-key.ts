/** The key of a binding: a user has at most one binding per role. */
export const bindingKey = ({ user, role }: { readonly user: string; readonly role: string }): string =>
  JSON.stringify([user, role]);
