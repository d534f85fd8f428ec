import { send } from '../../forward/forward-request.js';
import type { NeutralResponse } from '../../wire/http.js';
import type { Exchange } from '../../wire/mock-exchange.js';
import { untilAborted } from '../../wire/until-aborted.js';

/** The gateway's answer if the service does not answer. Source: docs/wire.md, "The gateway's own answers". */
const failed: NeutralResponse = {
  status: 503,
  headers: [['content-type', 'text/plain']],
  body: 'upstream connect error or disconnect/reset before headers',
};

/** Names that the gateway sets on answers, whatever the service sends. */
const own = /^x-arango-platform-(?:request-id|route)$/;

/** Forwards a request to a running service, with the headers that the gateway passes on. */
export async function forward(exchange: Exchange, origin: string, path: string): Promise<NeutralResponse> {
  const { request, stream, signal } = exchange;
  const target = request.query === '' ? path : `${path}?${request.query}`;
  const set = [...exchange.headers.entries()].filter(([name, value]) => request.headers.get(name) !== value);
  const body = stream ?? request.body;
  try {
    const sent = request.headers.entries();
    const answer = await send({ origin, method: request.method, target, headers: sent, set, body, signal });
    if (answer.status < 200 || answer.status > 599) return failed;
    const headers = answer.headers.filter(([name]) => !own.test(name));
    return { ...answer, headers, body: answer.body && untilAborted(answer.body, exchange.epoch) };
  } catch {
    return failed;
  }
}
