import type { Sent } from '../../client/services/support.ts';

/** Responses of the services to an evaluation, with their meaning for the caller. */
export interface Outcome {
  readonly name: string;
  readonly answer: (sent: Sent) => unknown;
  readonly status: 200 | 401 | 403 | 503;
  readonly retryAfter?: string;
}

/** The answer to one item or to many. */
const decide =
  (effect: unknown) =>
  ({ body }: Sent): object => {
    const one = { effect, message: 'said the service' };
    const { items } = body as { readonly items?: readonly unknown[] };
    return items === undefined ? one : { ...one, items: items.map(() => one) };
  };

const fails =
  (status: number, code: number, headers: Record<string, string> = {}) =>
  (): Response =>
    Response.json({ code, message: 'said the service', details: [] }, { status, headers });

const text =
  (body: string, type: string, status = 200) =>
  () =>
    new Response(body, { status, headers: { 'content-type': type } });

const refused = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));

export const allow: Outcome = { name: 'Allow', answer: decide('Allow'), status: 200 };

export const outcomes: readonly Outcome[] = [
  allow,
  { name: 'Deny', answer: decide('Deny'), status: 403 },
  { name: 'an unknown effect', answer: decide('allow'), status: 403 },
  { name: 'no effect', answer: decide(undefined), status: 403 },
  { name: '400, code 9', answer: fails(400, 9), status: 401 },
  { name: '400, another code', answer: fails(400, 3), status: 503 },
  { name: '400 without a code', answer: text('', 'text/plain', 400), status: 503 },
  { name: '401', answer: fails(401, 16), status: 503 },
  { name: '401, code 9', answer: fails(401, 9), status: 503 },
  { name: '403', answer: fails(403, 7), status: 503 },
  { name: '404', answer: fails(404, 5), status: 503 },
  { name: '429', answer: fails(429, 8, { 'retry-after': '7' }), status: 503, retryAfter: '7' },
  { name: '500', answer: fails(500, 13), status: 503 },
  { name: '500, code 9', answer: fails(500, 9), status: 503 },
  { name: '503', answer: fails(503, 14, { 'retry-after': '30' }), status: 503, retryAfter: '30' },
  { name: 'connection refused', answer: refused, status: 503 },
  { name: 'a response that is not JSON', answer: text('{"effect":"Allow"', 'application/json'), status: 503 },
  { name: 'Allow as text', answer: text('Allow', 'text/plain'), status: 503 },
  { name: 'a redirect', answer: () => Response.redirect('http://elsewhere.test/', 302), status: 503 },
  { name: 'JSON of another shape', answer: () => ['Allow'], status: 503 },
];

/** The headers and the body of a refusal, by its status. */
export function refusal(status: number, { challenge = 'Bearer', retryAfter = '5' } = {}) {
  const always = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  const body = (code: number, message: string) => ({ code, message, details: [] });
  if (status === 401) {
    return { status, headers: { ...always, 'www-authenticate': challenge }, body: body(16, 'Unauthenticated') };
  }
  if (status === 403) return { status, headers: always, body: body(7, 'Permission denied') };
  return { status, headers: { ...always, 'retry-after': retryAfter }, body: body(14, 'Unavailable') };
}
