import { createGuard, verifyToken } from '../../dist/guard/index.js';
import { createClient, credentials, type TransportResponse } from '../../dist/index.js';
import { createEvaluator } from '../../dist/policy/index.js';
import { events, ndjson, readLines } from '../../dist/stream/index.js';
import type { Recipe } from './texts.ts';

/** A public function that reads foreign text. Its errors are ignored; its time counts. */
type Scan = readonly [name: string, scan: (text: string) => unknown];

const secret = 'a secret of the bench, long enough for HS256';
const url = 'http://localhost:8529';

/** A route whose calls all get this response. */
function answered(status: number, headers: Readonly<Record<string, string>>, text = '') {
  const bytes = new TextEncoder().encode(text);
  const answer: TransportResponse = {
    status,
    statusText: '',
    headers: new Map(Object.entries(headers)),
    url,
    redirected: false,
    type: 'basic',
    body: new Blob([bytes]).stream(),
    text: async () => text,
    bytes: async () => bytes,
    blob: async () => new Blob([bytes]),
  };
  const transport = { send: async () => answer };
  const bearer = credentials.bearer('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl');
  return createClient({ url, transport, credentials: bearer, retry: 0 }).route('svc');
}

async function drain(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

const json = { 'content-type': 'application/json' };
const guard = createGuard(createEvaluator({}), {
  cookies: true,
  authenticate: (token) => verifyToken(token, { secret }),
});
const ask = (headers: Readonly<Record<string, string>>) =>
  guard.check({ method: 'GET', url: '/', headers }, { action: 'a:b', resource: 'c' });

/** Code that reads an answer, an argument, a token or a request. */
export const scans: readonly Scan[] = [
  ['an error that quotes it, as JSON', (text) => answered(500, json, JSON.stringify({ message: text })).get()],
  ['an error that is it, as text', (text) => answered(500, { 'content-type': 'text/plain' }, text).get()],
  ['an answer that is it and should be JSON', (text) => answered(200, json, text).get()],
  ['the type of an answer', (text) => answered(200, { 'content-type': text }).get()],
  ['the place of a redirect that is not followed', (text) => answered(302, { location: text }).post()],
  ['Retry-After', (text) => answered(503, { 'retry-after': text }).get()],
  ['a path', (text) => answered(200, json).get(text)],
  ['a path of segments', (text) => answered(200, json).get([text])],
  ['a query', (text) => answered(200, json).get('x', text)],
  ['the value of a query', (text) => answered(200, json).get('x', { q: text })],
  ['a JSON body', (text) => answered(200, json).post('x', { [text]: text })],
  ['the value of a header', (text) => answered(200, json).route({ 'x-a': text }).get()],
  ['verifyToken', (text) => verifyToken(text, { secret })],
  ['the authorization of a guarded request', (text) => ask({ authorization: text })],
  ['the cookie of a guarded request', (text) => ask({ cookie: text })],
  ['lines', (text) => drain(readLines(new Blob([text]).stream()))],
  ['ndjson', (text) => drain(ndjson(new Blob([text]).stream()))],
  ['events', (text) => drain(events(new Blob([text]).stream()))],
];

// Escapes that begin and do not end, or that give escapes; dots, slashes, brackets, tokens that end at once.
const pumps = ['%', '%25', '%2e', '&#', '&amp;', '\\u', '\\', '"', "'", '-ey', 'ey-', 'a.', 'eyJ', '.', '../', '/']
  .concat(['//', 'a', ' ', '\t', '\n', '\r', ':', ';', '=', ',', '[', '{"a":', 'data:\n', '\0', 'é', '\u202e'])
  .concat(['<', '(', 'Bearer ', 'a=b; ', 'http://', '/json', '+json', 'charset=']);

/** Texts that could be the worst for one of these. */
export const recipes: readonly Recipe[] = pumps.flatMap((pump) =>
  ['', 'Bearer ', '/', 'a=', 'text/'].map((start) => ({ start, pump, end: '!' })),
);
