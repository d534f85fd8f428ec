import type { Evaluator } from './evaluator.js';
import { IndexedEvaluator } from './indexed-evaluator.js';
import { Loader } from './load.js';
import type { Fidelity, PolicyState } from './model.js';

/**
 * An evaluator over a copy of `state`; later changes of the objects that were passed in do not reach it.
 *
 * A large state need not stop the program: start with an empty evaluator, set policies, roles and bindings in batches,
 * let the event loop turn in between, and use the new evaluator in place of the old one when it is complete. Each of
 * these calls takes a few microseconds, however much there is already.
 *
 * @param options.fidelity Whose behaviour to show; default `documented`.
 * @throws PolicyError (code `POLICY`) in documented fidelity, with every fault and its path, when the state does not
 *   validate; in each fidelity for a fidelity that there is not.
 *
 * @example
 * ```ts
 * import { createEvaluator } from 'arango-services/policy';
 *
 * const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
 * const evaluator = createEvaluator({
 *   policies: { reader: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
 *   roles: { viewer: { policies: ['reader'] } },
 *   bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
 * });
 * evaluator.evaluate({ user: 'alice', action: 'orders:read', resource: 'order:7' }).allowed; // true
 * evaluator.deleteBinding('alice', 'viewer');
 * evaluator.evaluate({ user: 'alice', action: 'orders:read', resource: 'order:7' }).allowed; // false
 * ```
 */
export function createEvaluator(state: PolicyState = {}, options: { readonly fidelity?: Fidelity } = {}): Evaluator {
  const evaluator = new IndexedEvaluator(new Loader(options.fidelity ?? 'documented'));
  evaluator.load(state);
  return evaluator;
}
