import { isArangoServicesError, isHttpError, isNetworkError, isTimeoutError } from '../../base/errors.js';
import type { AuthorizedSender } from '../connection/credentials-contract.js';
import { tokenTimeoutMs } from '../credentials/renewal-times.js';
import { AuthenticationClient } from '../services/authentication/client.js';
import type { TokenRequest } from '../services/authentication/messages.js';

/** A client of the authentication service that sends the header of a session. */
function clientWith(connection: AuthorizedSender, header: string): AuthenticationClient {
  const give = () => header;
  return new AuthenticationClient(connection.withCredentials({ authorize: give, currentToken: give }));
}

/** Requests a new token, authorized by the current one. */
export async function requestToken(
  connection: AuthorizedSender,
  header: string,
  request: TokenRequest & { readonly user: string },
): Promise<string> {
  const { token } = await clientWith(connection, header).createToken(request, { timeout: tokenTimeoutMs, retry: 0 });
  return token;
}

/** Ends a session at the service; false if that fails. */
export const logOut = (connection: AuthorizedSender, header: string): Promise<boolean> =>
  clientWith(connection, header)
    .logout({}, { timeout: tokenTimeoutMs })
    .then(
      () => true,
      () => false,
    );

/** True if a later attempt would be refused as well, like behind a gateway. */
export const isLasting = (error: unknown): boolean =>
  isArangoServicesError(error) &&
  !isNetworkError(error) &&
  !isTimeoutError(error) &&
  !(isHttpError(error) && (error.status === 429 || (error.status >= 500 && error.status !== 501)));
