import {
  isHttpError,
  isNetworkError,
  isSchemaError,
  isSignInRequired,
  isTimeoutError,
  isWrongPassword,
} from 'arango-services';

/** The text of a toast for an error of a call. */
export function messageFor(error: unknown): string {
  if (isWrongPassword(error)) return 'Wrong name or password.';
  if (isSignInRequired(error)) return 'Please sign in again.';
  if (isHttpError(error) && error.status === 403) return 'You may not do that.';
  if (isNetworkError(error)) return 'No connection. Please try again.';
  if (isTimeoutError(error)) return 'That took too long. Please look whether it was done.';
  if (isHttpError(error) && error.status >= 500) {
    return `The service is not available. Please try again. ${error.requestId ?? ''}`.trim();
  }
  if (isSchemaError(error)) return 'The service answered something unexpected.';
  return 'That did not work.';
}
