import type { PolicyState } from '../model/model.js';
import { readPolicyOptions } from '../model/validate.js';
import type { Evaluator } from './evaluator.js';
import { IndexedEvaluator } from './indexed-evaluator.js';
import { Loader } from './load.js';
import { type EvaluatorOptions, readEvaluatorOptions, readStateOptions } from './state-options.js';

/**
 * Creates an evaluator over a copy of `state`.
 *
 * To load a large state without blocking: start with an empty evaluator, set policies, roles and bindings in batches
 * with turns of the event loop in between, and switch to the new evaluator when it is complete. Each of these calls
 * takes a few microseconds, whatever the size of the state.
 *
 * @param options.fidelity the behaviour to reproduce; default that of the state, else `documented`.
 * @throws PolicyError (code `POLICY`) for invalid options and misspelt keys of the state, and in documented fidelity
 * for an invalid state, with every issue and its path.
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
export function createEvaluator(state: PolicyState = {}, options: EvaluatorOptions = {}): Evaluator {
  const stateOptions = readPolicyOptions(state, readStateOptions);
  const { fidelity = stateOptions.fidelity ?? 'documented' } = readPolicyOptions(options, readEvaluatorOptions);
  const evaluator = new IndexedEvaluator(new Loader(fidelity));
  evaluator.load(state);
  return evaluator;
}
