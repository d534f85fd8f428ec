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
}

/**
 * The fidelity of an answer: the given one, else that of the deployment that the state was read from, else
 * `documented`.
 */
export const fidelityOf = (state: PermissionsState, given: Fidelity | undefined): Fidelity =>
  given ?? state.fidelity ?? 'documented';

export const knownOf = (state: PermissionsState): KnownBindings => ('files' in state ? 'files' : state.users);

/**
 * Formats the notes below an answer: the known bindings, the fidelity, and where the other fidelity would answer
 * differently.
 * @param users true to name the users whose bindings are known.
 */
export function noteOf({ known, fidelity }: AnswerBasis, differences: readonly string[], users: boolean): string[] {
  const { label, other } = answerRules[fidelity];
  const rules = `By ${label}`;
  const named = users && typeof known === 'object';
  return [
    '',
    known === 'files'
      ? `${rules} and the files alone: a deployment may have more policies, roles and bindings.`
      : named
        ? `${rules} and the bindings of ${counted(known.length, 'named user')}; those of others are not known.`
        : `${rules}.`,
    ...differences.map((line) => `By ${answerRules[other].label} ${line} (--fidelity ${other}).`),
  ];
}
