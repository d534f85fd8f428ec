import type { Grantee, PatternPair } from '../../policy/analysis/analysis-types.js';
import { whoCan } from '../../policy/analysis/index.js';
import { readOptions } from '../../policy/analysis/read-input.js';
import { readWhoCanOptions, type WhoCanOptions } from '../../policy/analysis/who-can.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { type AnswerBasis, basisOf, fidelityOf } from './answer-basis.js';
import { answerRules } from './answer-rules.js';
import { type ScopedReason, scopesOf } from './scoped-reasons.js';

/** A user, or a group or role that gives access to each subject that names it. */
export type Holder = Pick<Grantee, 'user' | 'group' | 'role'>;

/** A holder, with the scopes of the bindings that are its reasons. */
export type ScopedGrantee = Grantee & { readonly because: readonly ScopedReason[] };

/** The users, groups and roles that have access, and the bindings that the answer is based on. */
export interface WhoCanAnswer extends AnswerBasis {
  /** Reasons have the scope of their binding, if it has the form that `scopeOf` gives. */
  readonly holders: readonly ScopedGrantee[];
  /** True if the holders may create a token that has the access. Undefined if that was not asked. */
  readonly byMinting?: true;
  /** For patterns with `match: 'all'`: the number of holders that have only a part of the access. */
  readonly partly: number;
  /**
   * The holders that only the other fidelity finds (`more`), and those that only this one finds (`fewer`); undefined if
   * the other one rejects the state.
   */
  readonly otherwise: { readonly more: readonly Holder[]; readonly fewer: readonly Holder[] } | undefined;
}

const keyOf = ({ user, group, role }: Holder): string => JSON.stringify([user ?? null, group ?? null, role ?? null]);

/** The holders in `some` that `others` lacks. */
function without(some: readonly Grantee[], others: readonly Grantee[]): Holder[] {
  const keys = new Set(others.map(keyOf));
  return some.filter((holder) => !keys.has(keyOf(holder))).map(({ because: _, ...holder }) => holder);
}

/**
 * Finds the users, groups and roles that may do something, by a state of files or of a deployment; action and resource
 * may be patterns, as in `whoCan`. The superuser, who may do everything, is not listed. Decides in the given
 * `fidelity`, else in that of the deployment that the state was read from, else in `documented`.
 *
 * @throws AnalysisError (code `ANALYSIS`) for a pattern that cannot be parsed, and above `maxWork`; PolicyError (code
 *   `POLICY`) for a state that is not valid.
 *
 * @example
 * ```ts
 * import { answerWhoCan, formatWhoCan, readState } from 'arango-services/permissions';
 *
 * const state = await readState(client, { users: ['alice', 'bob'] });
 * console.log(formatWhoCan(answerWhoCan(state, { action: 'orders:read', resource: 'orders:*' })));
 * ```
 */
export function answerWhoCan(
  state: PermissionsState,
  question: PatternPair,
  options: WhoCanOptions = {},
): WhoCanAnswer {
  readOptions(options, readWhoCanOptions);
  const fidelity = fidelityOf(state, options.fidelity);
  const find = (changes: WhoCanOptions) => whoCan(state, question, { ...options, fidelity, ...changes });
  const addScopes = scopesOf(state);
  const holders = find({}).map(
    (grantee): ScopedGrantee => ({
      ...grantee,
      because: addScopes(grantee.because, grantee.user, grantee.group === undefined ? [] : [grantee.group]),
    }),
  );
  const isPartial = options.match !== 'any' && `${question.action}${question.resource}`.includes('*');
  let otherwise: WhoCanAnswer['otherwise'];
  try {
    const others = find({ fidelity: answerRules[fidelity].other });
    otherwise = { more: without(others, holders), fewer: without(holders, others) };
  } catch {
    // Documented fidelity rejects a state with invalid items; the deployed services skip the items.
  }
  const partly = isPartial ? find({ match: 'any' }).length - holders.length : 0;
  return { holders, ...(options.byMinting && { byMinting: true }), partly, ...basisOf(state, fidelity), otherwise };
}
