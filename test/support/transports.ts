import { onTestFinished } from 'vitest';
import { type ClientOptions, createClient, type FetchLike, type Route } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { json, open, type Wire } from './server.ts';

/** A way to a real server. `fetch` is what `createClient({ fetch })` takes; undefined is the default. */
export interface TestTransport {
  readonly name: string;
  readonly fetch: FetchLike | undefined;
}

/** Every suite of `test/route` that needs a real server runs over each of these: a new transport is one line. */
export const transports: readonly TestTransport[] = [
  { name: 'global fetch', fetch: undefined },
  { name: 'fetch option', fetch: (url, init) => globalThis.fetch(url, init) },
];

/** Where requests arrive, and what arrived. */
export interface Echo {
  readonly url: string;
  readonly fetch: FetchLike | undefined;
  readonly seen: Wire[];
}

interface EchoKind {
  readonly name: string;
  readonly open: () => Promise<Echo>;
}

/** What is sent can also be seen without a server: by a `fetch` that keeps it. */
export const echoes: readonly EchoKind[] = [
  ...transports.map(({ name, fetch }) => ({ name: `${name} to a server`, open: () => overServer(fetch) })),
  { name: 'fetch in memory', open: async () => inMemory(async () => Response.json({})) },
];

/** For suites that send to `/_db/mydb/svc` only: a mock answers what a test has added to it. */
export const routeEchoes: readonly EchoKind[] = [...echoes, { name: 'mock.fetch', open: overMock }];

async function overServer(fetch: FetchLike | undefined): Promise<Echo> {
  const server = await open(json({}));
  onTestFinished(server.close);
  return { url: server.url, fetch, seen: server.seen };
}

async function overMock(): Promise<Echo> {
  const mock = await createMock({ authentication: { mode: 'None' } });
  for (const pattern of ['/_db/mydb/svc', '/_db/mydb/svc/*']) mock.route('*', pattern, () => ({ body: {} }));
  return inMemory(mock.fetch);
}

/** Keeps what is sent, then hands it on. */
function inMemory(answer: (request: Request) => Promise<Response>): Echo {
  const seen: Wire[] = [];
  const fetch: FetchLike = async (url, init) => {
    const request = new Request(url, init);
    const copy = request.clone();
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const headers = new Map([...request.headers].map(([name, value]) => [name, [value]]));
    seen.push({ method: request.method, target: pathname + search, headers, body });
    return answer(copy);
  };
  return { url: 'http://memory.test:8529', fetch, seen };
}

/** `createClient` over a transport, without retries unless a test asks for them. */
export function clientOf(
  to: { readonly url: string },
  transport: { readonly fetch?: FetchLike | undefined } = {},
  options: Partial<ClientOptions> = {},
) {
  return createClient({ url: to.url, retry: 0, ...(transport.fetch && { fetch: transport.fetch }), ...options });
}

/** `R` of docs/route.md: the route `svc` of the database `mydb`. */
export function routeOf(...args: Parameters<typeof clientOf>): Route {
  return clientOf(...args)
    .database('mydb')
    .route('svc');
}
