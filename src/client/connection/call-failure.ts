import { runtime } from '#runtime';
import { type ArangoServicesError, isArangoServicesError, NetworkError } from '../../base/errors.js';
import { causesOf } from '../../base/lib/causes.js';
import { cutUrls, type ShowText } from '../../base/secrets/filter.js';
import { nameCall } from './call.js';
import type { Deadline } from './deadline.js';
import type { PreparedCall } from './prepared-call.js';

const runtimeCode = /^[A-Z][A-Z\d_]{1,63}$/;
const longestCause = 200;

/**
 * Converts anything thrown while sending to an error of this package without secrets.
 *
 * @param isStreamed true if the request's body was a stream.
 */
export function toFailure(
  error: unknown,
  { callInfo, deadline }: Pick<PreparedCall, 'callInfo'> & { readonly deadline?: Deadline | undefined },
  show: ShowText,
  isStreamed?: boolean,
): ArangoServicesError {
  if (deadline?.failure) return deadline.failure;
  if (isArangoServicesError(error)) return nameCall(error, callInfo);
  let code: string | undefined;
  let text = '';
  let isBare = true;
  try {
    const explained = runtime.explain?.(error, callInfo);
    if (explained) return explained;
    const causes = causesOf(error);
    // The code says most: ECONNREFUSED, ENOTFOUND, ECONNRESET, UND_ERR_SOCKET.
    code = causes.map((cause) => String(cause.code)).find((one) => runtimeCode.test(one));
    const { name = 'Error', message } = causes.at(-1) ?? {};
    isBare = name === 'TypeError' || name === 'NotSupportedError';
    if (code === undefined && message) text = show(`${name}: ${cutUrls(String(message))}`).slice(0, longestCause);
  } catch {
    // A getter of a foreign error threw: report no details.
  }
  // Browsers report a plain TypeError (WebKit a NotSupportedError) without a code, and refuse streams over HTTP/1.1.
  const hint =
    isStreamed && isBare && code === undefined
      ? ' (browsers send streams over HTTP/2 only; see uploadWithProgress)'
      : '';
  return new NetworkError(callInfo, text + hint, code);
}
