import { type CallOptions, type CallSender, callReaders, prepareCall, readSender } from './connection/call.js';
import { type HeaderLayer, type HeadersSource, mergeHeaders, readHeaders } from './connection/headers.js';
import type { ResponseBodies, ResponseType, RouteResponse } from './connection/response.js';
import type { SchemaOutput, StandardSchema } from './connection/schema.js';
import {
  below,
  type EncodedPath,
  encodeQuery,
  joinQueries,
  type PathSegments,
  type Query,
  type QueryValue,
} from './connection/url.js';
import { InvalidArgumentError } from './errors.js';
import { asGiven, optionsOf, readArgument, readFields, readFlag } from './lib/readers.js';
import { isObject } from './lib/values.js';

/** What `route.with` takes; `undefined` removes an inherited one. */
export interface RouteOptions extends CallOptions {
  /** Merged header by header with those of the route; `null` or `undefined` removes one. */
  readonly headers?: HeadersSource | undefined;
}

/** What `route.request` takes; every field is optional. */
export interface RequestOptions extends RouteOptions {
  /** The HTTP method, in any case. Default `GET`. */
  readonly method?: string | undefined;
  /** Below the route; with `absolutePath` below the connection's URL. An array is data: each element one segment, encoded whole. */
  readonly path?: string | PathSegments | undefined;
  /** Leaves out the database and the route's path. Default false. */
  readonly absolutePath?: boolean | undefined;
  readonly body?: unknown;
  readonly qs?: Query | undefined;
}

/** The type of a body under given options, where they say anything about it. */
export type BodyOf<O, Otherwise> = O extends { readonly schema: infer S extends StandardSchema }
  ? SchemaOutput<S>
  : O extends { readonly responseType: infer R extends ResponseType }
    ? ResponseBodies[R]
    : O extends { readonly schema: undefined } | { readonly responseType: undefined }
      ? unknown
      : Otherwise;

/** Whether options make some failures answers; `Otherwise` where they do not say. */
export type AllowsOf<O, Otherwise extends boolean> = O extends { readonly allowStatus: readonly number[] }
  ? true
  : O extends { readonly allowStatus: undefined }
    ? false
    : Otherwise;

/** What a call answers: with `allowStatus` also a failure, whose body nobody has validated. */
export type RouteAnswer<T, Allows extends boolean> = Allows extends true
  ? (RouteResponse<T> & { readonly ok: true }) | (RouteResponse<unknown> & { readonly ok: false })
  : RouteResponse<T>;

/** A body that is an object or array (JSON), bytes, a form, a stream or JSON's own scalars; a lone string is a path. */
export type BodyArgument = object | number | boolean | undefined;

const routeReaders = { headers: readHeaders, ...callReaders };
const readRouteOptions = optionsOf(routeReaders);
const readRequestOptions = optionsOf({
  ...routeReaders,
  method: asGiven,
  path: asGiven,
  absolutePath: readFlag,
  body: asGiven,
  qs: asGiven,
});

interface RouteState {
  readonly target: EncodedPath;
  readonly headers?: HeaderLayer;
  readonly options: CallOptions;
}

/** What a verb makes of its arguments. */
interface CallParts extends RouteState {
  readonly method: unknown;
  readonly base?: 'database' | 'root';
  readonly body?: unknown;
  readonly qs?: unknown;
}

const top: RouteState = { target: { path: '', query: '' }, options: {} };

/**
 * A place below a database to send requests to. Immutable: `route` and `with` give new ones.
 *
 * Every verb answers with a promise of a `RouteResponse`. It rejects with `InvalidArgumentError` (nothing was sent),
 * `HttpError` (4xx, 5xx), `RedirectError`, `NetworkError`, `TimeoutError`, `AbortError`, `ParseError`, `SchemaError` or
 * `CredentialsError`, and with nothing else.
 *
 * `T` is the type of a body: `unknown` until a schema (`with({ schema })`) or a type argument (`get<Order>('x')`) says more.
 */
export class Route<T = unknown, Allows extends boolean = false> {
  readonly #connection: CallSender;
  // Only `#at` sets it.
  #state: RouteState = top;

  /** The route of a connection's database; `client.route()` is the shorter way. @throws InvalidArgumentError */
  constructor(connection: CallSender) {
    this.#connection = readArgument(connection, 'connection', readSender);
  }

