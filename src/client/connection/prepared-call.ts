import { type CallInfo, isArangoServicesError } from '../../base/arango-services-error.js';
import { AbortError, CredentialsError, InvalidArgumentError } from '../../base/errors.js';
import { buildUrl } from '../../base/lib/url.js';
import { type ShowText, secretFilter } from '../../base/secrets/filter.js';
import { secretsOf, sentValues } from '../../base/secrets/sent.js';
import { type BodySource, encodeBody } from './body.js';
import type { Call, CallOptions, NamedCall } from './call.js';
import type { CallEvent } from './connection-options.js';
import type { Credentials, CredentialsCall } from './credentials-contract.js';
import { Deadline, withSignal } from './deadline.js';
import type { ConnectionState, Deployment } from './deployment.js';
import { type HeaderLayer, isValidHeader, mergeHeaders } from './headers.js';
import { retriesFor, setIdempotencyKey } from './retries.js';
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

/** Names a call without a method in errors. Real methods are in upper case. */
export const noMethod = 'request';

/**
 * Checks a call and encodes its parts.
 * @throws InvalidArgumentError; AbortError if the client is closed or a signal has aborted.
 */
export function prepareCall(call: Call, callInfo: NamedCall, state: ConnectionState): PreparedCall {
  const { deployment, credentials, observe, waitUntil } = state;
  const { options = {} } = call;
  const retry = options.retry ?? state.retry;
  const encoded = encodeCall(call, callInfo, deployment, retry);
  const deadline = startDeadline(callInfo, state, options);
  return {
    ...call,
    ...encoded,
    callInfo,
    headers: mergeHeaders(state.headers, call.headers),
    // While a call has no token, nothing of it has been sent, so obtaining one is retried for every method.
    forToken: { waitUntil, retries: retry ?? encoded.retries, deadline },
    deployment,
    transport: state.transport ?? deployment.transport,
    deadline,
    credentials,
    observe,
  };
}

/**
 * Starts the deadline of a call.
 * @throws AbortError if the client is closed or a signal has aborted.
 */
export function startDeadline(
  callInfo: CallInfo,
  state: ConnectionState,
  { timeout = state.timeout, idleTimeoutMs = state.idleTimeoutMs, signal }: CallOptions = {},
): Deadline {
  const { lifetime, deployment } = state;
  const { ended } = lifetime;
  // A call in flight may still have to renew its token.
  if (ended && !(state.isForCredentials && lifetime.isBusy)) {
    throw new AbortError(callInfo, ended, 'was not sent: the client is closed');
  }
  const signals = withSignal(state.signals, signal);
  return new Deadline(callInfo, { timeout, idleTimeoutMs, signals, lifetime }, deployment.listeners);
}

/** Encodes the parts of a call that its options and its state do not change. */
function encodeCall(
  { base = 'database', query = '', body: payload, options = {}, readOnly }: Call,
  { method, path }: NamedCall,
  { bases, ownFetch }: Deployment,
  retry: number | undefined,
) {
  if (method === noMethod) throw new InvalidArgumentError('method', 'expected a method, not CONNECT, TRACE or TRACK');
  const url = buildUrl(bases[base], path, query);
  const ownHeaders: Record<string, string> = {};
  const isRepeatable = setIdempotencyKey(ownHeaders, method, options.idempotencyKey);
  const retries = retriesFor(method, readOnly || isRepeatable, retry);
  const body = encodeBody(payload, ownHeaders, ownFetch);
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new InvalidArgumentError('body', `${method} cannot have one; use POST`);
  }
  if (options.schema && options.responseType === 'stream') {
    throw new InvalidArgumentError('schema', 'cannot validate a stream');
  }
  return { url, ownHeaders, retries, body };
}

/**
 * Returns the header's value. Any failure becomes a CredentialsError; only an error of this package can be its cause.
 * @param refused a value that the deployment refused.
 */
export async function authorize(
  credentials: Credentials | undefined,
  { callInfo, deployment, forToken }: Pick<PreparedCall, 'deployment' | 'forToken'> & { readonly callInfo: CallInfo },
  refused?: string,
): Promise<string | undefined> {
  try {
    if (refused) await credentials?.reject?.(refused, deployment.context, forToken);
    const value = await credentials?.authorize(deployment.context, forToken);
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
  callerHeaders: Iterable<readonly [name: string, value: string | null]>,
  authorization: string | undefined,
): Readonly<Record<string, string>> {
  const headers = { ...ownHeaders };
  for (const [name, value] of callerHeaders) if (value !== null) headers[name] = value;
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
