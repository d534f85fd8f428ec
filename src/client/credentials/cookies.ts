import { CredentialsError } from '../../base/errors.js';
import { optionsOf, readArgument, readFlag } from '../../base/lib/readers.js';
import type { Credentials } from '../connection/credentials-contract.js';
import { identity } from '../services/authentication/authentication-messages.js';
import { authentication } from '../services/authentication/calls.js';
import { tokenTimeoutMs } from './renewal-times.js';
import { renewing } from './renewing.js';

// Another tab may sign in as another user.
const lifetimeMs = 60_000;

const readOptions = optionsOf({ crossOrigin: readFlag });

/**
 * Leaves authentication to the session cookies of the gateway: no `Authorization` header is sent. For browsers only.
 *
 * `self` is the user that `identity` names: asked once, and known for at most a minute, or until a 401, a logout or a
 * login. The groups of the session do not count.
 * Outside of browsers, where `fetch` keeps no cookies, calls reject with a CredentialsError (code `CREDENTIALS`): a
 * server uses `credentials.bearer` with the token of its caller.
 * @param options `crossOrigin`: also sends cookies to a deployment of another origin than the page's. Default false.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an invalid option.
 * @example
 * ```ts
 * const client = createClient({ url: location.origin, gateway: true, credentials: credentials.cookies() });
 * ```
 */
export function cookies(options: { readonly crossOrigin?: boolean | undefined } = {}): Credentials {
  const { crossOrigin } = readArgument(options, 'credentials', readOptions);
  // A module with a page's client is evaluated on servers, too: only calls are refused there.
  const isPage = globalThis.location;
  const users = renewing(async (connection) => {
    const service = authentication(connection.withCredentials(cookies), true);
    const { user } = await service.ask('GET', 'identity', identity, { timeout: tokenTimeoutMs, retry: 0 });
    return { token: user, lifetimeMs };
  });
  const cookies: Credentials = {
    cookies: crossOrigin ? 'include' : 'same-origin',
    authorize() {
      if (isPage) return undefined;
      throw new CredentialsError('cookies need a browser: on a server use credentials.bearer');
    },
    async identify(context) {
      // The user may have signed in elsewhere since the last failure.
      users.retryNow(context);
      const before = await users.authorize(context);
      // If there was a login or logout meanwhile, the answer may be about the former user.
      const user = users.currentToken(context) === before ? before : await users.authorize(context);
      return user?.replace('Bearer ', '');
    },
    reject(_value, context) {
      users.forget(context);
      return false;
    },
    forget: users.forget,
  };
  return cookies;
}
