import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Mock } from '../../mock.js';
import type { NeutralResponse, RequestStream } from '../../wire/http.js';
import type { Cors } from '../cors.js';
import type { NodePort } from './console-port.js';
import type { HostCheck } from './host-check.js';
import type { Link, Links } from './links.js';
import { chunksOf, NodeHeaders, neutralRequest, readBody, splitTarget } from './node-request.js';
import { sendResponse } from './send-response.js';
import { http1Timeouts, type WaitTimes } from './timeouts.js';

// Longer than any client keeps idle connections, so that none writes to a connection that is being closed.
const keepAliveTimeout = 120_000;
// Like the services, answers even a request with a token of 1 MB.
const maxHeaderSize = 2 ** 20 + 4_096;

/** The options of the server, and what answers before the mock. */
interface Http1Options {
  readonly cors: Cors | undefined;
  readonly checkHost: HostCheck;
  readonly timeouts: WaitTimes;
  readonly consolePort: NodePort | undefined;
}

/** A request that the mock answers. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly link: Link;
  /** Aborts if the mock starts anew. */
  readonly began: AbortSignal;
}

/** Creates the HTTP/1.1 server of a mock. */
export function createHttp1(
  mock: Mock,
  links: Links,
  { cors, checkHost, timeouts, consolePort }: Http1Options,
): Server {
  const { bodyBytes } = mock.settings.limits;

  function answer({ request, outgoing, link, began }: Exchange, body?: Buffer, stream?: RequestStream): void {
    const settle = (response: NeutralResponse): void => {
      sendResponse(request, outgoing, response, cors?.headersFor(new NodeHeaders(request.headers), response));
      link.pending -= 1;
      if (links.closing && link.pending === 0) request.socket.destroySoon();
    };
    const response = mock.handle(neutralRequest(request, body, stream), link.gone.signal, began);
    if (response instanceof Promise) void response.then(settle);
    else settle(response);
  }

  // An import would read every export of the module, also the lazy ones that load all of undici: 40 ms of CPU time.
  const { createServer } = process.getBuiltinModule('node:http');
  const options = { ...http1Timeouts(timeouts), keepAliveTimeout, maxHeaderSize, joinDuplicateHeaders: true };
  return createServer(options, (request, outgoing) => {
    const link = links.of(request.socket);
    if (link === undefined) return void outgoing.destroy();
    if (consolePort?.http1(request, outgoing)) return;
    const refused = checkHost(request.headers.host, request.headers.origin);
    if (refused !== undefined) return sendResponse(request, outgoing, refused, undefined);
    const preflight = cors?.preflight(request.method ?? '', new NodeHeaders(request.headers));
    if (preflight !== undefined) return sendResponse(request, outgoing, preflight, undefined);
    link.pending += 1;
    const exchange = { request, outgoing, link, began: mock.epoch };
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (length === '0' && encoding === undefined) return answer(exchange);
    if (mock.parts.routing.streams(request.method ?? '', splitTarget(request.url ?? '').path)) {
      // An answer that reads none of the body.
      outgoing.once('finish', () => request.resume());
      return answer(exchange, undefined, chunksOf(request));
    }
    readBody(request, bodyBytes, (chunks) => answer(exchange, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  });
}
