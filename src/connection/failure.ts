import { type ArangoServicesError, type CallSite, isArangoServicesError, NetworkError } from '../errors.js';

const meanings: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'host not found'],
  ['EAI_AGAIN', 'host not found'],
  ['ECONNRESET', 'connection closed'],
  ['EPIPE', 'connection closed'],
  ['UND_ERR_SOCKET', 'connection closed'],
]);

/** The platform's code of a failure, from the error or what caused it. Only codes are taken: messages may quote a URL. */
function causeCode(error: unknown): string | undefined {
  for (let depth = 0, cause = error; depth < 5 && typeof cause === 'object' && cause !== null; depth++) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z\d_]{1,63}$/.test(code)) return code;
    cause = (cause as { cause?: unknown }).cause;
  }
  return undefined;
}

/** Whatever was thrown on the way, as an error of this package without secrets. */
export function toFailure(error: unknown, site: CallSite, signal: AbortSignal | undefined): ArangoServicesError {
  if (signal?.aborted) return signal.reason;
  if (isArangoServicesError(error)) return error;
  const code = causeCode(error);
  return new NetworkError(site, meanings.get(code ?? '') ?? 'no complete answer from the server', code);
}

/** Does what must not fail the call: its failure counts as undefined. */
export const quietly = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
