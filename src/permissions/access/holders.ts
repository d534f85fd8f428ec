import { type Grantee, type PatternPair, type WhoCanOptions, whoCan } from '../../analysis/index.js';
import { readOptions } from '../../analysis/read-input.js';
import { readWhoCanOptions } from '../../analysis/who-can.js';
import type { PermissionsState } from '../model/model.js';
import { answerRules } from './fidelity.js';
import { type AnswerBasis, fidelityOf, knownOf } from './known.js';

/** A user, or a role that gives access to each subject that names it. */
export type Holder = Pick<Grantee, 'user' | 'role'>;

/** Those who have access, and the bindings that they were found in. */
export interface AccessHolders extends AnswerBasis {
  readonly holders: readonly Grantee[];
  /** The number of those who have some of it, but not all; only for patterns, and unless `match` is `any`. */
  readonly partly: number;
  /** Those who have it by the other rules alone, and those who have not; undefined if these refuse the state. */
  readonly otherwise: { readonly more: readonly Holder[]; readonly fewer: readonly Holder[] } | undefined;
}

const keyOf = ({ user, role }: Holder): string => JSON.stringify([user ?? null, role ?? null]);

/** The holders of one list that another one lacks. */
function without(some: readonly Grantee[], others: readonly Grantee[]): Holder[] {
  const known = new Set(others.map(keyOf));
  return some.flatMap((one) =>
    known.has(keyOf(one)) ? [] : one.user === undefined ? { role: one.role } : { user: one.user },
  );
}

/**
 * Finds who may do something, by a state of files or of a deployment; action and resource may be patterns, as in
 * `whoCan`. The superuser, who may do everything, is not among them. The rules are those of `fidelity`, else those of
 * the deployment that the state was read from, else the documented ones.
 *
 * @throws AnalysisError (code `ANALYSIS`) for a pattern that cannot be parsed, and above `maxWork`; PolicyError (code
 *   `POLICY`) for a state that is not valid.
 *
 * @example
 * ```ts
 * import { findHolders, formatHolders, readState } from 'arango-services/permissions';
 *
 * const state = await readState(client, { users: ['alice', 'bob'] });
 * console.log(formatHolders(findHolders(state, { action: 'orders:read', resource: 'orders:*' })));
 * ```
 */
export function findHolders(
  state: PermissionsState,
  question: PatternPair,
  options: WhoCanOptions = {},
): AccessHolders {
  readOptions(options, readWhoCanOptions);
  const fidelity = fidelityOf(state, options.fidelity);
  const find = (changes: WhoCanOptions) => whoCan(state, question, { ...options, fidelity, ...changes });
  const holders = find({});
  const isPartial = options.match !== 'any' && `${question.action}${question.resource}`.includes('*');
  let otherwise: AccessHolders['otherwise'];
  try {
    const others = find({ fidelity: answerRules[fidelity].other });
    otherwise = { more: without(others, holders), fewer: without(holders, others) };
  } catch {
    // The documented rules refuse invalid items, which those of the deployed services skip.
  }
  const partly = isPartial ? find({ match: 'any' }).length - holders.length : 0;
  return { holders, partly, known: knownOf(state), fidelity, otherwise };
}
