import type { Evaluator } from '../policy/evaluator.js';

/** The actions that policies name, as they are written: patterns, too. A Deny names actions that exist as well. */
export function* actionsOf(evaluator: Evaluator): Generator<string> {
  for (const name of evaluator.policies()) {
    for (const { actions } of evaluator.policy(name)?.statements ?? []) yield* actions;
  }
}
