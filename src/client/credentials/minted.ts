import { optional, readArgument, strictObject } from '../../base/lib/readers.js';
import { connectionReaders } from '../connection/connection-options.js';
import type { Credentials } from '../connection/credentials-contract.js';
import { type TokenRequest, tokenFields, withLifetime } from '../services/authentication/authentication-messages.js';
import { authentication, createToken } from '../services/authentication/calls.js';
import { tokenTimeoutMs } from './renewal-times.js';
import { renewing } from './renewing.js';

/** Options of `credentials.minted`: the tokens to request, and the credentials for the requests. */
export type MintedOptions = TokenRequest & {
  /** The credentials for requesting tokens. Default none: a sidecar requires none. */
  readonly bootstrap?: Credentials | undefined;
};

const readMinted = withLifetime(strictObject({ ...tokenFields, bootstrap: optional(connectionReaders.credentials) }));

/**
 * Obtains tokens from the deployment's authentication service, and renews them automatically (POST createToken).
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the field. If no token can be obtained, the call
 * rejects with CredentialsError.
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
  return renewing((connection) =>
    createToken(authentication(connection.withCredentials(bootstrap)), () => request, {
      timeout: tokenTimeoutMs,
      retry: 0,
    }),
  );
}
