import { gatewayMethod, isForm, takeForm } from '../wire/grpc-gateway.js';
import { DatabaseFailure, type Family, MalformedRequest } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { decodeSegment, familyOf, isGatewayPath, isManagement, mergeSlashes, notUtf8 } from '../wire/path-rules.js';
import type { Endpoint } from './endpoints.js';
import type { RouteMatch, Router } from './router.js';

/**
 * Decodes the segments of a path; none if no endpoint has such a path. In paths of the services, a name cannot contain
 * a `/`, not even encoded, and `_management` counts only as it is written.
 */
function segmentsOf(path: string, family: Family): readonly string[] {
  const parts = path.slice(1).split('/');
  if (!path.includes('%')) return parts;
  const segments = parts.map((part) => decodeSegment(part, notUtf8));
  if (family === 'database') {
    if (!segments.includes(notUtf8)) return segments;
    throw new DatabaseFailure(400, 400, 'the path contains an invalid escape');
  }
  // A server refuses other escapes before it routes.
  if (/%(?![\da-f]{2})/i.test(path)) throw new MalformedRequest('the path contains an invalid escape');
  const isHidden = isManagement(path) && !path.startsWith('/_management');
  return isHidden || /%2f/i.test(path) ? [] : segments;
}

/** Finds the endpoint of a request. `isGateway` is true if the services' gRPC gateway looks for it. */
export function lookUp<T>(router: Router<T>, exchange: Exchange, isGateway: boolean): RouteMatch<T> {
  const { family, request } = exchange;
  const method = isGateway ? gatewayMethod(exchange) : request.method;
  const path = mergeSlashes(request.path);
  const segments = (): readonly string[] => segmentsOf(path, family);
  const match = router.find(method, path, segments);
  const isGet = isGateway ? match.known && isForm(exchange) : method === 'HEAD' && family === 'database';
  if (match.target !== undefined || !isGet) return match;
  const read = router.find('GET', path, segments);
  // The gateway takes a form that no endpoint accepts for a GET whose query was too long for a URL.
  if (isGateway && read.target !== undefined) takeForm(exchange);
  return read.target === undefined ? match : read;
}

/** The endpoint that answers this method at this path, if any. */
function endpointAt<T>(router: Router<T>, method: string, sent: string): T | undefined {
  const path = mergeSlashes(sent);
  const find = (wanted: string) => router.find(wanted, path, () => segmentsOf(path, familyOf(path))).target;
  try {
    return find(method) ?? (method === 'HEAD' ? find('GET') : undefined);
  } catch {
    return undefined; // An invalid escape.
  }
}

/** True if the endpoint takes the body of such a request as a stream. */
export const takesStream = (router: Router<Endpoint>, method: string, path: string): boolean =>
  endpointAt(router, method, path)?.streams?.(method, path) === true;

/** Tells adapters how requests are answered. */
export interface Routing {
  /** True for the requests that the mock answers on an origin that it shares with a page. */
  answers(method: string, path: string): boolean;
  /** True for the requests whose body adapters pass on as a stream. */
  streams(method: string, path: string): boolean;
}

/** The routing of a mock with these endpoints. */
export const routingOf = (router: Router<Endpoint>): Routing => ({
  answers: (method, path) => isGatewayPath(path) || endpointAt(router, method, path) !== undefined,
  streams: (method, path) => takesStream(router, method, path),
});
