import { type CallInfo, NetworkError } from '../../base/errors.js';
import { causesOf } from '../../base/lib/causes.js';

const limit = /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/;

/** The failure of a service that took longer than Node's `fetch` waits, which no option of a request changes. */
export function tooSlow(error: unknown, callInfo: CallInfo): NetworkError | undefined {
  const code = causesOf(error)
    .map((cause) => String(cause.code))
    .find((one) => limit.test(one));
  const text = 'fetch of Node waits at most 300 s for a response or its next byte; nodeTransport has no such limit';
  return code === undefined ? undefined : new NetworkError(callInfo, text, code);
}
