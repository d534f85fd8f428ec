import type { PolicyNode, Scope } from './compile.js';

/**
 * A binding's role and scope, linked to the user's previous binding: bindings are alternatives, so a linked list
 * suffices.
 */
export interface BindingNode<S extends Scope = Scope> {
  readonly role: string;
  /** Null if it has no scope, and so grants nothing. */
  readonly scope: S | null;
  readonly next: BindingNode<S> | undefined;
}

/** A loaded binding, appended to a user's linked list. */
export interface TakenBinding extends BindingNode<PolicyNode> {
  readonly user: string;
  next: TakenBinding | undefined;
}

/** Appends a binding to a linked list and returns the new end. */
export const linked = <S extends Scope>(
  { role, scope }: Omit<BindingNode<S>, 'next'>,
  next: BindingNode<S> | undefined,
): BindingNode<S> => ({ role, scope, next });
