import type { PolicyNode, Scope } from './compile.js';

/** A binding's role and scope, linked to the owner's previous binding: bindings are alternatives. */
export interface BindingNode<S extends Scope = Scope> {
  readonly role: string;
  /** Null if it has no scope, and so grants nothing. */
  readonly scope: S | null;
  readonly next: BindingNode<S> | undefined;
}

/** A loaded binding of a user or group, appended to its linked list. */
export interface TakenBinding extends BindingNode<PolicyNode> {
  /** The user or group that it was set for. */
  readonly owner: string;
  next: TakenBinding | undefined;
}

/** Appends a binding to a linked list and returns the new end. */
export const linked = <S extends Scope>(
  { role, scope }: Omit<BindingNode<S>, 'next'>,
  next: BindingNode<S> | undefined,
): BindingNode<S> => ({ role, scope, next });

/** The name of a binding, as the services store it. */
export const nameOf = ({ owner, role }: Pick<TakenBinding, 'owner' | 'role'>): string => `${owner}:${role}`;
