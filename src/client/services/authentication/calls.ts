import { sessionCookie } from '../../../base/jwt/session-cookie.js';
import { readFields } from '../../../base/lib/readers.js';
import type { KnownSender } from '../../connection/credentials-contract.js';
import { Service, type ServiceCallOptions } from '../service-client.js';
import {
  type CreatedToken,
  createdToken,
  type LoginRequest,
  type ReadTokenRequest,
  readLogin,
  type Session,
  session,
  tokenBody,
} from './authentication-messages.js';

// The calls of `AuthenticationClient` that credentials and sessions make, too.

/** Creates the service of a connection. Login, logout and identity have short paths at the gateway. */
export const authentication = (connection: KnownSender, isShort?: boolean): Service =>
  new Service(connection, 'integration', '/_integration/authn/v1/', isShort);

/** Starts a session, over a connection without a token. */
export const logIn = (service: Service, request: LoginRequest, options?: ServiceCallOptions): Promise<Session> =>
  service.ask('POST', 'login', session, options, () => {
    const { cookies, ...credentials } = readFields(request, 'request', readLogin);
    return {
      body: { credentials, options: cookies === undefined ? cookies : { cookies } },
      confidential: [credentials.password],
    };
  });

/** Creates a token. */
export const createToken = (
  service: Service,
  read: () => ReadTokenRequest,
  options?: ServiceCallOptions,
): Promise<CreatedToken> =>
  service.ask('POST', 'createToken', createdToken, options, () => ({ body: tokenBody(read()), confidential: [] }));

// The characters allowed in a cookie value.
const sessionToken = /^bearer ([\w.~+/=-]+)$/i;

/** Ends the session of an `Authorization` header, over a connection without a token. */
export const logOut = (
  service: Service,
  authorization = '',
  options?: ServiceCallOptions,
  readQuery = () => '',
): Promise<unknown> => {
  const [, token] = sessionToken.exec(authorization) ?? [];
  return service.ask('GET', 'logout', undefined, options, () => {
    const query = readQuery();
    return {
      query,
      headers: new Map(token ? [['cookie', `${sessionCookie}=${token}`]] : []),
      confidential: [],
      // The answer is a redirect to the location, which a browser hides with a status of 0.
      ...(query && { allowStatus: [0] }),
    };
  });
};
