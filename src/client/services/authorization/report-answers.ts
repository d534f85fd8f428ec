import { readIdentity } from '../../../base/jwt/token-text.js';
import type { DecisionSubject } from '../../../policy/decision-line/line.js';
import { notify, type OnDecision } from '../../../policy/decision-line/on-decision.js';
import type { Decision, EvaluationItem, ManyDecisions } from '../../../policy/model/model.js';
import type { WireSubject } from './authorization-messages.js';

/** The subject of a question. The service has verified the token. */
function subjectOf({ user, roles, token }: Partial<WireSubject>): DecisionSubject {
  if (token === undefined) return { user, groups: roles };
  const { user: owner, groups = [] } = readIdentity(token) ?? {};
  return owner === undefined && groups.length === 0 ? {} : { user: owner, groups };
}

/** The answer of `central-permissive` to a question that was denied, or could not be evaluated. */
const permitted = 'Access granted due to the Permissive mode';

/** The effect, the reason and the enforcement, as far as the message of an answer tells them. */
function judge({ effect, message }: Decision) {
  if (message === permitted) return { effect: 'Deny', enforced: false } as const;
  if (message === 'Superuser Allowed') return { effect, reason: 'superuser' } as const;
  if (!/^access granted$/i.test(message)) return { effect };
  return { effect, reason: 'allowed', ...(message.endsWith('granted') && { enforced: false }) } as const;
}

/** The source of an answer, and the time that it took. */
interface AnsweredBy {
  readonly source: 'service' | 'replica';
  /** In microseconds. */
  readonly durationUs: number;
}

/** Reports the decisions of an answer to `question` to a hook: an item, or an object with a list of `items`. */
export function reportAnswers(
  hook: OnDecision,
  [subject, question]: readonly [subject: Partial<WireSubject>, question: object],
  answer: Decision | ManyDecisions,
  by: AnsweredBy,
): void {
  const about = subjectOf(subject);
  // The casts: the readers of questions fix both forms, and contexts.
  const items = 'items' in question ? (question.items as readonly EvaluationItem[]) : [question as EvaluationItem];
  const answers = 'items' in answer ? answer.items : [answer];
  for (const [index, { action, resource, context }] of items.entries()) {
    const decision = answers[index];
    if (decision === undefined) continue;
    notify(hook, {
      subject: about,
      action,
      resource,
      ...judge(decision),
      ...by,
      ...(context && { context: context as Readonly<Record<string, unknown>> }),
    });
  }
}
