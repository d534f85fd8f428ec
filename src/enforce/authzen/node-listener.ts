import type { Bytes } from '../../base/lib/web-types.js';
import type { Pdp } from './create-pdp.js';

/** The parts of Node's `IncomingMessage` that the listener uses. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
  /** True after the body was read to its end. */
  readonly readableEnded?: boolean | undefined;
  /** Adds a listener for `data`, `end` or `error`. */
  on(event: string, listener: (...values: never[]) => void): unknown;
  /** Stops the events of data. */
  pause(): unknown;
  /** Starts the events of data. */
  resume(): unknown;
}

/** The parts of Node's `ServerResponse` that the listener uses. */
export interface NodeResponse {
  /** True after the headers were sent. */
  readonly headersSent?: boolean | undefined;
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** Sends the body and ends the response. */
  end(body?: string): unknown;
}

/** Streams the body on demand. A body that is not read to its end is drained. */
function streamOf(request: NodeRequest): { readonly body: ReadableStream<Bytes>; drain(): void } {
  let isDone = false;
  const drain = (): void => {
    isDone = true;
    request.resume();
  };
  const body = new ReadableStream<Bytes>(
    {
      start(controller) {
        const settle = (end: () => void) => {
          if (!isDone) end();
          isDone = true;
        };
        // After a body parser there are no more events to wait for.
        if (request.readableEnded) return settle(() => controller.error(new TypeError('the body was already read')));
        request.pause();
        request.on('data', (chunk: Bytes) => {
          if (isDone) return;
          controller.enqueue(chunk);
          request.pause();
        });
        request.on('end', () => settle(() => controller.close()));
        request.on('error', (error: unknown) => settle(() => controller.error(error)));
      },
      pull: () => void request.resume(),
      cancel: drain,
    },
    { highWaterMark: 0 },
  );
  return { body, drain };
}

/** Reads the raw headers, so that duplicates are seen. */
function headersOf({ rawHeaders }: NodeRequest): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]];
    // Skips the pseudo-headers of HTTP/2.
    if (!name.startsWith(':')) headers.append(name, value);
  }
  return headers;
}

/** @throws TypeError for a request that the Fetch API cannot represent. */
function requestOf(request: NodeRequest, body: ReadableStream<Bytes>): Request {
  const { method = 'GET', url = '/' } = request;
  const headers = headersOf(request);
  const base = new URL(`http://${headers.get('host') ?? 'localhost'}`);
  // The host must not change the path.
  if (base.href !== `${base.origin}/`) throw new TypeError('the host is not valid');
  const target = new URL(url.startsWith('/') ? base.origin + url : url);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(target, { method, headers, ...(hasBody && { body, duplex: 'half' }) });
}

/**
 * Converts a handler to a listener for `node:http`, which also works in Express and Fastify if they do not read the
 * body.
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createPdp, toNodeListener } from 'arango-services/authzen';
 * import { createEvaluator } from 'arango-services/policy';
 *
 * const pdp = createPdp(createEvaluator(), { url: 'http://localhost:8080', authenticate: 'none' });
 * createServer(toNodeListener(pdp)).listen(8080, '127.0.0.1');
 * ```
 */
export function toNodeListener(handler: Pdp): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    const { body, drain } = streamOf(request);
    const send = (status: number, headers: Record<string, string>, text: string): void => {
      // Something else, such as a timeout of the framework, may have answered.
      if (response.headersSent) return;
      response.writeHead(status, headers);
      response.end(text);
    };
    const refuse = (status: number, message: string) =>
      send(status, { 'content-type': 'application/json' }, JSON.stringify(message));
    const answer = async (): Promise<void> => {
      let fetchRequest: Request;
      try {
        fetchRequest = requestOf(request, body);
      } catch {
        // The request cannot be represented: its target, host or method is invalid.
        return refuse(400, 'invalid request');
      }
      const response = await handler(fetchRequest);
      send(response.status, Object.fromEntries(response.headers), await response.text());
    };
    answer()
      .catch(() => refuse(500, 'Internal error'))
      .finally(drain);
  };
}
