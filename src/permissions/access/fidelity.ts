import { isObject } from '../../lib/values.js';
import type { Fidelity } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';

/** The words for the rules by which an answer about access was computed. */
export interface AnswerRules {
  /** The rules, for people. */
  readonly label: string;
  /** The rules that the answer is compared with. */
  readonly other: Fidelity;
}

/** The words for each fidelity. */
export const answerRules: Readonly<Record<Fidelity, AnswerRules>> = {
  documented: { label: 'the documented rules', other: 'sidecar' },
  sidecar: { label: 'the rules of the deployed services (sidecar)', other: 'documented' },
};

const isFidelity = (value: unknown): value is Fidelity =>
  typeof value === 'string' && Object.hasOwn(evaluationRules, value);

/**
 * The fidelity that the details of `GET /_api/version` name: a mock tells its own, all others are deployed services.
 */
export function fidelityIn(details: unknown): Fidelity {
  const told = isObject(details) ? details['arango-services-mock'] : undefined;
  return isFidelity(told) ? told : 'sidecar';
}
