import type { Evaluator } from '../evaluate/evaluator.js';

/** The actions in policies, as written, patterns included: those of an Allow and those of a Deny. */
export function* actionsOf(evaluator: Evaluator): Generator<string> {
  for (const name of evaluator.policies()) {
    for (const { actions } of evaluator.policy(name)?.statements ?? []) yield* actions;
  }
}
