import { accepting, oneOf, optionsOf, type Reader, type ReadersOf, readOrRefuse } from '../../lib/readers.js';
import { isObject } from '../../lib/values.js';
import type { Fidelity } from '../../policy/index.js';
import { PermissionsError } from './error.js';

/**
 * Reads an argument. Its fields go by their bare names; `name` is that of the whole.
 * @throws PermissionsError for the first issue.
 */
export const readInput = <T>(value: unknown, name: string, reader: Reader<T>): T =>
  readOrRefuse(value, reader, '', (at, problem) => {
    throw new PermissionsError(`${at || name}: ${problem}`);
  });

/** Options of an answer about access. */
export interface AnswerOptions {
  /** Default: the rules of the deployment that the state was read from, or else the documented ones. */
  readonly fidelity?: Fidelity | undefined;
}

export const readAnswerOptions = optionsOf({
  fidelity: oneOf<Fidelity>('documented', 'sidecar'),
} satisfies ReadersOf<AnswerOptions>);

/** Accepts a client. */
export const readClient = accepting<object>('a client', (value) => isObject(Object(value).authorization));
