import { isArangoServicesError, isHttpError } from '../errors.js';

/** An answer, for frameworks that have no `Response`. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The services' form of an error. It says nothing that helps an attacker. */
  readonly body: { readonly code: number; readonly message: string; readonly details: readonly never[] };
}

const grpcCodes: Readonly<Record<number, readonly [code: number, message: string]>> = {
  401: [16, 'Unauthenticated'],
  403: [7, 'Permission denied'],
  499: [1, 'Canceled'],
  500: [13, 'Internal error'],
  502: [2, 'Bad gateway'],
  503: [14, 'Unavailable'],
  504: [4, 'Deadline exceeded'],
};

/** What a service that is down is given before it is asked again, where it says nothing itself. */
const retryAfterSeconds = 5;

/** Makes an answer of a status. */
export function answer(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  const [code, message] = grpcCodes[status] ?? [13, 'Internal error'];
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: { code, message, details: [] },
  };
}

/** Who calls is not known. */
export function unauthenticated(realm: string | undefined, problem: 'none' | 'bad'): Answer {
  const parameters = [
    ...(realm === undefined ? [] : [`realm="${realm}"`]),
    // RFC 6750: nothing more for a request that brought no token.
    ...(problem === 'bad' ? ['error="invalid_token"'] : []),
  ];
  return answer(401, { 'www-authenticate': ['Bearer', parameters.join(', ')].filter(Boolean).join(' ') });
}

/** Nobody could decide; in so many seconds it may be different. */
export function unavailable(error?: unknown): Answer {
  const asked = isHttpError(error) ? error.retryAfterMs : undefined;
  return answer(503, { 'retry-after': String(asked === undefined ? retryAfterSeconds : Math.ceil(asked / 1_000)) });
}

/** A `Response` of an answer; without a body for HEAD. */
export function asResponse({ status, headers, body }: Answer, method?: string): Response {
  return new Response(method === 'HEAD' ? null : JSON.stringify(body), { status, headers });
}

/**
 * What a service answers to its own caller where a call of this package failed and nobody caught it, as `toResponse`, for frameworks
 * that have no `Response`.
 * @returns the status, the headers and the body.
 * @example
 * ```ts
 * import { toAnswer } from 'arango-services/guard';
 *
 * const { status, headers, body } = toAnswer(new Error('unexpected'));
 * console.log(status, headers, body); // 500
 * ```
 */
export function toAnswer(error: unknown): Answer {
  if (!isArangoServicesError(error)) return answer(500);
  if (isHttpError(error)) return error.status === 429 || error.status === 503 ? unavailable(error) : answer(502);
  const code: string = error.code;
  if (code === 'PERMISSION_DENIED') return answer(403);
  if (code === 'TIMEOUT') return answer(504);
  if (code === 'ABORTED') return answer(499);
  return code === 'NETWORK' || code === 'CREDENTIALS' || code === 'REPLICA' ? unavailable() : answer(500);
}

/**
 * What a service answers to its own caller where a call of this package failed and nobody caught it. It tells nothing of the inside and
 * is never the status that the other service gave: PermissionDeniedError 403, HttpError 502 (429 and 503 are 503 with their
 * `Retry-After`), TimeoutError 504, NetworkError, CredentialsError and ReplicaError 503, AbortError 499, anything else 500.
 * @example
 * ```ts
 * import { toResponse } from 'arango-services/guard';
 *
 * const serve = async (work: () => Promise<Response>) => work().catch((error: unknown) => toResponse(error));
 * ```
 */
export function toResponse(error: unknown): Response {
  return asResponse(toAnswer(error));
}
