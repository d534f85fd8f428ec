import { hasMethod } from '../../base/lib/values.js';
import type { Decision, EvaluationItem, ManyDecisions } from './model.js';

/** The user that a question is about. */
export interface UserSubject {
  /** The user; an empty one is denied. */
  readonly user: string;
  /** Roles in addition to the user's bindings (documented fidelity). */
  readonly roles?: readonly string[] | undefined;
}

/**
 * Makes decisions, synchronously or not: the client's `authorization`, an evaluator of `./policy`, or a replica. Code
 * that takes a `Decider` works with each of them.
 * @example
 * ```ts
 * import type { Decider } from 'arango-services';
 * import { createEvaluator } from 'arango-services/policy';
 *
 * const mayRead = async (decider: Decider, user: string, order: string) =>
 *   (await decider.evaluate({ user, action: 'orders:read', resource: order })).allowed;
 * await mayRead(createEvaluator(), 'alice', 'order:7'); // or client.authorization
 * ```
 */
export interface Decider {
  /** Decides if the user may do `action` on `resource`. A call that fails is never a decision. */
  evaluate(request: UserSubject & EvaluationItem): Decision | Promise<Decision>;
  /** Decides on many items at once. */
  evaluateMany(
    request: UserSubject & { readonly items: readonly EvaluationItem[] },
  ): ManyDecisions | Promise<ManyDecisions>;
}

/** A decider in this process that may know whether its state is current. */
export interface LocalDecider extends Decider {
  /** False while the state may be outdated; a decider without this field is always live. */
  readonly live?: boolean;
  /** Throws unless the decider is live, with the reason. */
  assertLive?(): void;
}

/** Returns a decider that does not notify its own hook, for code that reports its decisions itself. */
export const muted = <D extends object>(decider: D): D =>
  // The cast: a method of this name returns the same decider without its hook.
  hasMethod(decider, 'muted') ? (decider as D & { muted(): D }).muted() : decider;
