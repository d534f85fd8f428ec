import type { PolicyNode } from './compile.js';

/** A role that a user is bound to, and where. Without a scope it gives nothing. */
export interface Link {
  readonly role: string;
  readonly scope: PolicyNode | null;
  /** The user's binding before this one. Bindings are alternatives, so a chain is all that deciding needs. */
  readonly next: Link | undefined;
}

/** A user's bindings, the oldest first. */
export function listed(last: Link | undefined): Link[] {
  const links: Link[] = [];
  for (let link = last; link !== undefined; link = link.next) links.push(link);
  return links.reverse();
}

/** The chain without what binds to a role. */
export function without(last: Link | undefined, role: string): Link | undefined {
  let chain: Link | undefined;
  for (const link of listed(last)) if (link.role !== role) chain = { ...link, next: chain };
  return chain;
}
