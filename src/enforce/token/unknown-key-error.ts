import { ArangoServicesError, isArangoServicesError } from '../../base/arango-services-error.js';

/**
 * No known key verifies a token that was issued after the keys were loaded, and the keys cannot be loaded again yet. It
 * may be signed with a new key, so it is neither valid nor invalid: verify it again later. Code `UNKNOWN_KEY`.
 */
export class UnknownKeyError extends ArangoServicesError<'UNKNOWN_KEY'> {
  /** The time until the keys may be loaded again, in milliseconds. */
  declare readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    const text = `no known key verifies the token; the keys can be loaded again in ${Math.ceil(retryAfterMs)} ms`;
    super('UnknownKeyError', 'UNKNOWN_KEY', text, {}, { retryAfterMs });
  }
}

/**
 * Tells whether an error is an {@link UnknownKeyError}: a token may be signed with a key that is not known yet.
 * @example
 * ```ts
 * import { createVerifier, isUnknownKeyError } from 'arango-services/guard';
 *
 * const verify = createVerifier({ client });
 * await verify(token).catch((error: unknown) => {
 *   if (isUnknownKeyError(error)) console.log(`try again in ${error.retryAfterMs} ms`);
 *   else throw error;
 * });
 * ```
 */
export const isUnknownKeyError = (error: unknown): error is UnknownKeyError =>
  isArangoServicesError(error) && error.code === 'UNKNOWN_KEY';
