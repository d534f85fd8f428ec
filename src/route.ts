import { type Call, Connection, methodForMessages } from './connection/connection.js';
import { type HeaderLayer, type HeadersInput, mergeHeaders, noHeaders, readHeaders } from './connection/headers.js';
import { type CallOptions, callReaders, readOptions } from './connection/options.js';
import type { ResponseBodies, ResponseType, RouteResponse } from './connection/response.js';
import type { SchemaOutput, StandardSchema } from './connection/schema.js';
import { type EncodedPath, encodePath, encodeQuery, joinPaths, joinQueries, type Query } from './connection/url.js';
import { expected, InvalidArgumentError, locate } from './errors.js';

/** What `route.with` takes; `undefined` removes an inherited one. */
export interface RouteOptions extends CallOptions {
  /** Merged header by header with those of the route; `null` or `undefined` removes one. */
  readonly headers?: HeadersInput | undefined;
}

/** What `route.request` takes; every field is optional. */
export interface RequestOptions extends RouteOptions {
  /** The HTTP method, in any case. Default `GET`. */
  readonly method?: string | undefined;
  /** Below the route; with `absolutePath` below the connection's URL. */
  readonly path?: string | undefined;
  /** Leaves out the database and the route's path. Default false. */
  readonly absolutePath?: boolean | undefined;
  readonly body?: unknown;
  readonly qs?: Query | undefined;
}

/** The type of a body under given options, where they say anything about it. */
type BodyOf<O, Otherwise> = O extends { readonly schema: infer S extends StandardSchema }
  ? SchemaOutput<S>
  : O extends { readonly responseType: infer R extends ResponseType }
    ? ResponseBodies[R]
    : O extends { readonly schema: undefined } | { readonly responseType: undefined }
      ? unknown
      : Otherwise;

/** A body that is an object or array (JSON), bytes, a form, a stream or JSON's own scalars; a lone string is a path. */
type BodyArgument = object | number | boolean | undefined;

const asGiven = (value: unknown) => value;
const routeReaders = { headers: readHeaders, ...callReaders };
const requestReaders = {
  ...routeReaders,
  method: asGiven,
  path: asGiven,
  absolutePath: readFlag,
  body: asGiven,
  qs: asGiven,
};

interface Place {
  readonly target: EncodedPath;
  readonly headers: HeaderLayer;
  readonly options: CallOptions;
}

/** What a verb makes of its arguments. */
interface CallParts extends Place {
  readonly base?: 'database' | 'root';
  readonly body?: unknown;
  readonly qs?: unknown;
}

const top: Place = { target: { path: '', query: '' }, headers: noHeaders, options: {} };

/**
 * A place below a database to send requests to. Immutable: `route` and `with` give new ones.
 *
 * Every verb answers with a promise of a `RouteResponse`. It rejects with `InvalidArgumentError` (nothing was sent),
 * `HttpError` (4xx, 5xx), `RedirectError`, `NetworkError`, `TimeoutError`, `AbortError`, `ParseError`, `SchemaError` or
 * `CredentialsError`, and with nothing else.
 *
 * `T` is the type of a body: `unknown` until a schema (`with({ schema })`) or a type argument (`get<Order>('x')`) says more.
 */
export class Route<T = unknown> {
  readonly #connection: Connection;
  readonly #place: Place;

  /** The route of a connection's database; `client.route()` is the shorter way. */
  constructor(connection: Connection);
  /** @internal */
  constructor(connection: Connection, place: Place);
  constructor(connection: Connection, place: Place = top) {
    if (!(connection instanceof Connection)) {
      throw expected('connection', 'a Connection', connection);
    }
    this.#connection = connection;
    this.#place = place;
  }

  /** A route below this one, with headers for every request through it. @throws InvalidArgumentError for a path that leaves this one, or a header that is not valid. */
  route(headers: HeadersInput): Route<T>;
  route(path?: string, headers?: HeadersInput): Route<T>;
  route(...args: unknown[]): Route<T> {
    const [path, headers, ...rest] = pathFirst(args);
    refuseMore(rest, 'route([path], [headers])');
    return new Route(this.#connection, {
      target: this.#join(path),
      headers: mergeHeaders(this.#place.headers, headers === undefined ? noHeaders : readHeaders(headers, 'headers')),
      options: this.#place.options,
    });
  }

