import type { Decision, Evaluator, EvaluatorBatch, EvaluatorQuestion, ManyDecisions } from '../../policy/index.js';
import { type AuthorizationRules, type AuthorizationType, decideAs } from '../../policy/model/authorization-type.js';
import { sumUp } from '../../policy/model/shared-decision.js';
import { checkItem, checkItems, checkSubject, isPlain } from './replica-request.js';

/** The rules by which a replica decides. */
export type DecisionRules = { readonly type: AuthorizationType; readonly rules: AuthorizationRules };

/** Decides on one item; throws InvalidArgumentError for an invalid question. */
export function decideOne(evaluator: Evaluator, { type, rules }: DecisionRules, request: EvaluatorQuestion): Decision {
  if (!isPlain(request ?? {})) {
    checkSubject(request, rules);
    checkItem(request);
  }
  return type === 'central' ? evaluator.evaluate(request) : decideAs(type, rules, () => evaluator.evaluate(request));
}

/** Decides on many items; throws InvalidArgumentError for an invalid question. */
export function decideMany(
  evaluator: Evaluator,
  { type, rules }: DecisionRules,
  request: EvaluatorBatch,
): ManyDecisions {
  checkSubject(request, rules);
  checkItems(request);
  if (type === 'central') return evaluator.evaluateMany(request);
  const { items, ...subject } = request;
  return sumUp(
    items.map((item) =>
      // The cast: apart from its items, the request is a subject.
      decideAs(type, rules, () => evaluator.evaluate({ ...subject, ...item } as EvaluatorQuestion)),
    ),
  );
}
