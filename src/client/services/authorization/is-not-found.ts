import { isHttpError } from '../../../base/error-guards.js';
import type { HttpError } from '../../../base/errors.js';

const bindingPath = /\/permissions\/\w+\/[^/]+\/role\/[^/]+$/;

/**
 * Tells whether an error means that there is no such thing: status 404, or the answer of platforms before version
 * `next` to the DELETE of a missing binding, which is 500 with the gRPC code 13 and the text `not found`.
 * @example
 * ```ts
 * await client.authorization.bindings.remove({ user: 'alice', role: 'viewer' }).catch((error: unknown) => {
 *   if (!isNotFound(error)) throw error; // alice does not have the role, so nothing is left to do
 * });
 * ```
 */
export function isNotFound(error: unknown): error is HttpError {
  if (!isHttpError(error)) return false;
  const { status, grpcCode, reason, method, path = '' } = error;
  if (status !== 500) return status === 404;
  return grpcCode === 13 && reason === 'not found' && method === 'DELETE' && bindingPath.test(path);
}
