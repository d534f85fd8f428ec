import { isObject } from '../../base/lib/values.js';
import type { Fidelity } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';

/** The names of a fidelity in answers about access. */
export interface AnswerRules {
  /** The name of the fidelity, for people. */
  readonly label: string;
  /** The fidelity that the answer is compared with. */
  readonly other: Fidelity;
}

export const answerRules: Readonly<Record<Fidelity, AnswerRules>> = {
  documented: { label: 'the documented rules', other: 'sidecar' },
  sidecar: { label: 'the rules of the deployed services (sidecar)', other: 'documented' },
};

const isFidelity = (value: unknown): value is Fidelity =>
  typeof value === 'string' && Object.hasOwn(evaluationRules, value);

/**
 * The fidelity in the details of `GET /_api/version`: only a mock reports its own; everything else is a deployed
 * service.
 */
export function fidelityIn(details: unknown): Fidelity {
  const mockFidelity = isObject(details) ? details['arango-services-mock'] : undefined;
  return isFidelity(mockFidelity) ? mockFidelity : 'sidecar';
}
