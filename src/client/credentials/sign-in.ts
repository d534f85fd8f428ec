import { isArangoServicesError } from '../../base/arango-services-error.js';
import { isCredentialsError } from '../../base/error-guards.js';
import type { HttpError, RedirectError } from '../../base/errors.js';
import { noBearerToken, noSession } from '../../base/lib/sign-in-marks.js';

// Services have paths below these, and may have a login of their own.
const loginPath = /^(?!.*\/_(db|service)\/).*\/((_integration\/authn\/v1\/|_)login|_open\/auth)$/;

/** The fields that tell refusals apart. */
type ErrorFields = Partial<Pick<HttpError, 'tokenRefused' | 'path'> & Omit<RedirectError, 'code'>> & {
  readonly code?: string;
  readonly problem?: string;
};

/** The fields of an error of this package; of the cause, if no token could be obtained. */
const fieldsOf = (error: unknown): ErrorFields =>
  isCredentialsError(error) ? Object(error.cause) : isArangoServicesError(error) ? error : {};

/**
 * Tells whether a login was refused (401 of the login call, directly or as the cause): the user name or the password is
 * wrong. Such an error is never {@link isSignInRequired}.
 * @example
 * ```ts
 * const login = client.authentication.login({ username: 'alice', password: 'secret' });
 * await login.catch((error: unknown) => {
 *   if (isWrongPassword(error)) console.log('wrong name or password');
 *   else throw error;
 * });
 * ```
 */
export function isWrongPassword(error: unknown): boolean {
  const { status, path = '' } = fieldsOf(error);
  return status === 401 && loginPath.test(path);
}

/**
 * Tells whether the user has to sign in again: a 401 of a call or of the request for its token, a token of this client
 * that was refused in a question about `self`, a session that has ended, `self` without a token, or the redirect of
 * single sign-on. False for a wrong password ({@link isWrongPassword}), for 403 and for outages.
 * @example
 * ```ts
 * await orders.get().catch((error: unknown) => {
 *   if (isSignInRequired(error)) console.log('please sign in again');
 *   else throw error;
 * });
 * ```
 */
export function isSignInRequired(error: unknown): boolean {
  const { status, tokenRefused, code, problem, location, origin } = fieldsOf(error);
  return (
    (status === 401 && !isWrongPassword(error)) ||
    tokenRefused === true ||
    code === noSession ||
    problem === noBearerToken ||
    // The gateway redirects to the provider with 307. A browser hides redirects, with a status of 0.
    status === 0 ||
    (status === 307 && location?.startsWith(`${origin}/`) === false)
  );
}
