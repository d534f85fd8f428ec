import { onTestFinished } from 'vitest';
import { type ClientOptions, createClient, type FetchLike, type Route } from '../../src/index.ts';
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

/** What is sent can also be seen without a server: by a `fetch` that keeps it. A mock that keeps requests is one more line. */
export const echoes: readonly EchoKind[] = [
  ...transports.map(({ name, fetch }) => ({ name: `${name} to a server`, open: () => overServer(fetch) })),
  { name: 'fetch in memory', open: async () => inMemory() },
];

async function overServer(fetch: FetchLike | undefined): Promise<Echo> {
  const server = await open(json({}));
  onTestFinished(server.close);
  return { url: server.url, fetch, seen: server.seen };
}

function inMemory(): Echo {
  const seen: Wire[] = [];
  const fetch: FetchLike = async (url, init) => {
    const request = new Request(url, init);
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const headers = new Map([...request.headers].map(([name, value]) => [name, [value]]));
    seen.push({ method: request.method, target: pathname + search, headers, body });
    return Response.json({});
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

/** ROUTE.md's `R`: the route `svc` of the database `mydb`. */
export function routeOf(...args: Parameters<typeof clientOf>): Route {
  return clientOf(...args)
    .database('mydb')
    .route('svc');
}
