import { accepting, oneOf, optionsOf, type Reader, type ReadersOf, readOrRefuse } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import type { Fidelity } from '../../policy/index.js';
import { PermissionsError } from './permissions-error.js';

/**
 * Reads an argument. Errors name its fields without a prefix, and the argument itself `name`.
 * @throws PermissionsError for the first issue.
 */
export const readInput = <T>(value: unknown, name: string, reader: Reader<T>): T =>
  readOrRefuse(value, reader, '', (at, problem) => {
    throw new PermissionsError(`${at || name}: ${problem}`);
  });

/** Options that answers about access have in common. */
export interface AnswerOptions {
  /** The fidelity. Default: that of the deployment that the state was read from, else `documented`. */
  readonly fidelity?: Fidelity | undefined;
}

export const readAnswerOptions = optionsOf({
  fidelity: oneOf<Fidelity>('documented', 'sidecar'),
} satisfies ReadersOf<AnswerOptions>);

export const readClient = accepting<object>('a client', (value) => isObject(Object(value).authorization));
