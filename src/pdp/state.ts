import type { Evaluator } from '../policy/evaluator.js';

/** The actions of all policies that allow something, as they are written: patterns, too. */
export function* actionsOf(evaluator: Evaluator): Generator<string> {
  for (const name of evaluator.policies()) {
    for (const { effect, actions } of evaluator.policy(name)?.statements ?? []) if (effect === 'Allow') yield* actions;
  }
}
