import { expected } from '../../lib/readers.js';
import { type EvaluationRequest, type Explanation, explain, formatExplanation } from '../../policy/index.js';
import type { Store } from '../state/store.js';
import { refuseUnknown } from './filter.js';

/** A decision of the mock's policies with what made it. */
export interface MockExplanation extends Explanation {
  /** The same in a few lines for people. */
  readonly text: string;
}

const fields = ['user', 'roles', 'superuser', 'action', 'resource'];

function check(request: EvaluationRequest): void {
  refuseUnknown(request, fields, 'request');
  const { user, roles, superuser, action, resource } = request;
  for (const [name, value] of Object.entries({ action, resource })) {
    if (typeof value !== 'string') throw expected(name, 'text', value);
  }
  if (user !== undefined && typeof user !== 'string') throw expected('user', 'text', user);
  if (roles !== undefined && !(Array.isArray(roles) && roles.every((role) => typeof role === 'string'))) {
    throw expected('roles', 'a list of names', roles);
  }
  if (user === undefined && roles === undefined && superuser !== true) {
    throw expected('user', 'a user, roles or superuser: true', user);
  }
}

/**
 * Why the policies of a store decide as they do.
 * @throws InvalidArgumentError for what is no question.
 */
export function explainDecision(store: Store, request: EvaluationRequest): MockExplanation {
  check(request);
  const explanation = explain(store.evaluator(), request);
  return { ...explanation, text: formatExplanation(explanation) };
}
