import { notify, type OnDecision, startClock } from '../../policy/decision-line/on-decision.js';
import { readDecision, readDecisions } from '../../policy/evaluate/decider-answers.js';
import type { Decider, UserSubject } from '../../policy/model/decider.js';
import type { EvaluationItem } from '../../policy/model/model.js';

/** Returns a decider that reports each decision of another one to a hook. */
export function reportingDecider(decider: Decider, hook: OnDecision): Decider {
  const note = ({ user, roles }: UserSubject, item: EvaluationItem, allowed: boolean, durationUs: number): void => {
    const { action, resource, context } = item;
    const effect = allowed ? 'Allow' : 'Deny';
    const subject = { user, ...(roles && { groups: [...roles] }) };
    notify(hook, { subject, action, resource, effect, source: 'pdp', durationUs, context });
  };
  return {
    async evaluate(question) {
      const elapsed = startClock();
      const decision = await decider.evaluate(question);
      note(question, question, readDecision(decision), elapsed());
      return decision;
    },
    async evaluateMany(question) {
      const elapsed = startClock();
      const decisions = await decider.evaluateMany(question);
      const allowed = readDecisions(decisions, question.items.length);
      const durationUs = elapsed();
      for (const [index, item] of question.items.entries()) note(question, item, allowed[index] === true, durationUs);
      return decisions;
    },
  };
}
