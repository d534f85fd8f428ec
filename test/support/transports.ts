import ky from 'ky';
import { expect, onTestFinished } from 'vitest';
import { fetchTransport } from '../../src/client/connection/fetch-transport.ts';
import { nodeTransport } from '../../src/client/node/index.ts';
import { type Client, type ClientOptions, createClient, type Route } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { json, open, type Wire } from './server.ts';
import { isRelease } from './thorough.ts';

/** The options of `createClient` that select how requests are sent; none selects the default. */
export type SendOptions = Pick<ClientOptions, 'fetch' | 'transport' | 'ky'>;

/** A way to make the route `svc` of a client. */
interface RouteKind {
  readonly name: string;
  /** The route's path, if the database is `mydb`. */
  readonly path: string;
  readonly make: (client: Client) => Route;
}

const kinds = {
  route: { name: 'route', path: '/_db/mydb/svc', make: (client) => client.route('svc') },
  service: { name: 'service', path: '/_service/uds/_db/mydb/svc', make: (client) => client.service('svc') },
  absolute: { name: 'absoluteRoute', path: '/_platform/svc', make: (client) => client.absoluteRoute('_platform/svc') },
} as const satisfies Record<string, RouteKind>;

/** The way to make a route, and how its requests are sent. */
interface RouteWay extends SendOptions {
  readonly kind?: RouteKind | undefined;
}

/** A transport that sends to a real server. */
export interface TestTransport extends RouteWay {
  readonly name: string;
}

const all: readonly TestTransport[] = [
  { name: 'global fetch' },
  { name: 'fetch option', fetch: (url, init) => globalThis.fetch(url, init) },
  // The default of a bundle without ky.
  { name: 'fetch itself', transport: fetchTransport(undefined) },
  { name: 'nodeTransport', transport: nodeTransport() },
  // Its own retries and timeout are ignored.
  { name: "the caller's ky", ky: ky.create({ retry: 9, timeout: 1, hooks: { beforeRequest: [() => undefined] } }) },
];

// Mutation tests use one transport (scripts/mutate.ts): there are thousands of mutants, and all transports agree.
const isMutated = process.env.MUTATED_ROOM !== undefined;

/** True for the transports that another release of undici or of ky affects: the projects of vitest.config.ts. */
function isAffected(name: string): boolean {
  const { UNDICI, DEPENDENCIES } = process.env;
  if (UNDICI !== undefined) return name === 'nodeTransport';
  return DEPENDENCIES !== 'oldest' || !['nodeTransport', 'fetch itself'].includes(name);
}

/** In `npm test` one transport of each engine: the others differ in what stands before it. */
function isNeeded(name: string): boolean {
  const { UNDICI, DEPENDENCIES } = process.env;
  const isOther = UNDICI !== undefined || DEPENDENCIES !== undefined;
  return isRelease || isOther || name === 'global fetch' || name === 'nodeTransport';
}

/** Every suite of `test/client/connection` that needs a server runs over each: a new transport is one line. */
export const transports: readonly TestTransport[] = isMutated
  ? all.slice(0, 1)
  : all.filter(({ name }) => isAffected(name) && isNeeded(name));

/**
 * Suites of Route's contract run over each transport below a database, and over both engines for routes outside a
 * database: the transport does not know how a path was made.
 */
export const routeWays: readonly TestTransport[] = transports.flatMap((way) => {
  const isEngine = way.name === 'global fetch' || way.name === 'nodeTransport';
  const others = isEngine && !isMutated ? [kinds.service, kinds.absolute] : [];
  return [way, ...others.map((kind) => ({ ...way, name: `${way.name}, ${kind.name}`, kind }))];
});

/** Runs the same over all ways at the same time: for tests that wait, which take no longer than the slowest way. */
export async function overEach<Way extends TestTransport>(ways: readonly Way[], run: (way: Way) => Promise<unknown>) {
  const outcomeOf = async (way: Way) => {
    try {
      await run(way);
      return 'passed';
    } catch (error) {
      return error instanceof Error ? error.stack : error;
    }
  };
  const outcomes = await Promise.all(ways.map(async (way) => [way.name, await outcomeOf(way)] as const));
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(ways.map(({ name }) => [name, 'passed'])));
}

/** The server and its requests. */
export interface EchoServer extends RouteWay {
  readonly url: string;
  readonly seen: Wire[];
}

interface EchoKind {
  readonly name: string;
  readonly open: () => Promise<EchoServer>;
}

/** Requests can also be recorded without a server, by a `fetch`. */
export const echoes: readonly EchoKind[] = [
  ...routeWays.map((way) => ({ name: `${way.name} to a server`, open: () => overServer(way) })),
  ...Object.values(kinds).map((kind) => ({
    name: `fetch in memory, ${kind.name}`,
    open: async () => ({ ...inMemory(async () => Response.json({})), kind }),
  })),
];

/** For suites that send below the route `svc` only: a mock answers what a test has added to it. */
export const routeEchoes: readonly EchoKind[] = isMutated
  ? echoes
  : [
      ...echoes,
      ...Object.values(kinds).map((kind) => ({ name: `mock.fetch, ${kind.name}`, open: () => overMock(kind) })),
    ];

async function overServer(way: RouteWay): Promise<EchoServer> {
  const server = await open(json({}));
  onTestFinished(server.close);
  return { ...way, url: server.url, seen: server.seen };
}

async function overMock(kind: RouteKind): Promise<EchoServer> {
  const mock = await createMock({ authentication: { mode: 'None' } });
  for (const pattern of [kind.path, `${kind.path}/*`]) mock.route('*', pattern, () => ({ body: {} }));
  return { ...inMemory(mock.fetch), kind };
}

/** Records a request, then passes it on. */
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

/** The fields of an object that select how requests are sent. */
export const sendOptionsOf = ({ fetch, transport, ky }: SendOptions): SendOptions => ({ fetch, transport, ky });

/** `createClient` over a transport, without retries unless a test asks for them. */
export function clientOf(to: { readonly url: string }, way: SendOptions = {}, options: Partial<ClientOptions> = {}) {
  return createClient({ url: to.url, retry: 0, ...sendOptionsOf(way), ...options });
}

/** `R` of docs/route.md: the route `svc`, of the database `mydb` unless the way makes another kind. */
export function routeOf(to: { readonly url: string }, way: RouteWay = {}, options?: Partial<ClientOptions>): Route {
  return (way.kind ?? kinds.route).make(clientOf(to, way, options).database('mydb'));
}

/** The path of `routeOf`. */
export const pathOf = ({ kind = kinds.route }: RouteWay): string => kind.path;

// ky and undici are loaded by the first call, which would cost a test with a short timeout.
const server = await open();
for (const way of transports) await clientOf(server, way).route().get();
await server.close();
