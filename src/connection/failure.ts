import { type ArangoServicesError, type CallSite, isArangoServicesError, NetworkError } from '../errors.js';
import type { Deadline } from './deadline.js';

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
export function toFailure(error: unknown, site: CallSite, deadline: Deadline | undefined): ArangoServicesError {
  if (deadline?.failure !== undefined) return deadline.failure;
  if (isArangoServicesError(error)) return error;
  const code = causeCode(error);
  return new NetworkError(site, meanings.get(code ?? '') ?? 'no complete answer from the server', code);
}
