import type { Deadline } from './deadline.js';
import { withBytes } from './fetch-transport.js';
import { watchStream } from './stream.js';
import type { TransportResponse } from './transport.js';

/**
 * Returns a copy of a response whose body counts the time of each read as idle time of the server; the response itself
 * if there is no idle timeout.
 */
export function watchIdle(response: TransportResponse, deadline: Deadline): TransportResponse {
  if (!deadline.idle) return response;
  // The reader of the copy releases the deadline and translates its failures.
  const watched =
    response.body &&
    watchStream(response, (error) => error, {
      idle: deadline.idle,
      whenEnded: (fail) => deadline.whenEnded(fail),
      release() {},
    });
  const { status, statusText, headers } = response;
  // The cast: headers of another transport are iterable, which `Response` takes as well.
  const copy = new Response(watched, { headers } as ResponseInit);
  // The constructor rejects statuses and texts that servers send all the same.
  const fields = { status: { value: status }, statusText: { value: statusText } };
  return withBytes(Object.defineProperties(copy, fields));
}
