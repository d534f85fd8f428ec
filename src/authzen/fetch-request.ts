import type { PdpRequest } from '../authzen-protocol/endpoints.js';
import { readUpTo } from '../lib/read-up-to.js';
import type { ByteStream } from '../lib/web-types.js';

/** Adapts a `Request`. */
export function fetchRequest(request: Request, isAuthentic: () => unknown): PdpRequest {
  const { method, headers } = request;
  return {
    method,
    path: new URL(request.url).pathname,
    header: (name) => headers.get(name),
    isAuthentic,
    // The cast: lib dom and Node declare different classes.
    readBody: (most) => readUpTo(request.body as ByteStream | null, most),
  };
}
