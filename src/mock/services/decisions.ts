import type { Identity } from '../../base/jwt/claims.js';
import type { Decision } from '../../policy/index.js';
import { type AuthorizationType, decideAs } from '../../policy/model/authorization-type.js';
import { isSuperuser, subjectOf } from '../../policy/model/subject.js';
import type { Platform } from '../platform.js';
import { ServiceFailure } from '../wire/http.js';
import { callWatchers, type DecidedEvent, type PermissionQuestion, type RequestSubject } from '../wire/mock-events.js';
import type { Exchange } from '../wire/mock-exchange.js';

/** The owner of a token as a subject: the token's groups are the roles. */
export function ownerOf({ user, groups }: Pick<Identity, 'user' | 'groups'>): RequestSubject {
  return { user, roles: groups };
}

/** The subject for the evaluator: without a user, the superuser or a subject known by its roles only. */
function policySubject({ fidelity }: Platform, { subject: { user, roles }, api }: PermissionQuestion) {
  const identity = { user, groups: roles };
  return subjectOf(identity, isSuperuser(identity, api === 'management' || fidelity.rolesMakeSubject));
}

/** Evaluates the policies; throws ServiceFailure if the evaluation itself fails. */
function evaluateQuestion(platform: Platform, question: PermissionQuestion): Decision {
  const { store, faults, fidelity } = platform;
  if (faults.takeEvaluation()) throw new ServiceFailure(13, 'evaluation failed');
  const { action, resource, api } = question;
  const evaluator = api === 'management' ? store.evaluator() : store.seen();
  const subject = policySubject(platform, question);
  const { user, roles } = subject;
  if (api === 'management' && !fidelity.refusesOddPatterns) {
    const broken = evaluator.faults(user, roles).find(({ segment }) => segment !== undefined);
    if (broken !== undefined) throw new ServiceFailure(13, `invalid policy statement: ${broken.segment}`);
  }
  return evaluator.evaluate({ ...subject, action, resource });
}

/** Records a decision for the request log. */
function noted(exchange: Exchange, { action, resource }: PermissionQuestion, answer: Decision): Decision {
  const { effect } = answer;
  exchange.decision = effect;
  exchange.decisions.push({ action, resource, effect });
  return answer;
}

/** Decides by the policies alone; throws ServiceFailure if the evaluation itself fails. */
export function decideByPolicies(exchange: Exchange, platform: Platform, question: PermissionQuestion): Decision {
  return noted(exchange, question, decideFor(exchange, platform, question, 'central'));
}

/** Decides as the authorization type says; throws ServiceFailure if the evaluation itself fails. */
export function decide(exchange: Exchange, platform: Platform, question: PermissionQuestion): Decision {
  return noted(exchange, question, decideFor(exchange, platform, question, platform.settings.authorization.type));
}

/** Decides, and tells the watchers. */
function decideFor(
  exchange: Exchange,
  platform: Platform,
  question: PermissionQuestion,
  type: AuthorizationType,
): Decision {
  const event: { -readonly [Name in keyof DecidedEvent]: DecidedEvent[Name] } = { kind: 'decided', question, type };
  const ask = (): Decision => {
    try {
      event.evaluated = evaluateQuestion(platform, question);
      return event.evaluated;
    } catch (error) {
      event.failure = error;
      throw error;
    }
  };
  try {
    event.answer = decideAs(type, platform.fidelity, ask);
    return event.answer;
  } finally {
    callWatchers(platform, exchange, event);
  }
}
