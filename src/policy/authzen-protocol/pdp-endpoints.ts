import { evaluate, evaluateBatch, type Judge } from './evaluate.js';
import { PdpRefusal } from './pdp-refusal.js';
import { type Searcher, type SearchKind, search } from './search.js';

/** The address of a PDP: its origin, and the path of its identifier without a trailing slash. */
export type PdpUrl = { readonly origin: string; readonly prefix: string };

/** The parts of a PDP. */
export interface PdpContext {
  readonly url: PdpUrl;
  readonly judge: Judge;
  /** Undefined if there are no searches. */
  readonly searcher?: Searcher | undefined;
}

/** A request, independent of the runtime. */
export interface PdpRequest {
  readonly method: string;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The value of a header, by its lower-case name. */
  header(name: string): string | null | undefined;
  /** Authenticates the caller; only `true` admits it. */
  isAuthentic(): unknown;
  /** Reads the whole body; undefined if it is longer than `most` bytes. */
  readBody(most: number): Promise<Uint8Array | undefined>;
}

/** An answer; without a body for HEAD. */
export interface PdpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** The paths of the standard, by the key of the metadata. */
export const endpointPaths = {
  access_evaluation_endpoint: '/access/v1/evaluation',
  access_evaluations_endpoint: '/access/v1/evaluations',
  search_subject_endpoint: '/access/v1/search/subject',
  search_resource_endpoint: '/access/v1/search/resource',
  search_action_endpoint: '/access/v1/search/action',
} as const;

/** The path of the metadata, to which the path of the PDP's identifier is appended. */
export const metadataPath = '/.well-known/authzen-configuration';

/** The most bytes of a body. */
const mostBytes = 1_048_576;

type Endpoint = (body: unknown) => Promise<object>;

/** The endpoints that a PDP has. */
function endpointsOf({ judge, searcher }: PdpContext): ReadonlyMap<keyof typeof endpointPaths, Endpoint> {
  const endpoints = new Map<keyof typeof endpointPaths, Endpoint>([
    ['access_evaluation_endpoint', (body) => evaluate(body, judge)],
    ['access_evaluations_endpoint', (body) => evaluateBatch(body, judge)],
  ]);
  if (searcher === undefined) return endpoints;
  // Without candidates there are no resources to list.
  const kinds: SearchKind[] = ['subject', ...(searcher.candidates.resources ? (['resource'] as const) : []), 'action'];
  for (const kind of kinds) endpoints.set(`search_${kind}_endpoint`, (body) => search(kind, body, searcher));
  return endpoints;
}

const answer = (status: number, value: unknown, headers: Readonly<Record<string, string>>): PdpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

async function readJson(request: PdpRequest): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '')) {
    throw new PdpRefusal(400, 'content-type: expected application/json');
  }
  const bytes = await request.readBody(mostBytes);
  if (bytes === undefined) throw new PdpRefusal(413, `the body is larger than ${mostBytes} bytes`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new PdpRefusal(400, 'the body is not JSON in UTF-8');
  }
}

async function serve(request: PdpRequest, context: PdpContext): Promise<PdpAnswer> {
  const { origin, prefix } = context.url;
  const endpoints = endpointsOf(context);
  const { method, path } = request;
  if (path === metadataPath + prefix) {
    if (method !== 'GET' && method !== 'HEAD') throw new PdpRefusal(405, 'expected GET', { allow: 'GET, HEAD' });
    const urls = [...endpoints.keys()].map((key) => [key, origin + prefix + endpointPaths[key]]);
    const metadata = { policy_decision_point: origin + prefix, ...Object.fromEntries(urls) };
    return answer(200, metadata, { 'cache-control': 'max-age=300' });
  }
  const [, endpoint] = [...endpoints].find(([key]) => path === prefix + endpointPaths[key]) ?? [];
  if (endpoint === undefined) throw new PdpRefusal(404, 'not found');
  if (method !== 'POST') throw new PdpRefusal(405, 'expected POST', { allow: 'POST' });
  // Authenticates before the body is read, so that an unknown caller cannot make this process hold a megabyte.
  if ((await request.isAuthentic()) !== true) {
    throw new PdpRefusal(401, 'unauthenticated', { 'www-authenticate': 'Bearer' });
  }
  return answer(200, await endpoint(await readJson(request)), { 'cache-control': 'no-store' });
}

/** Answers a request to a PDP; never rejects. `fail` answers an error other than a refusal. */
export async function answerPdp(
  request: PdpRequest,
  context: PdpContext,
  fail: (error: unknown) => { status: number; headers: Readonly<Record<string, string>>; message: string },
): Promise<PdpAnswer> {
  const id = request.header('x-request-id');
  const echoed = typeof id === 'string' ? { 'x-request-id': id } : {};
  try {
    const { status, headers, body } = await serve(request, context);
    return { status, headers: { ...headers, ...echoed }, body };
  } catch (error) {
    const { status, headers, message } = error instanceof PdpRefusal ? error : fail(error);
    return answer(status, message, { 'cache-control': 'no-store', ...headers, ...echoed });
  }
}
