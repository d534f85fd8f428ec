import { InvalidArgumentError } from '../../base/errors.js';
import { expected } from '../../base/lib/readers.js';
import type { NeutralHeaders, NeutralResponse, ReadableHeaders } from '../wire/http.js';

/** Answers preflights, and adds the headers that let listed origins read an answer. */
export interface Cors {
  /** Answers a preflight from an allowed origin; undefined for any other request. */
  preflight(method: string, headers: ReadableHeaders): NeutralResponse | undefined;
  /** The headers to add to the response to a request with these headers. */
  headersFor(headers: ReadableHeaders, response: NeutralResponse): NeutralHeaders;
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const varies: readonly [string, string] = ['vary', 'origin'];

function isOrigin(text: unknown): text is string {
  try {
    return typeof text === 'string' && /^https?:/.test(text) && new URL(text).origin === text;
  } catch {
    return false;
  }
}

/** Allows pages of these origins only; throws InvalidArgumentError for anything but an origin, also for `*`. */
export function createCors(origins: readonly string[]): Cors | undefined {
  if (!Array.isArray(origins)) throw expected('cors', 'a list of origins', origins);
  for (const [i, origin] of origins.entries()) {
    if (!isOrigin(origin)) {
      throw new InvalidArgumentError(
        `cors[${i}]`,
        'expected an origin like "http://localhost:5173", without a path; list each origin instead of "*"',
      );
    }
  }
  if (origins.length === 0) return undefined;
  const allowed: ReadonlySet<string> = new Set(origins);
  const open = (origin: string): [string, string][] => [
    ['access-control-allow-origin', origin],
    // Pages need this to send the session cookie. It is safe because the origins are listed one by one.
    ['access-control-allow-credentials', 'true'],
  ];
  return {
    preflight(method, headers) {
      const [origin, wanted, names] = [
        headers.get('origin'),
        headers.get('access-control-request-method'),
        headers.get('access-control-request-headers'),
      ];
      if (method !== 'OPTIONS' || origin == null || wanted == null || !allowed.has(origin)) return undefined;
      return {
        status: 204,
        headers: [
          ...open(origin),
          ['access-control-allow-methods', methods],
          ...(names == null ? [] : [['access-control-allow-headers', names] as const]),
          ['access-control-max-age', '600'],
          varies,
        ],
      };
    },
    headersFor(headers, response) {
      const origin = headers.get('origin');
      if (origin == null || !allowed.has(origin)) return [varies];
      const names = new Set(response.headers.map(([name]) => name));
      return [...open(origin), ['access-control-expose-headers', [...names].join(', ')], varies];
    },
  };
}
