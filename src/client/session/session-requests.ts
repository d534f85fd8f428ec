import { isArangoServicesError } from '../../base/arango-services-error.js';
import { isHttpError, isNetworkError, isTimeoutError } from '../../base/error-guards.js';
import { anyText, messageOf } from '../../base/lib/readers.js';
import type { AuthorizedSender } from '../connection/credentials-contract.js';
import { tokenTimeoutMs } from '../credentials/renewal-times.js';
import { type TokenRequest, tokenBody } from '../services/authentication/authentication-messages.js';
import { authentication, logOut } from '../services/authentication/calls.js';

// A session reads the claims of the token itself.
const readAnswer = messageOf({ token: anyText });

/** Requests a new token, authorized by the current one. */
export async function requestToken(
  connection: AuthorizedSender,
  header: string,
  request: TokenRequest & { readonly user: string },
): Promise<string> {
  const service = authentication(connection.withCredentials({ authorize: () => header }));
  const body = tokenBody(request);
  const options = { timeout: tokenTimeoutMs, retry: 0 };
  const parts = { body, confidential: [] };
  return (await service.ask('POST', 'createToken', readAnswer, options, () => parts)).token;
}

/** Ends a session at the service; false if that fails. The connection sends no token. */
export const endSession = (connection: AuthorizedSender, header: string): Promise<boolean> =>
  logOut(authentication(connection, true), header, { timeout: tokenTimeoutMs }).then(
    () => true,
    () => false,
  );

/** True if a later attempt would be refused, too, like behind a gateway. */
export const isLasting = (error: unknown): boolean =>
  isArangoServicesError(error) &&
  !isNetworkError(error) &&
  !isTimeoutError(error) &&
  !(isHttpError(error) && (error.status === 429 || (error.status >= 500 && error.status !== 501)));
