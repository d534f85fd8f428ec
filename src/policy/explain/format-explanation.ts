import { printable } from '../../base/lib/text/printable.js';
import { describeScope } from '../model/scope-forms.js';
import {
  type Consideration,
  type Explanation,
  type MatchedStatement,
  type Outcome,
  readCheckedRequest,
} from './explain.js';

export const outcomeWords: Readonly<Record<Outcome, string>> = {
  allowed: 'allows',
  denied: 'an explicit Deny',
  'scope-denied': 'an explicit Deny in the scope',
  'not-allowed': 'nothing in its policies allows this',
  'outside-scope': 'outside the scope',
  'missing-role': 'the role does not exist',
  'no-scope': 'the binding has no scope',
  hidden: 'a role of the user has the name of this binding, and hides it',
  'other-scope': 'allows, but not in the scope of another binding to this role',
};

export const reasonWords: Readonly<Record<Explanation['reason'], string>> = {
  superuser: 'the superuser may do everything',
  allowed: 'granted',
  'explicit-deny': 'nothing allows it, and an explicit Deny matched',
  'nothing-allows': 'nothing allows it',
  'no-binding': 'the user has no binding',
  'no-subject': 'the request names neither a user nor roles',
  'empty-user': 'the user is empty',
  'empty-action': 'the action is empty',
};

function describeStatement({ policy, index, statement }: MatchedStatement): string {
  const where = policy === undefined ? 'scope' : `policy ${JSON.stringify(policy)}`;
  const { effect, actions, resources } = statement;
  return `${where} statement ${index + 1}: ${effect} ${actions.join(', ')} on ${resources.join(', ')}`;
}

function describeConsideration({
  via,
  group,
  role,
  scope,
  outcome,
  statement,
  scopeStatement,
  skipped,
}: Consideration): string {
  const words = describeScope(scope);
  const facts = [statement, words ? undefined : scopeStatement].flatMap((matched) =>
    matched === undefined ? [] : describeStatement(matched),
  );
  const ignored = skipped.map(({ policy, why }) => `policy ${JSON.stringify(policy)} is ${why}`);
  const by = { binding: 'bound to role', group: `group ${JSON.stringify(group)}, bound to role`, request: 'role' }[via];
  const head = `- ${by} ${JSON.stringify(role)}${words ? ` (${words})` : ''}: ${outcomeWords[outcome]}`;
  return [head, ...facts, ...ignored].map(printable).join('\n    ');
}

/**
 * Formats an explanation as a few lines for people. The text may change between versions, so programs should read the
 * data.
 * @example
 * ```ts
 * import { createEvaluator, explain, formatExplanation } from 'arango-services/policy';
 *
 * const explanation = explain(createEvaluator(), { user: 'alice', action: 'orders:read', resource: 'order:7' });
 * console.log(formatExplanation(explanation));
 * // Deny: user "alice", "orders:read" on "order:7": the user has no binding
 * ```
 */
export function formatExplanation({ request, decision, reason, considered }: Explanation): string {
  const { user, action, resource } = readCheckedRequest(request);
  const who = user === undefined ? '' : `user ${JSON.stringify(user)}, `;
  const pair = `${JSON.stringify(action)} on ${JSON.stringify(resource)}`;
  const head = `${decision.effect}: ${who}${pair}: ${reasonWords[reason]}`;
  return [printable(head), ...considered.map(describeConsideration)].join('\n');
}
