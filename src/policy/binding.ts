import type { PolicyNode } from './compile.js';

/** A binding of a user, and the one before it. Bindings are alternatives, so a chain is all that deciding needs. */
export interface BindingNode {
  readonly role: string;
  /** Null: it has no scope and gives nothing. */
  readonly scope: PolicyNode | null;
  readonly next: BindingNode | undefined;
}

/** A binding as it was taken in. */
export interface TakenBinding extends Omit<BindingNode, 'next'> {
  readonly user: string;
}

/** A binding at the end of a chain. */
export const linked = ({ role, scope }: Omit<BindingNode, 'next'>, next: BindingNode | undefined): BindingNode => ({
  role,
  scope,
  next,
});

/** A user's bindings, the oldest first. */
export function listed(last: BindingNode | undefined): BindingNode[] {
  const bindings: BindingNode[] = [];
  for (let binding = last; binding !== undefined; binding = binding.next) bindings.push(binding);
  return bindings.reverse();
}

/** The chain without what binds to a role; the same chain where nothing does. */
export function without(last: BindingNode | undefined, role: string): BindingNode | undefined {
  if (last === undefined) return undefined;
  const all = listed(last);
  const rest = all.filter((binding) => binding.role !== role);
  if (rest.length === all.length) return last;
  let chain: BindingNode | undefined;
  for (const binding of rest) chain = linked(binding, chain);
  return chain;
}
