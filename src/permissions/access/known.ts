import { counted } from '../../lib/counted.js';
import type { Fidelity } from '../../policy/index.js';
import type { PermissionsState } from '../model/model.js';
import { answerRules } from './fidelity.js';

/**
 * The bindings behind an answer: of all users of a deployment, of the users named, or those of files, which say nothing
 * of what a deployment has besides.
 */
export type KnownBindings = 'all' | 'files' | readonly string[];

/** The state and the rules behind an answer. */
export interface AnswerBasis {
  readonly known: KnownBindings;
  /** The rules that were applied. */
  readonly fidelity: Fidelity;
}

/** The rules for a state: those given, else those of the deployment that it was read from, else `documented`. */
export const fidelityOf = (state: PermissionsState, given: Fidelity | undefined): Fidelity =>
  given ?? state.fidelity ?? 'documented';

export const knownOf = (state: PermissionsState): KnownBindings => ('files' in state ? 'files' : state.users);

/**
 * The lines below an answer: its bindings, its rules, and where the other rules would answer differently.
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
