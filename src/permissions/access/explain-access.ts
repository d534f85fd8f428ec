import { anyText, asGiven, listOf, optional, type ReadersOf, strictObject } from '../../base/lib/readers.js';
import {
  createEvaluator,
  type Effect,
  type Explanation,
  explain,
  type Fidelity,
  formatExplanation,
} from '../../policy/index.js';
import { ownersIn, unknownOwnersOf } from '../model/known-owners.js';
import { PermissionsError } from '../model/permissions-error.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { type AnswerOptions, readAnswerOptions, readInput } from '../model/read-argument.js';
import { type AnswerBasis, basisOf, fidelityOf, noteOf } from './answer-basis.js';
import { answerRules } from './answer-rules.js';

/** A decision with its reasons and the bindings that it is based on. */
export interface ExplainedAccess extends AnswerBasis {
  readonly explanation: Explanation;
  /** The decision in the other fidelity; `Invalid` if that fidelity rejects the state. */
  readonly otherwise: Effect | 'Invalid';
}

/** A question about a user. */
export interface AccessQuestion {
  readonly user: string;
  /** The groups of the user: names in the question's `roles`. Default: none. */
  readonly groups?: readonly string[] | undefined;
  readonly action: string;
  readonly resource: string;
}

/** Refuses other fields; the evaluator reads the values. */
const readQuestion = strictObject({
  user: asGiven,
  groups: optional(listOf(anyText)),
  action: asGiven,
  resource: asGiven,
} satisfies ReadersOf<AccessQuestion>);

/** @throws PermissionsError for a user or a group whose bindings the state does not know. */
export function checkUser(state: PermissionsState, user: string, groups?: readonly string[]): void {
  const problem = unknownOwnersOf(state)(ownersIn(user, groups));
  if (problem !== undefined) throw new PermissionsError(`The ${problem}`);
}

/**
 * Explains if and why a user may do something, by a state of files or of a deployment. Decides in the given
 * `fidelity`, else in that of the deployment that the state was read from, else in `documented`.
 *
 * @throws PermissionsError (code `PERMISSIONS`) for a user or group whose bindings the state does not know; PolicyError
 *   (code `POLICY`) for a state that is not valid.
 *
 * @example
 * ```ts
 * import { explainAccess, formatExplainedAccess, readState } from 'arango-services/permissions';
 *
 * const state = await readState(client, { users: ['alice'] });
 * const explained = explainAccess(state, { user: 'alice', action: 'orders:read', resource: 'orders:7' });
 * console.log(formatExplainedAccess(explained));
 * ```
 */
export function explainAccess(
  state: PermissionsState,
  question: AccessQuestion,
  options: AnswerOptions = {},
): ExplainedAccess {
  readInput(options, 'options', readAnswerOptions);
  const { user, groups, action, resource } = readInput(question, 'question', readQuestion) as AccessQuestion;
  checkUser(state, user, groups);
  const subject = groups ? { user, roles: groups } : { user };
  const fidelity = fidelityOf(state, options.fidelity);
  const decide = (rules: Fidelity) =>
    explain(createEvaluator(state, { fidelity: rules }), { ...subject, action, resource });
  const explanation = decide(fidelity);
  let otherwise: ExplainedAccess['otherwise'] = 'Invalid';
  try {
    otherwise = decide(answerRules[fidelity].other).decision.effect;
  } catch {
    // Documented fidelity rejects a state with invalid items; the deployed services skip the items.
  }
  return { explanation, ...basisOf(state, fidelity), otherwise };
}

/**
 * Formats an explanation as lines for people, or as JSON. The text may change between versions, so programs should read
 * the data.
 * @example
 * ```ts
 * import { explainAccess, formatExplainedAccess } from 'arango-services/permissions';
 *
 * const state = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
 * formatExplainedAccess(explainAccess(state, { user: 'alice', action: 'a:b', resource: '' }));
 * // Deny: user "alice", "a:b" on "": the user has no binding
 * //
 * // By the documented rules.
 * ```
 */
export function formatExplainedAccess(explained: ExplainedAccess, as: 'text' | 'json' = 'text'): string {
  if (as === 'json') return JSON.stringify(explained);
  const { explanation, otherwise } = explained;
  const other = otherwise === 'Invalid' ? 'the state is not valid' : `it is ${otherwise}`;
  // The bindings of this user are known, so a note about other users would not help.
  const notes = noteOf(explained, otherwise === explanation.decision.effect ? [] : [other], false);
  return [formatExplanation(explanation), ...notes].join('\n');
}
