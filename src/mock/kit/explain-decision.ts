import { anyText, expected, listOf, optional, readFields, readFlag, strictObject } from '../../base/lib/readers.js';
import { type EvaluatorQuestion, type Explanation, explain, formatExplanation } from '../../policy/index.js';
import type { Store } from '../state/store.js';

/** A decision of the mock's policies, with its reasons. */
export interface MockExplanation extends Explanation {
  /** The explanation as a few lines of text. */
  readonly text: string;
}

const readEvaluationRequest = strictObject({
  user: optional(anyText),
  roles: optional(listOf(anyText)),
  superuser: optional(readFlag),
  action: anyText,
  resource: anyText,
});

function check(request: EvaluatorQuestion): void {
  const { user, roles, superuser } = readFields(request, 'request', readEvaluationRequest);
  if (user === undefined && roles === undefined && superuser !== true) {
    throw expected('user', 'a user, roles or superuser: true', user);
  }
}

/** Explains a decision of a store's policies; throws InvalidArgumentError for an invalid request. */
export function explainDecision(store: Store, request: EvaluatorQuestion): MockExplanation {
  check(request);
  const explanation = explain(store.evaluator(), request);
  return { ...explanation, text: formatExplanation(explanation) };
}
