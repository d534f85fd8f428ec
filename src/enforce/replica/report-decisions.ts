import { copyOf } from '../../base/lib/copy-of.js';
import { notify, type OnDecision } from '../../policy/decision-line/on-decision.js';
import type { Decision, EvaluationItem, Evaluator, EvaluatorBatch } from '../../policy/index.js';
import type { DecisionRules } from './decide.js';
import type { PoolIndexes } from './policy-copy.js';

/** The state that decided, and the time that it took. */
interface DecidedBy {
  readonly evaluator: Evaluator;
  readonly rules: DecisionRules;
  readonly indexes: PoolIndexes;
  readonly durationUs: number;
}

/** Reports decisions of a replica on the items of one subject to a hook. */
export function reportDecisions(
  hook: OnDecision,
  request: Omit<EvaluatorBatch, 'items'>,
  decided: readonly (readonly [EvaluationItem, Decision | undefined])[],
  { evaluator, rules: { type, rules }, indexes, durationUs }: DecidedBy,
): void {
  const { user, roles, superuser } = request;
  const { policies, roles: ofRoles, bindings } = indexes;
  const revision = { policies, roles: ofRoles, bindings };
  const subject = superuser ? {} : { user, ...(roles && { groups: [...roles] }) };
  const isPermissive = type === 'central-permissive';
  // The cast: an item without its request's list of items is a question.
  const { items: _, ...question } = request as EvaluatorBatch;
  for (const [{ action, resource, context }, answer] of decided) {
    // A permissive answer hides what was evaluated. Evaluating again takes it from the cache.
    const made = isPermissive ? evaluator.evaluate({ ...question, action, resource }) : answer;
    if (made === undefined) continue;
    const { effect, allowed, message } = made;
    // A log formats it later, when the caller may have changed it.
    const copy = context && copyOf(context);
    const isEvaluated = isPermissive || type === 'central';
    notify(hook, {
      subject,
      action,
      resource,
      effect,
      ...(allowed && isEvaluated ? { reason: message === 'Superuser Allowed' ? 'superuser' : 'allowed' } : {}),
      enforced: !isPermissive || rules.permissiveDenies,
      source: 'replica',
      revision,
      durationUs,
      ...(copy && { context: copy }),
    });
  }
}
