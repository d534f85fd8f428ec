import { type HttpHandler, HttpResponse, http } from 'msw/http';
import { InvalidArgumentError } from '../../errors.js';
import { refuseUnknown } from '../kit/filter.js';
import type { Mock } from '../mock.js';
import { hasNoBody, type NeutralHeaders, type NeutralResponse } from '../wire/http.js';
import { createCors } from './cors.js';
import { readRequestBody } from './fetch-body.js';

/** Options of `handlers`. */
export interface HandlersOptions {
  /**
   * The origin that the application calls, like `'https://db.example.com'`. Default: the mock's own,
   * `mock.connection.url`. For services on several origins, call `handlers` once for each.
   */
  readonly url?: string | undefined;
  /**
   * The origins whose pages may call, like `['http://localhost:3000']`. Needed if CORS is checked between the page and
   * msw, as jsdom does. It does not help in happy-dom, whose preflights have no headers: call the page's own origin
   * there, or disable its check. Default: none.
   */
  readonly cors?: readonly string[] | undefined;
}

// If the mock shares the page's origin, other paths belong to the page: its scripts, its own back end.
const deployment = /^\/_(?:api|db|identity|integration|login|logout|management|open)(?:\/|$)/;

function readOrigin(options: HandlersOptions, mock: Mock): string {
  refuseUnknown(options, ['url', 'cors'], 'options');
  const { url = mock.connection.url } = options;
  const parsed = typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.href !== `${parsed.origin}/`) {
    throw new InvalidArgumentError('url', 'expected an origin like "https://db.example.com", without path and query');
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
 * origin and none to another. On the page's own origin they answer only the paths of a deployment (`/_db`, `/_api`,
 * `/_integration`, …). Put your own handlers first. After the mock is disposed they answer nothing.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if `url` or an entry of `cors` is not an origin.
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
  const origin = readOrigin(options, mock);
  const cors = createCors(options.cors ?? []);
  const { bodyBytes } = mock.settings.limits;
  const shared = origin === globalThis.location?.origin;
  let open = true;
  mock.onDispose(() => {
    open = false;
  });

  const isOurs = ({ request }: { request: Request }): boolean => {
    if (!open) return false;
    const url = new URL(request.url);
    return url.origin === origin && (!shared || deployment.test(url.pathname));
  };

  return [
    http.all(isOurs, async ({ request }) => {
      const began = mock.epoch;
      const { method, headers, signal } = request;
      const preflight = cors?.preflight(method, headers);
      if (preflight !== undefined) return toHttpResponse(preflight);
      const { pathname: path, search } = new URL(request.url);
      const body = await readRequestBody(request, bodyBytes);
      const reply = await mock.handle({ method, path, query: search.slice(1), headers, body }, signal, began);
      return toHttpResponse(reply, cors?.headersFor(headers, reply));
    }),
  ];
}
