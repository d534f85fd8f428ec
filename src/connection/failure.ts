import { type ArangoServicesError, type CallInfo, isArangoServicesError, NetworkError } from '../errors.js';
import type { ShowText } from './secret-filter.js';

/**
 * The platform's code of a failure, from the error or what caused it. Only codes are taken: messages may quote a URL.
 */
function causeCode(error: unknown, depth = 5): string | undefined {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string' && /^[A-Z][A-Z\d_]{1,63}$/.test(code)) return code;
  return depth > 0 ? causeCode(cause, depth - 1) : undefined;
}

const longestCause = 200;
const url = /https?:\/\/[^\s"'<>]+/gi;

/** URLs without user, query and fragment. */
const cutUrls = (text: string): string =>
  text.replace(url, (found) => {
    const { origin, pathname } = URL.canParse(found) ? new URL(found) : { origin: 'http:', pathname: '' };
    return origin + pathname;
  });

/** The name and the message of what caused a failure, fit to be shown. */
function causeText(error: unknown, show: ShowText): string {
  let last = Object(error) as { readonly cause?: unknown; readonly name?: unknown; readonly message?: unknown };
  for (let depth = 0; depth < 5 && typeof last.cause === 'object' && last.cause !== null; depth++) last = last.cause;
  const { name, message } = last;
  if (typeof message !== 'string' || message === '') return '';
  return show(`${typeof name === 'string' ? name : 'Error'}: ${cutUrls(message)}`).slice(0, longestCause);
}

/** What toFailure needs to know of a call. */
export interface FailureContext {
  readonly site: CallInfo;
  readonly signal: AbortSignal | undefined;
  readonly show: ShowText;
  /** Whether the body of the request was a stream. */
  readonly streamed?: boolean;
}

/** Whatever was thrown on the way, as an error of this package without secrets. */
export function toFailure(error: unknown, { site, signal, show, streamed }: FailureContext): ArangoServicesError {
  if (signal?.aborted) return signal.reason;
  if (isArangoServicesError(error)) return error;
  // The code says more than a sentence of ours could: ECONNREFUSED, ENOTFOUND, ECONNRESET, UND_ERR_SOCKET.
  let code: string | undefined;
  let text = '';
  try {
    code = causeCode(error);
    text = code === undefined ? causeText(error, show) : '';
  } catch {
    // A getter of a foreign error threw: it says nothing then.
  }
  // Browsers tell no code, and refuse a stream over HTTP/1.1.
  const hint = streamed && code === undefined ? ' (a browser sends a stream over HTTP/2 only)' : '';
  return new NetworkError(site, text + hint, code);
}

/** Does what must not fail the call: its failure counts as undefined. */
export const quietly = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