  static #at<T, Allows extends boolean>(connection: CallSender, state: RouteState): Route<T, Allows> {
    const route = new Route<T, Allows>(connection);
    route.#state = state;
    return route;
  }

  /** A route below this one, with headers for every request through it. @throws InvalidArgumentError for a path that leaves this one, or a header that is not valid. */
  route(headers: HeadersSource): Route<T, Allows>;
  route(path?: string | PathSegments, headers?: HeadersSource): Route<T, Allows>;
  route(...args: unknown[]): Route<T, Allows> {
    const [path, headers] = pathFirst(args, 2);
    return Route.#at(this.#connection, {
      target: this.#join(path),
      headers: mergeHeaders(
        this.#state.headers,
        headers === undefined ? undefined : readArgument(headers, 'headers', readHeaders),
      ),
      options: this.#state.options,
    });
  }

  /** This route with other options; children inherit them. @throws InvalidArgumentError naming the option. */
  with<const O extends RouteOptions>(
    options: O & OnlyKnown<O, RouteOptions>,
  ): Route<BodyOf<O, T>, AllowsOf<O, Allows>> {
    const { headers, ...given } = readFields(options, 'options', readRouteOptions);
    return Route.#at(this.#connection, {
      target: this.#state.target,
      headers: mergeHeaders(this.#state.headers, headers),
      options: { ...this.#state.options, ...given },
    });
  }

  /** GET, retried on connection errors, 429 and 503. */
  get<B = T>(qs: Exclude<Query, string>): Promise<RouteAnswer<B, Allows>>;
  get<B = T>(path?: string | PathSegments, qs?: Query): Promise<RouteAnswer<B, Allows>>;
  get(...args: unknown[]): Promise<never> {
    return this.#verb('GET', args, 2);
  }

  /** HEAD, retried like GET; the body is undefined. */
  head(qs: Exclude<Query, string>): Promise<RouteAnswer<undefined, Allows>>;
  head(path?: string | PathSegments, qs?: Query): Promise<RouteAnswer<undefined, Allows>>;
  head(...args: unknown[]): Promise<never> {
    return this.#verb('HEAD', args, 2);
  }

  /** DELETE; retried only where `retry` is set. A body goes with `request`. */
  delete<B = T>(qs: Exclude<Query, string>): Promise<RouteAnswer<B, Allows>>;
  delete<B = T>(path?: string | PathSegments, qs?: Query): Promise<RouteAnswer<B, Allows>>;
  delete(...args: unknown[]): Promise<never> {
    return this.#verb('DELETE', args, 2);
  }

  /** POST, never retried. A lone string is the path; `post('', 'text')` sends a string. */
  post<B = T>(body: BodyArgument): Promise<RouteAnswer<B, Allows>>;
  post<B = T, const A extends BodyArgument = BodyArgument>(
    body: A & NoPath<A>,
    qs?: Query,
  ): Promise<RouteAnswer<B, Allows>>;
  post<B = T>(path?: string, body?: unknown, qs?: Query): Promise<RouteAnswer<B, Allows>>;
  post(...args: unknown[]): Promise<never> {
    return this.#verb('POST', args, 3);
  }

  /** PUT; retried only where `retry` is set. A lone string is the path. */
  put<B = T>(body: BodyArgument): Promise<RouteAnswer<B, Allows>>;
  put<B = T, const A extends BodyArgument = BodyArgument>(
    body: A & NoPath<A>,
    qs?: Query,
  ): Promise<RouteAnswer<B, Allows>>;
  put<B = T>(path?: string, body?: unknown, qs?: Query): Promise<RouteAnswer<B, Allows>>;
  put(...args: unknown[]): Promise<never> {
    return this.#verb('PUT', args, 3);
  }

  /** PATCH, never retried. A lone string is the path. */
  patch<B = T>(body: BodyArgument): Promise<RouteAnswer<B, Allows>>;
  patch<B = T, const A extends BodyArgument = BodyArgument>(
    body: A & NoPath<A>,
    qs?: Query,
  ): Promise<RouteAnswer<B, Allows>>;
  patch<B = T>(path?: string, body?: unknown, qs?: Query): Promise<RouteAnswer<B, Allows>>;
  patch(...args: unknown[]): Promise<never> {
    return this.#verb('PATCH', args, 3);
  }

  /** Any request, every part by name. An option that is given overrides the route's. */
  async request<B = never, const O extends RequestOptions = RequestOptions>(
    options: O & OnlyKnown<O, RequestOptions> & FitForQuery<O> = {} as never,
  ): Promise<RouteAnswer<[B] extends [never] ? BodyOf<O, T> : B, AllowsOf<O, Allows>>> {
    return this.#send(methodOf(options), () => {
      const given = readFields(options, 'options', readRequestOptions);
      const { method, path, absolutePath, body, qs, headers, ...rest } = given;
      const own = Object.entries(rest).filter(([, value]) => value !== undefined);
      return {
        method: method ?? 'GET',
        base: absolutePath ? 'root' : 'database',
        target: absolutePath ? below(top.target, path ?? '', 'path') : this.#join(path),
        body,
        qs,
        headers: mergeHeaders(this.#state.headers, headers),
        options: { ...this.#state.options, ...Object.fromEntries(own) },
      };
    });
  }

  /** A call by position: `[path], [body, [qs]]`, of which two go without a body. */
  #verb(method: string, args: unknown[], most: 2 | 3): Promise<never> {
    return this.#send(method, () => {
      const [path, ...rest] = pathFirst(args, most);
      const [body, qs] = most === 3 ? rest : [undefined, ...rest];
      return { ...this.#state, method, target: this.#join(path), body, qs };
    });
  }

  async #send(method: unknown, read: () => CallParts): Promise<never> {
    const connection = this.#connection;
    const call = prepareCall(connection.nameOf({ method, path: this.#state.target.path }), () => {
      const { target, qs, ...rest } = read();
      return { ...rest, path: target.path, query: joinQueries(target.query, encodeQuery(qs)) };
    });
    // The edge where bytes become values: a schema has made the body, or the caller named its type.
    return connection.send(call) as Promise<never>;
  }

  #join(path: unknown): EncodedPath {
    const { target } = this.#state;
    return path === undefined ? target : below(target, path, 'path');
  }
}

