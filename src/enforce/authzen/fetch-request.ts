import { readUpTo } from '../../base/lib/read-up-to.js';
import type { ByteStream } from '../../base/lib/web-types.js';
import type { PdpRequest } from '../../policy/authzen-protocol/pdp-endpoints.js';

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
