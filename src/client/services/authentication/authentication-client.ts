import { isArangoServicesError } from '../../../base/arango-services-error.js';
import { CredentialsError } from '../../../base/errors.js';
import { readArgument, readFields, readToken } from '../../../base/lib/readers.js';
import { encodeQuery } from '../../../base/lib/url.js';
import type { AuthorizedSender, Credentials } from '../../connection/credentials-contract.js';
import { readDecisionText } from '../decision-text.js';
import { Service, type ServiceCallOptions } from '../service-client.js';
import {
  type CreatedToken,
  identity,
  type LoginRequest,
  type PublishedKeys,
  publishedKeys,
  readLogout,
  readTokenRequest,
  type Session,
  type TokenRequest,
  type Validation,
  validation,
} from './authentication-messages.js';
import { authentication, createToken, logIn, logOut } from './calls.js';

/**
 * Authentication V1 of the integration services: `client.authentication`.
 *
 * Every call rejects with `InvalidArgumentError` (nothing was sent), `HttpError`, `NetworkError`, `TimeoutError`,
 * `AbortError`, `SchemaError`, `ParseError`, `RedirectError` or `CredentialsError`; no error holds a token or a
 * password.
 */
export class AuthenticationClient {
  readonly #connection: AuthorizedSender;
  readonly #service: Service;
  /** Login, logout and identity, which the gateway has at short paths; the first two without a token. */
  readonly #atGateway: Service;
  readonly #anonymous: Service;
  /** The credentials, if they are cookies: a login sets them. */
  readonly #cookies: Credentials | undefined;
  readonly #management: Service;

  /**
   * Creates a client over a connection; `client.authentication` is the shorter way.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if the argument is not a connection.
   */
  constructor(connection: AuthorizedSender) {
    this.#service = authentication(connection);
    const { credentials } = connection.parts ?? {};
    this.#cookies = credentials?.cookies && credentials;
    this.#atGateway = authentication(connection, true);
    this.#anonymous = authentication(connection.withCredentials(this.#cookies), true);
    this.#connection = connection;
    this.#management = new Service(connection, 'management', '/_management/authentication');
  }

  /**
   * Validates a token and identifies its owner. An invalid token is a result, not an error.
   * (POST `/_integration/authn/v1/validate`)
   * @example
   * ```ts
   * const validation = await client.authentication.validate(token);
   * console.log(validation.valid ? validation.user : validation.reason);
   * ```
   */
  validate(token: string, options?: ServiceCallOptions): Promise<Validation> {
    return this.#service.ask('POST', 'validate', validation, options, () => ({
      body: { token: readArgument(token, 'token', readToken) },
      readOnly: true,
      service: { readText: readDecisionText },
      confidential: [token],
    }));
  }

  /**
   * Creates a token. (POST `/_integration/authn/v1/createToken`)
   * @throws HttpError (code `HTTP`, status 403) if the caller may not create tokens for this user.
   * @example
   * ```ts
   * const { token, expiresAt } = await client.authentication.createToken({
   *   user: 'alice',
   *   lifetime: '1h',
   *   groups: ['viewer'],
   * });
   * ```
   */
  createToken(request: TokenRequest = {}, options?: ServiceCallOptions): Promise<CreatedToken> {
    return createToken(this.#service, () => readFields(request, 'request', readTokenRequest), options);
  }

  /**
   * Identifies the user of this client's credentials. (GET `/_integration/authn/v1/identity`)
   * @throws HttpError (code `HTTP`, status 401) if the client has none.
   */
  identity(options?: ServiceCallOptions): Promise<{ user: string }> {
    return this.#atGateway.ask('GET', 'identity', identity, options);
  }

  /** @internal Returns the current `Authorization` header, or undefined, without requesting a token. */
  currentToken(): Promise<string | undefined> {
    return this.#connection.currentToken();
  }

  /**
   * Starts a session. The credentials of this client do not change; `credentials.login` starts sessions by itself.
   * (POST `/_integration/authn/v1/login`)
   * @throws HttpError (code `HTTP`, status 401) for a wrong password.
   * @example
   * ```ts
   * const session = await client.authentication.login({ username: 'alice', password: 'secret' });
   * const asAlice = connection.withCredentials(credentials.bearer(session.token));
   * ```
   */
  login(request: LoginRequest, options?: ServiceCallOptions): Promise<Session> {
    return this.#changeUser(logIn(this.#anonymous, request, options));
  }

  /**
   * Ends the session of the current token and drops that token from this client's credentials; the next call obtains
   * another one. Outside browsers the token is sent as the session cookie; a browser sends its own cookie.
   * (GET `/_integration/authn/v1/logout`)
   * @param request `location`: the URL that the service redirects a browser to. The redirect is not followed.
   * @throws CredentialsError (code `CREDENTIALS`) if the credentials cannot tell their current token.
   */
  async logout(request: { readonly location?: string | undefined } = {}, options?: ServiceCallOptions): Promise<void> {
    const authorization = await this.#connection.currentToken().catch((error: unknown) => {
      const cause = isArangoServicesError(error) ? error : undefined;
      throw new CredentialsError('asking for a token failed', this.#anonymous.nameOf('GET', 'logout'), cause);
    });
    const readQuery = () => encodeQuery(readFields(request, 'request', readLogout));
    await this.#changeUser(logOut(this.#anonymous, authorization, options, readQuery));
    this.#connection.forget();
  }

  /** Returns the public keys that verify tokens. Requires a token. (GET `/_management/authentication/keys`) */
  keys(options?: ServiceCallOptions): Promise<PublishedKeys> {
    return this.#management.ask('GET', '/keys', publishedKeys, options);
  }

  /** Asks for another user of the cookies, who may have changed even if the call fails: its answer may be lost. */
  #changeUser<T>(call: Promise<T>): Promise<T> {
    return call.finally(() => this.#cookies && this.#connection.forget());
  }
}
