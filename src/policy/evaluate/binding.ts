import type { PolicyNode, Scope } from './compile.js';

/** A binding's role and scope, linked to the one before it: bindings are alternatives, so a chain suffices. */
export interface BindingNode<S extends Scope = Scope> {
  readonly role: string;
  /** Null if it has no scope, and so grants nothing. */
  readonly scope: S | null;
  readonly next: BindingNode<S> | undefined;
}

/** A loaded binding, which becomes the last of a chain. */
export interface TakenBinding extends BindingNode<PolicyNode> {
  readonly user: string;
  next: TakenBinding | undefined;
}

/** A binding at the end of a chain. */
export const linked = <S extends Scope>(
  { role, scope }: Omit<BindingNode<S>, 'next'>,
  next: BindingNode<S> | undefined,
): BindingNode<S> => ({ role, scope, next });
