import { oneOf, optionsOf, type Reader, type ReadersOf } from '../../base/lib/readers.js';
import { ownField } from '../../base/lib/values.js';
import type { Fidelity } from '../model/model.js';
import { refuseMisspelt } from '../model/validate.js';

/** Options of `createEvaluator`. */
export interface EvaluatorOptions {
  /** The behaviour to reproduce; default that of the state, else `documented`. */
  readonly fidelity?: Fidelity | undefined;
}

export const readEvaluatorOptions = optionsOf({
  fidelity: oneOf<Fidelity>('documented', 'sidecar'),
} satisfies ReadersOf<EvaluatorOptions>);

/** The keys of a state, and similar keys of files and of a mock's configuration, which hold a state. */
const stateKeys = [
  'policies',
  'roles',
  'bindings',
  'groupBindings',
  'fidelity',
  'files',
  'findings',
  'resources',
  'routes',
];

/** Reads the fidelity of a state. Refuses misspelt keys, which would count as an empty part. */
export const readStateOptions: Reader<EvaluatorOptions> = (state, reading) => {
  refuseMisspelt(state, stateKeys, reading);
  return readEvaluatorOptions({ fidelity: ownField(state, 'fidelity') }, reading);
};
