import ky from 'ky';
import { onTestFinished } from 'vitest';
import { fetchTransport } from '../../src/connection/fetch-transport.ts';
import { type ClientOptions, createClient, type Route } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { nodeTransport } from '../../src/node/index.ts';
import { json, open, type Wire } from './server.ts';

/** The options of `createClient` that say how requests are sent; none is the default. */
export type SendOptions = Pick<ClientOptions, 'fetch' | 'transport' | 'ky'>;

/** A transport that sends to a real server. */
export interface TestTransport extends SendOptions {
  readonly name: string;
}

const all: readonly TestTransport[] = [
  { name: 'global fetch' },
  { name: 'fetch option', fetch: (url, init) => globalThis.fetch(url, init) },
  // The default of a bundle without ky.
  { name: 'fetch itself', transport: fetchTransport(undefined) },
  { name: 'nodeTransport', transport: nodeTransport() },
  // Its own retries and its timeout do not count.
  { name: "the caller's ky", ky: ky.create({ retry: 9, timeout: 1, hooks: { beforeRequest: [() => undefined] } }) },
];

// A mutant of src is the same over all transports (scripts/mutate.ts), and there are thousands of them.
const isMutated = process.env.MUTATED_ROOM !== undefined;

// Over another undici (the undici projects of vitest.config.ts) there is nothing new to see in the other transports.
const isOverUndici = process.env.UNDICI !== undefined;

/** Every suite of `test/connection` and `test/route` that needs a server runs over each: a new transport is one line. */
export const transports: readonly TestTransport[] = isMutated
  ? all.slice(0, 1)
  : all.filter(({ name }) => !isOverUndici || name === 'nodeTransport');

/** Where requests arrive, and what arrived. */
export interface EchoServer extends SendOptions {
  readonly url: string;
  readonly seen: Wire[];
}

interface EchoKind {
  readonly name: string;
  readonly open: () => Promise<EchoServer>;
}

/** What is sent can also be seen without a server: by a `fetch` that keeps it. */
export const echoes: readonly EchoKind[] = [
  ...transports.map((way) => ({ name: `${way.name} to a server`, open: () => overServer(way) })),
  { name: 'fetch in memory', open: async () => inMemory(async () => Response.json({})) },
];

/** For suites that send to `/_db/mydb/svc` only: a mock answers what a test has added to it. */
export const routeEchoes: readonly EchoKind[] = isMutated
  ? echoes
  : [...echoes, { name: 'mock.fetch', open: overMock }];

async function overServer(way: SendOptions): Promise<EchoServer> {
  const server = await open(json({}));
  onTestFinished(server.close);
  return { ...sendOptionsOf(way), url: server.url, seen: server.seen };
}

async function overMock(): Promise<EchoServer> {
  const mock = await createMock({ authentication: { mode: 'None' } });
  for (const pattern of ['/_db/mydb/svc', '/_db/mydb/svc/*']) mock.route('*', pattern, () => ({ body: {} }));
  return inMemory(mock.fetch);
}

/** Keeps what is sent, then hands it on. */
function inMemory(answer: (request: Request) => Promise<Response>): EchoServer {
  const seen: Wire[] = [];
  const fetch = async (url: string, init: RequestInit) => {
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

/** The fields of an object that say how requests are sent. */
export const sendOptionsOf = ({ fetch, transport, ky }: SendOptions): SendOptions => ({ fetch, transport, ky });

/** `createClient` over a transport, without retries unless a test asks for them. */
export function clientOf(to: { readonly url: string }, way: SendOptions = {}, options: Partial<ClientOptions> = {}) {
  return createClient({ url: to.url, retry: 0, ...sendOptionsOf(way), ...options });
}

/** `R` of docs/route.md: the route `svc` of the database `mydb`. */
export function routeOf(...args: Parameters<typeof clientOf>): Route {
  return clientOf(...args)
    .database('mydb')
    .route('svc');
}

// ky and undici are loaded with the first call: a test with a short timeout is not about that.
const server = await open();
for (const way of transports) await clientOf(server, way).route().get();
await server.close();