  /** This route with other options; children inherit them. @throws InvalidArgumentError naming the option. */
  with<const O extends RouteOptions>(options: O & OnlyKnown<O, RouteOptions>): Route<BodyOf<O, T>> {
    const { headers = noHeaders, ...given } = readOptions(options, routeReaders);
    return new Route(this.#connection, {
      target: this.#place.target,
      headers: mergeHeaders(this.#place.headers, headers),
      options: { ...this.#place.options, ...given },
    });
  }

  /** GET, retried on connection errors, 429 and 503. */
  get<B = T>(qs: Exclude<Query, string>): Promise<RouteResponse<B>>;
  get<B = T>(path?: string, qs?: Query): Promise<RouteResponse<B>>;
  get(...args: unknown[]): Promise<RouteResponse<never>> {
    return this.#withoutBody('GET', args);
  }

  /** HEAD, retried like GET; the body is undefined. */
  head(qs: Exclude<Query, string>): Promise<RouteResponse<undefined>>;
  head(path?: string, qs?: Query): Promise<RouteResponse<undefined>>;
  head(...args: unknown[]): Promise<RouteResponse<never>> {
    return this.#withoutBody('HEAD', args);
  }

  /** DELETE; retried only where `retry` is set. A body goes with `request`. */
  delete<B = T>(qs: Exclude<Query, string>): Promise<RouteResponse<B>>;
  delete<B = T>(path?: string, qs?: Query): Promise<RouteResponse<B>>;
  delete(...args: unknown[]): Promise<RouteResponse<never>> {
    return this.#withoutBody('DELETE', args);
  }

  /** POST, never retried. A lone string is the path; `post('', 'text')` sends a string. */
  post<B = T>(body: BodyArgument, qs?: Query): Promise<RouteResponse<B>>;
  post<B = T>(path?: string, body?: unknown, qs?: Query): Promise<RouteResponse<B>>;
  post(...args: unknown[]): Promise<RouteResponse<never>> {
    return this.#withBody('POST', args);
  }

  /** PUT; retried only where `retry` is set. A lone string is the path. */
  put<B = T>(body: BodyArgument, qs?: Query): Promise<RouteResponse<B>>;
  put<B = T>(path?: string, body?: unknown, qs?: Query): Promise<RouteResponse<B>>;
  put(...args: unknown[]): Promise<RouteResponse<never>> {
    return this.#withBody('PUT', args);
  }

  /** PATCH, never retried. A lone string is the path. */
  patch<B = T>(body: BodyArgument, qs?: Query): Promise<RouteResponse<B>>;
  patch<B = T>(path?: string, body?: unknown, qs?: Query): Promise<RouteResponse<B>>;
  patch(...args: unknown[]): Promise<RouteResponse<never>> {
    return this.#withBody('PATCH', args);
  }

  /** Any request, every part by name. An option that is given overrides the route's. */
  async request<B = never, const O extends RequestOptions = RequestOptions>(
    options: O & OnlyKnown<O, RequestOptions> = {} as O & OnlyKnown<O, RequestOptions>,
  ): Promise<RouteResponse<[B] extends [never] ? BodyOf<O, T> : B>> {
    const site = { method: 'request', path: this.#connection.pathOf(this.#place.target.path) };
    const method = locate(site, () => (options as RequestOptions | null)?.method ?? 'GET');
    return this.#send(method, () => {
      const {
        method: _,
        path,
        absolutePath,
        body,
        qs,
        headers = noHeaders,
        ...given
      } = readOptions(options, requestReaders);
      const own = Object.entries(given).filter(([, value]) => value !== undefined);
      return {
        base: absolutePath ? 'root' : 'database',
        target: absolutePath ? absolute(path) : this.#join(path),
        body,
        qs,
        headers: mergeHeaders(this.#place.headers, headers),
        options: { ...this.#place.options, ...Object.fromEntries(own) },
      };
    });
  }

  #withoutBody(method: string, args: unknown[]): Promise<RouteResponse<never>> {
    return this.#send(method, () => {
      const [path, qs, ...rest] = pathFirst(args);
      refuseMore(rest, `${method.toLowerCase()}([path], [qs])`);
      return { ...this.#place, target: this.#join(path), qs };
    });
  }

  #withBody(method: string, args: unknown[]): Promise<RouteResponse<never>> {
    return this.#send(method, () => {
      const [path, body, qs, ...rest] = pathFirst(args);
      refuseMore(rest, `${method.toLowerCase()}([path], [body, [qs]])`);
      return { ...this.#place, target: this.#join(path), body, qs };
    });
  }

  async #send(method: string, read: () => CallParts): Promise<RouteResponse<never>> {
    const connection = this.#connection;
    const site = { method: methodForMessages(method), path: connection.pathOf(this.#place.target.path) };
    const call = locate(site, (): Call => {
      const { target, qs, ...rest } = read();
      return { ...rest, method, path: target.path, query: joinQueries(target.query, encodeQuery(qs)) };
    });
    // The edge where bytes become values: a schema has made the body, or the caller named its type.
    return connection.send(call) as Promise<RouteResponse<never>>;
  }

  #join(path: unknown): EncodedPath {
    const { target } = this.#place;
    if (path === undefined) return target;
    const below = encodePath(path, 'path');
    const joined = joinPaths(target.path, below.path);
    return { path: joined, query: joinQueries(target.query, below.query) };
  }
}

function readFlag(value: unknown, field: string): boolean {
  if (typeof value === 'boolean') return value;
  throw expected(field, 'true or false', value);
}

/** A path below the connection's URL, without database and route. */
function absolute(path: unknown): EncodedPath {
  const target = encodePath(path ?? '', 'path');
  return { path: joinPaths('', target.path), query: target.query };
}

/** Makes a misspelt option a compile error. */
type OnlyKnown<O, Known> = { readonly [K in Exclude<keyof O, keyof Known>]: never };

/** A path may be left out: what comes first is then the body, the query or the headers. */
function pathFirst(args: unknown[]): unknown[] {
  return args.length === 0 || typeof args[0] === 'string' || args[0] === undefined ? args : [undefined, ...args];
}

function refuseMore(rest: readonly unknown[], signature: string): void {
  if (rest.some((value) => value !== undefined)) {
    throw new InvalidArgumentError(
      'arguments',
      `too many for ${signature}; options go into with({ … }) or request({ … })`,
    );
  }
}
