import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostOf, isLoopback } from '../../../base/lib/host-names.js';
import { systemCode } from '../../../base/lib/system-errors.js';
import { listenAt } from '../../../mock/adapters/node/listening-address.js';
import { splitTarget } from '../../../mock/adapters/node/node-request.js';
import { send } from '../../../mock/forward/forward-request.js';
import { type Header, headersOf } from '../../../mock/forward/forwarded-headers.js';
import { decodeContent } from '../../../mock/recordings/body-bytes.js';
import { type Captured, headerOf, type Piece } from './captured.js';

/** Hears of the exchanges of a proxy. */
export interface Listener {
  /** A complete exchange, in the order in which the requests came. */
  readonly kept: (captured: Captured, order: number) => void;
  readonly left: (left: Left) => void;
}

/** An exchange that is not kept, and the reason. */
export type Left = { readonly method: string; readonly path: string; readonly reason: string };

interface ProxyOptions extends Listener {
  /** The origin of the service. */
  readonly origin: string;
  readonly port: number;
  /** The most bytes of a body that is kept. */
  readonly mostBytes: number;
}

/** A proxy that runs. */
export interface Proxy {
  readonly url: string;
  /** Closes the port and all connections. */
  close(): Promise<void>;
}

/** A body that is passed on, and kept up to a size. */
class Keeper {
  readonly pieces: Piece[] = [];
  readonly #most: number;
  #length = 0;
  #last = performance.now();
  isEnded = false;

  constructor(most: number) {
    this.#most = most;
  }

  get isTooLong(): boolean {
    return this.#length > this.#most;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.pieces.map(({ bytes }) => bytes));
  }

  add(bytes: Uint8Array): void {
    const now = performance.now();
    this.#length += bytes.length;
    if (this.isTooLong) this.pieces.length = 0;
    else this.pieces.push({ afterMs: Math.round(now - this.#last), bytes: Buffer.from(bytes) });
    this.#last = now;
  }

  async *pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.add(chunk);
      yield chunk;
    }
    this.isEnded = true;
  }
}

function requestHeaders({ rawHeaders }: IncomingMessage): Header[] {
  // Several lines of one name mean the same as one.
  return Array.from(
    Map.groupBy(headersOf(rawHeaders), ([name]) => name),
    ([name, all]) => [name, all.map(([, value]) => value).join(name === 'cookie' ? '; ' : ', ')],
  );
}

/** Pages of other sites must not reach the service, also not by a name that resolves to this machine. */
function isForeign({ headers: { host = '', origin } }: IncomingMessage): boolean {
  const isHere = (text: string): boolean => isLoopback(hostOf(text) ?? '');
  return !isHere(host) || (origin !== undefined && !isHere(origin.replace(/^https?:\/\//, '')));
}

/** Headers of the answer for the caller, whose redirects stay at the proxy. */
const localHeaders = (headers: readonly Header[], origin: string): Header[] =>
  headers.map(([name, value]) =>
    name === 'location' && value.startsWith(`${origin}/`) ? [name, value.slice(origin.length)] : [name, value],
  );

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
}

/** The body without its encoding; undefined if that cannot be undone. */
function decoded({ bytes, pieces }: Keeper, headers: readonly Header[], most: number) {
  const encoding = headerOf(headers, 'content-encoding');
  if (encoding === '') return { body: bytes, pieces };
  const body = decodeContent(bytes, encoding, most);
  if (body === null) return `a body has more than ${most} bytes (--max-body)`;
  const afterMs = pieces.reduce((sum, piece) => sum + piece.afterMs, 0);
  return body && { body, pieces: [{ afterMs, bytes: body }] };
}

/** Waits until the answer takes more, or is closed. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });

const left = 'the client left before the end';

/** Passes an exchange on; resolves with what was captured, or the reason why it is not kept. */
async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { origin, mostBytes }: ProxyOptions,
): Promise<Captured | string> {
  const { method = 'GET', url: target = '/' } = request;
  const stop = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) stop.abort();
  });
  const headers = requestHeaders(request);
  const hasBody = headerOf(headers, 'transfer-encoding') !== '' || Number(headerOf(headers, 'content-length')) > 0;
  const requestBody = new Keeper(mostBytes);
  // The recording needs plain text, which the service sends if it is asked for it.
  const set: Header[] = [...([['host', new URL(origin).host]] as const), ['accept-encoding', 'identity']];
  const body = hasBody ? requestBody.pass(request) : undefined;
  const answer = await send({ origin, method, target, headers, set, body, signal: stop.signal }).catch(
    (error: unknown) => systemCode(error) ?? 'no answer',
  );
  if (typeof answer === 'string') {
    if (stop.signal.aborted) return left;
    refuse(response, 502, 'the service does not answer');
    // The codes of Node's parser.
    return answer.startsWith('HPE_')
      ? `the service does not answer in HTTP/1.1 (${answer})`
      : `the service does not answer (${answer})`;
  }
  const answerBody = new Keeper(mostBytes);
  response.writeHead(answer.status, localHeaders(answer.headers, origin).flat());
  response.flushHeaders();
  try {
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      answerBody.add(chunk);
      if (!response.write(chunk)) await drained(response);
      if (stop.signal.aborted) break;
    }
  } catch {
    response.destroy();
    return stop.signal.aborted ? left : 'the service closed the connection before the end';
  }
  if (stop.signal.aborted) return left;
  await new Promise<void>((resolve) => {
    response.on('close', resolve).end(resolve);
  });
  if (stop.signal.aborted) return left;
  if (hasBody && !requestBody.isEnded) return 'the service answered before the end of the request';
  if (requestBody.isTooLong || answerBody.isTooLong) return `a body has more than ${mostBytes} bytes (--max-body)`;
  const [sent, received] = [decoded(requestBody, headers, mostBytes), decoded(answerBody, answer.headers, mostBytes)];
  if (typeof sent === 'string') return sent;
  if (typeof received === 'string') return received;
  if (sent === undefined || received === undefined) return 'the Content-Encoding of a body cannot be undone';
  return {
    method,
    ...splitTarget(target),
    request: { headers, body: sent.body },
    response: { status: answer.status, headers: localHeaders(answer.headers, origin), ...received },
  };
}

/** Starts a proxy on 127.0.0.1 that passes all requests to a service. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { createServer } = process.getBuiltinModule('node:http');
  let order = 0;
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request;
    if (isForeign(request))
      return refuse(response, 403, 'this port answers only to loopback host names and their pages');
    if (!url.startsWith('/')) return refuse(response, 400, 'expected a path');
    order += 1;
    const at = order;
    const { path } = splitTarget(url);
    pass(request, response, options).then(
      (result) => {
        if (typeof result === 'string') options.left({ method, path, reason: result });
        else options.kept(result, at);
      },
      () => {
        response.destroy();
        options.left({ method, path, reason: 'it failed' });
      },
    );
  });
  // Uploads and long streams take as long as they take.
  server.requestTimeout = 0;
  const { port } = await listenAt(server, { port: options.port, host: '127.0.0.1' });
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
