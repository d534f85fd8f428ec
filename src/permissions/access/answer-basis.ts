import { counted } from '../../base/lib/counted.js';
import type { Fidelity } from '../../policy/index.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { answerRules } from './answer-rules.js';

/**
 * The bindings that an answer is based on: of all users of a deployment, of these users only, or those in files. Files
 * do not tell which other bindings a deployment has.
 */
export type KnownBindings = 'all' | 'files' | readonly string[];

/** The state and the fidelity that an answer is based on. */
export interface AnswerBasis {
  readonly known: KnownBindings;
  readonly fidelity: Fidelity;
  /** The groups of a deployment whose bindings are known; undefined if none was named. */
  readonly groups?: PermissionsState['groups'];
}

/**
 * The fidelity of an answer: the given one, else that of the deployment that the state was read from, else
 * `documented`.
 */
export const fidelityOf = (state: PermissionsState, fidelity: Fidelity | undefined): Fidelity =>
  fidelity ?? state.fidelity ?? 'documented';

/** The basis of an answer in this fidelity. */
export const basisOf = (state: PermissionsState, fidelity: Fidelity): AnswerBasis => {
  const { groups } = state;
  const known = 'files' in state ? 'files' : state.users;
  return { known, fidelity, ...(known !== 'files' && groups && { groups }) };
};

/**
 * Formats the notes below an answer: the known bindings, the fidelity, and where the other fidelity would answer
 * differently.
 * @param users true to name the users whose bindings are known.
 */
export function noteOf(
  { known, fidelity, groups }: AnswerBasis,
  differences: readonly string[],
  users: boolean,
): string[] {
  const { label, other } = answerRules[fidelity];
  const rules = `By ${label}`;
  const named = users && typeof known === 'object';
  const more = typeof groups === 'object' ? ` and of ${counted(groups.length, 'named group')}` : '';
  return [
    '',
    known === 'files'
      ? `${rules} and the files alone: a deployment may have more policies, roles and bindings.`
      : named
        ? `${rules} and the bindings of ${counted(known.length, 'named user')}${more}; those of others are not known.`
        : `${rules}.`,
    ...(groups === 'none' ? ['The deployment does not bind roles to groups.'] : []),
    ...differences.map((line) => `By ${answerRules[other].label} ${line} (--fidelity ${other}).`),
  ];
}
