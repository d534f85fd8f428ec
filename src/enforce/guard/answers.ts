import { isArangoServicesError } from '../../base/arango-services-error.js';
import { isHttpError } from '../../base/error-guards.js';

/** A response as plain data, for frameworks without `Response`. */
export interface PlainResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The error in the format of the platform's services. It reveals nothing that helps an attacker. */
  readonly body: { readonly code: number; readonly message: string; readonly details: never[] };
}

/** The gRPC code and the message of each status. */
const words = {
  400: [3, 'Invalid argument'],
  401: [16, 'Unauthenticated'],
  403: [7, 'Permission denied'],
  405: [12, 'Method not allowed'],
  413: [8, 'Body too large'],
  499: [1, 'Canceled'],
  500: [13, 'Internal error'],
  502: [2, 'Bad gateway'],
  503: [14, 'Unavailable'],
  504: [4, 'Deadline exceeded'],
} as const;

/** `Retry-After` in seconds, if the failure names none. */
const retryAfterSeconds = 5;

/** An answer with a given status. */
export type AnswerOf<Status extends number> = PlainResponse & { readonly status: Status };

export function answer<Status extends keyof typeof words>(
  status: Status,
  headers: Readonly<Record<string, string>> = {},
): AnswerOf<Status> {
  const [code, message] = words[status];
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: { code, message, details: [] },
  };
}

/** The 401 for an unknown caller. */
export function unauthenticated(realm: string | undefined, problem: 'none' | 'bad'): AnswerOf<401> {
  const parameters = realm === undefined ? [] : [`realm="${realm}"`];
  // The header names an error only if the request had a token.
  if (problem === 'bad') parameters.push('error="invalid_token"');
  return answer(401, { 'www-authenticate': `Bearer ${parameters.join(', ')}`.trimEnd() });
}

/** The 503 when no decision could be made, with Retry-After. */
export function unavailable(error?: unknown): AnswerOf<503> {
  // The cast: HttpError and UnknownKeyError have this field, and no other error has it with another meaning.
  const { retryAfterMs = retryAfterSeconds * 1_000 } = Object(isArangoServicesError(error) && error) as {
    readonly retryAfterMs?: number;
  };
  return answer(503, { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) });
}

/** Converts an answer to a `Response`; without a body for HEAD. */
export function asResponse(
  { status, headers, body }: Omit<PlainResponse, 'body'> & { readonly body: object },
  method?: string,
): Response {
  return new Response(method === 'HEAD' ? null : JSON.stringify(body), { status, headers });
}

/**
 * Maps an uncaught error of this package to the answer for the service's own caller: like `toResponse`, for frameworks
 * without `Response`.
 * @returns the status, the headers and the body.
 * @example
 * ```ts
 * import { toPlain } from 'arango-services/guard';
 *
 * const { status, headers, body } = toPlain(new Error('unexpected'));
 * console.log(status, headers, body); // 500
 * ```
 */
export function toPlain(error: unknown): PlainResponse {
  if (!isArangoServicesError(error)) return answer(500);
  if (isHttpError(error)) return error.status === 429 || error.status === 503 ? unavailable(error) : answer(502);
  // A newer copy of this package may know more codes.
  const code: string = error.code;
  if (code === 'PERMISSION_DENIED') return answer(403);
  if (code === 'TIMEOUT') return answer(504);
  if (code === 'ABORTED') return answer(499);
  return ['NETWORK', 'CREDENTIALS', 'REPLICA', 'UNKNOWN_KEY'].includes(code) ? unavailable(error) : answer(500);
}

/**
 * Maps an uncaught error of this package to the response for the service's own caller. It reveals no internals and
 * never forwards the upstream status: PermissionDeniedError is 403, HttpError 502 (429 and 503 become 503 with their
 * `Retry-After`), TimeoutError 504, NetworkError, CredentialsError, ReplicaError and UnknownKeyError 503, AbortError
 * 499, anything else 500.
 * @example
 * ```ts
 * import { toResponse } from 'arango-services/guard';
 *
 * const serve = async (work: () => Promise<Response>) => work().catch((error: unknown) => toResponse(error));
 * ```
 */
export function toResponse(error: unknown): Response {
  return asResponse(toPlain(error));
}
