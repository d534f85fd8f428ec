import { connectionReaders } from '../connection/connection-options.js';
import type { Credentials } from '../connection/credentials-contract.js';
import { optional, readArgument, strictObject } from '../lib/readers.js';
import { AuthenticationClient } from '../services/authentication/client.js';
import { type TokenRequest, tokenFields, withLifetime } from '../services/authentication/messages.js';
import { renewing, tokenTimeoutMs } from './renewing.js';

/** What `credentials.minted` takes: whom the tokens are for, and who asks for them. */
export type MintedOptions = TokenRequest & {
  /** Authorizes the requests for tokens. Default nobody: a sidecar asks for nothing. */
  readonly bootstrap?: Credentials | undefined;
};

const readMinted = withLifetime(strictObject({ ...tokenFields, bootstrap: optional(connectionReaders.credentials) }));

/**
 * Tokens that the deployment's authentication service makes, renewed by themselves (POST createToken).
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the field. A call whose token cannot be had rejects
 * with CredentialsError.
 * @example
 * ```ts
 * const client = createClient({
 *   url: 'http://localhost:8529',
 *   credentials: credentials.minted({ user: 'svc', groups: ['reader'], lifetime: '10m' }),
 * });
 * ```
 */
export function minted(options: MintedOptions): Credentials {
  const { bootstrap, ...request } = readArgument(options, 'credentials', readMinted);
  return renewing((connection) => {
    const client = new AuthenticationClient(connection.withCredentials(bootstrap));
    return client.createToken(request, { timeout: tokenTimeoutMs, retry: 0 });
  });
}