/**
 * Makes an array of texts or numbers with something behind it a compile error: as a path it would stand first, but in `post`, `put` and
 * `patch` a first array is the body. `route(['items', id]).put(item)` says what is meant.
 */
export type NoPath<A> = A extends readonly [] ? A : A extends readonly (string | number | bigint)[] ? never : A;

/** Makes a misspelt option a compile error. */
export type OnlyKnown<O, Known> = { readonly [K in Exclude<keyof O, keyof Known>]: never };

/** Makes a value that no query can hold a compile error; in the verbs' own queries the compiler finds it by itself. */
export type FitForQuery<O extends { readonly qs?: Query | undefined }> = {
  readonly qs?: O['qs'] extends infer Q
    ? Q extends string | URLSearchParams
      ? Q
      : { readonly [Name in keyof Q]: QueryValue | readonly QueryValue[] }
    : never;
};

/** The method in the options of a request, as far as it can be read; they are checked later. */
function methodOf(options: unknown): unknown {
  try {
    return isObject(options) ? (options.method ?? 'GET') : undefined;
  } catch {
    return undefined;
  }
}

const isSegment = (value: unknown) => /^(string|number|bigint)$/.test(typeof value);

/** A path may be left out: what comes first is then the body, the query or the headers. @throws InvalidArgumentError for too many. */
function pathFirst(args: unknown[], most: number): unknown[] {
  const [first, second] = args;
  const isList = Array.isArray(first);
  if (most === 3 && isList && first.length > 0 && second !== undefined && first.every(isSegment)) {
    throw new InvalidArgumentError(
      'arguments',
      'a first array is the body; for a path of segments write route([…]) in front, for a body with a query request({ … })',
    );
  }
  const hasPath = first === undefined || typeof first === 'string' || (most === 2 && isList);
  const all = hasPath ? args : [undefined, ...args];
  if (all.slice(most).some((value) => value !== undefined)) {
    throw new InvalidArgumentError(
      'arguments',
      `expected at most ${most} with the path; options go into with({ … }) or request({ … })`,
    );
  }
  return all;
}
