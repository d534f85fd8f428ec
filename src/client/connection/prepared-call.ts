import { type CallInfo, CredentialsError, isArangoServicesError } from '../../base/errors.js';
import { type ShowText, secretFilter } from '../../base/secrets/filter.js';
import { secretsOf, sentValues } from '../../base/secrets/sent.js';
import type { BodySource } from './body.js';
import type { Call, NamedCall } from './call.js';
import type { CallEvent } from './connection-options.js';
import type { Credentials, CredentialsCall } from './credentials-contract.js';
import type { Deadline } from './deadline.js';
import type { Deployment } from './deployment.js';
import { type HeaderLayer, isValidHeader } from './headers.js';
import type { EndedTransport, TransportBody, TransportRequest } from './transport.js';

/** A call with all parts validated and encoded. */
export interface PreparedCall extends Pick<Call, 'options' | 'confidential' | 'base' | 'service'> {
  readonly callInfo: NamedCall;
  readonly url: string;
  readonly headers: HeaderLayer;
  /** The body's own content type, the default for the caller's headers. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  readonly body: TransportBody | BodySource | undefined;
  readonly retries: number;
  /** The credentials, unless the caller's headers authorize the call. */
  readonly credentials: Credentials | undefined;
  /** The limits of a token request. */
  readonly forToken: CredentialsCall;
  readonly deployment: Deployment;
  readonly transport: EndedTransport;
  readonly observe: ((event: CallEvent) => void) | undefined;
  readonly deadline: Deadline;
}

/**
 * Returns the header's value. Any failure becomes a CredentialsError; only an error of this package can be its cause.
 */
export async function authorize(
  credentials: Credentials,
  { callInfo, deployment, forToken }: Pick<PreparedCall, 'deployment' | 'forToken'> & { readonly callInfo: CallInfo },
): Promise<string | undefined> {
  try {
    const value = await credentials.authorize(deployment.context, forToken);
    if (value === undefined || (typeof value === 'string' && isValidHeader('authorization', value))) return value;
  } catch (error) {
    if (!isArangoServicesError(error)) throw new CredentialsError('asking for a token failed', callInfo);
    throw new CredentialsError(error.message, callInfo, error instanceof CredentialsError ? error.cause : error);
  }
  throw new CredentialsError('authorize() gave an invalid header', callInfo);
}

/** Returns the headers of one attempt. */
export function requestHeaders(
  { ownHeaders, base }: PreparedCall,
  given: Iterable<readonly [name: string, value: string | null]>,
  authorization: string | undefined,
): Readonly<Record<string, string>> {
  const headers = { ...ownHeaders };
  for (const [name, value] of given) if (value !== null) headers[name] = value;
  if (authorization !== undefined) {
    // The integration services accept the scheme in lower case only (identity); other services may accept only
    // `Bearer`.
    headers.authorization = base === 'integration' ? authorization.replace(/^Bearer /, 'bearer ') : authorization;
  }
  return headers;
}

/** Hides sent values in the server's texts. The filter is built lazily: most calls need none. */
export function filterOf(
  { url, confidential }: PreparedCall,
  headers: TransportRequest['headers'],
  body?: PreparedCall['body'],
): ShowText {
  let filter: ShowText | undefined;
  return (text) => {
    if (text === '') return text;
    filter ??= secretFilter(
      [...secretsOf(headers), ...(confidential ?? [])],
      confidential !== undefined,
      sentValues(url, body),
    );
    return filter(text);
  };
}
