import { type ArangoServicesError, type CallInfo, isArangoServicesError, NetworkError } from '../errors.js';

/** The platform's code of a failure, from the error or what caused it. Only codes are taken: messages may quote a URL. */
function causeCode(error: unknown, depth = 5): string | undefined {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string' && /^[A-Z][A-Z\d_]{1,63}$/.test(code)) return code;
  return depth > 0 ? causeCode(cause, depth - 1) : undefined;
}

/** Whatever was thrown on the way, as an error of this package without secrets; `streamed` says that the body was a stream. */
export function toFailure(
  error: unknown,
  site: CallInfo,
  signal: AbortSignal | undefined,
  streamed?: boolean,
): ArangoServicesError {
  if (signal?.aborted) return signal.reason;
  if (isArangoServicesError(error)) return error;
  // The code says more than a sentence of ours could: ECONNREFUSED, ENOTFOUND, ECONNRESET, UND_ERR_SOCKET.
  const code = causeCode(error);
  // Browsers tell no code, and refuse a stream over HTTP/1.1.
  const hint = streamed && code === undefined ? ' (a browser sends a stream over HTTP/2 only)' : '';
  return new NetworkError(site, `no complete answer from the server${hint}`, code);
}

/** Does what must not fail the call: its failure counts as undefined. */
export const quietly = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
