import type { HttpHandler } from 'msw/http';
import { HttpResponse, http } from '#msw';
import { expected, readFields } from '../../base/lib/readers.js';
import type { Mock } from '../mock.js';
import { hasNoBody, type NeutralHeaders, type NeutralResponse, type RequestStream } from '../wire/http.js';
import { createCors } from './cors.js';
import { readRequestBody } from './fetch-body.js';
import { type HandlersOptions, readHandlersOptions } from './msw-options.js';
import { readMock } from './read-mock.js';

export type { HandlersOptions } from './msw-options.js';

function readOrigin(url: unknown): string {
  const parsed = typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.href !== `${parsed.origin}/`) {
    throw expected('url', 'an origin like "https://db.example.com", without path and query', url);
  }
  return parsed.origin;
}

function toHttpResponse({ status, headers, body, drop }: NeutralResponse, more: NeutralHeaders = []): Response {
  if (drop === true) return HttpResponse.error();
  return new HttpResponse(hasNoBody(status) ? null : (body ?? null), {
    status,
    headers: [...headers, ...more] as [string, string][], // The constructor only reads them.
  });
}

/**
 * Request handlers of msw 3 for its `setupServer` (Node) and `setupWorker` (a browser tab):
 * `setupServer(...handlers(mock)).listen({ onUnhandledFrame: 'error' })`. They answer every request to the mock's
 * origin and none to another. On the page's own origin they answer the paths of the gateway (`/_service`, `/_platform`,
 * `/_login`, `/_db`, `/oauth2`, …) and those that were added to the mock; other paths, like the page's scripts, are the
 * page's. Put your own handlers first. After the mock is disposed they answer nothing.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a value that is not a mock, and if `url` or an
 * entry of `cors` is not an origin.
 * @example
 * ```ts
 * import { createMock } from 'arango-services/mock';
 * import { handlers } from 'arango-services/mock/msw';
 * import { setupServer } from 'msw/node';
 *
 * const mock = await createMock();
 * const server = setupServer(...handlers(mock, { url: 'https://db.example.com' }));
 * server.listen({ onUnhandledFrame: 'error' });
 * ```
 */
export function handlers(mock: Mock, options: HandlersOptions = {}): HttpHandler[] {
  readMock(mock);
  const { url, cors: origins = [], gateway = false } = readFields(options, 'options', readHandlersOptions);
  const origin = readOrigin(url ?? (gateway ? mock.gateway : mock).connection.url);
  const handle = gateway ? mock.parts.handleAtGateway : mock.handle;
  const cors = createCors(origins);
  const { bodyBytes } = mock.settings.limits;
  const shared = origin === globalThis.location?.origin;
  let open = true;
  mock.onDispose(() => {
    open = false;
  });

  const isOurs = ({ request }: { request: Request }): boolean => {
    if (!open) return false;
    const url = new URL(request.url);
    return url.origin === origin && (!shared || mock.parts.routing.answers(request.method, url.pathname));
  };

  return [
    http.all(isOurs, async ({ request }) => {
      const began = mock.epoch;
      const { method, headers, signal, url } = request;
      const preflight = cors?.preflight(method, headers);
      if (preflight !== undefined) return toHttpResponse(preflight);
      const { pathname: path, search } = new URL(url);
      const isStream = mock.parts.routing.streams(method, path);
      const body = isStream ? undefined : (await readRequestBody(request, bodyBytes)).body;
      // The cast: a ReadableStream, in Node, is iterable.
      const stream = isStream ? ((request.body ?? undefined) as RequestStream | undefined) : undefined;
      const query = search.slice(1);
      const response = await handle({ method, path, query, headers, body, stream, url }, signal, began);
      return toHttpResponse(response, cors?.headersFor(headers, response));
    }),
  ];
}
