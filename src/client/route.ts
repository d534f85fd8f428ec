import { InvalidArgumentError } from '../base/errors.js';
import { readArgument, readFields } from '../base/lib/readers.js';
import { below, type EncodedPath, type PathSegments, type Query } from '../base/lib/url.js';
import {
  type Call,
  type CallOptions,
  type CallSender,
  type NamedCall,
  readSender,
  refused,
} from './connection/call.js';
import { type HeaderLayer, type HeadersSource, mergeHeaders, readHeaders } from './connection/headers.js';
import { methodOf, pathFirst, placed, readRequestOptions, readRouteOptions } from './route-arguments.js';
import type {
  AllowedResponse,
  AllowsOf,
  BodyArgument,
  BodyOf,
  FitForQuery,
  NoPath,
  OnlyKnown,
  RequestOptions,
  RouteOptions,
} from './route-types.js';

/** The target and the options that a route adds to each of its calls. */
interface RouteState {
  /** The base of the target: the database, or the connection's URL. */
  readonly base: 'database' | 'root';
  readonly target: EncodedPath;
  readonly headers?: HeaderLayer;
  readonly options: CallOptions;
}

const top: RouteState = { base: 'database', target: { path: '', query: '' }, options: {} };

/**
 * A path below a database or, for a service outside of one, below the connection's URL, with options for the requests
 * to it. Routes are immutable: `route` and `with` return new ones.
 *
 * Every method that sends a request returns a promise of a {@link RouteResponse}. It rejects with
 * `InvalidArgumentError` (nothing was sent), `HttpError` (4xx, 5xx), `RedirectError`, `NetworkError`, `TimeoutError`,
 * `AbortError`, `ParseError`, `SchemaError`, `UploadError` or `CredentialsError`, and with nothing else.
 *
 * `T` is the type of the response body: `unknown`, unless a schema (`with({ schema })`) or a type argument
 * (`get<Order>('x')`) sets it.
 * @example
 * ```ts
 * import { z } from 'zod';
 *
 * const orders = client.route('orders', { 'x-tenant': 'acme' });
 * const created = await orders.post({ item: 'book' });
 *
 * const typed = orders.with({ schema: z.array(z.object({ id: z.number() })), timeout: 2_000 });
 * const { body } = await typed.get('open', { limit: 5 }); // { id: number }[]
 * ```
 */
export class Route<T = unknown, Allows extends boolean = false> {
  readonly #connection: CallSender;
  readonly #state: RouteState;

  /**
   * Creates the route of a connection's database; `client.route()` is the shorter way.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if the argument is not a connection.
   */
  constructor(connection: CallSender);
  /** @internal Starts from the given state. */
  constructor(connection: CallSender, state: RouteState);
  constructor(connection: CallSender, state = top) {
    this.#connection = readArgument(connection, 'connection', readSender);
    this.#state = state;
  }

  /** The route's path on the server, encoded and without a query: `/_db/shop/orders`. */
  get path(): string {
    return this.#nameOf('').path;
  }

  /** @internal Shows the path on a console. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Route ${this.path}`;
  }

  /**
   * Returns a route below this one.
   * @param path relative to this route.
   * @param headers sent with every request of the new route, merged with those of this route. Without a path they may
   * be the first argument.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a path that leaves this route, or an invalid header.
   * @example
   * ```ts
   * const open = orders.route('open', { 'x-priority': 'low' });
   * ```
   */
  route(headers: HeadersSource): Route<T, Allows>;
  route(path?: string | PathSegments, headers?: HeadersSource): Route<T, Allows>;
  route(...args: unknown[]): Route<T, Allows> {
    const [path, headers] = pathFirst(args, 2);
    return new Route(this.#connection, {
      ...this.#state,
      target: this.#join(path),
      headers: mergeHeaders(
        this.#state.headers,
        headers === undefined ? undefined : readArgument(headers, 'headers', readHeaders),
      ),
    });
  }

  /**
   * Returns this route with other options, which the routes below it inherit. `undefined` removes an inherited option.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option.
   * @example
   * ```ts
   * const patient = orders.with({ timeout: 30_000, retry: 5 });
   * const text = await orders.with({ responseType: 'text' }).get('report');
   * ```
   */
  with<const O extends RouteOptions>(
    options: O & OnlyKnown<O, RouteOptions>,
  ): Route<BodyOf<O, T>, AllowsOf<O, Allows>> {
    const { headers, ...changes } = readFields(options, 'options', readRouteOptions);
    return new Route(this.#connection, {
      ...this.#state,
      headers: mergeHeaders(this.#state.headers, headers),
      options: { ...this.#state.options, ...changes },
    });
  }

  /**
   * Sends a GET request. It is retried after network failures, 429 and 503; twice by default.
   * @param path relative to the route; optional: `get({ limit: 5 })`.
   * @example
   * ```ts
   * const { body, headers } = await orders.get('open', { limit: 5, tag: ['a', 'b'] }); // …/open?limit=5&tag=a&tag=b
   * ```
   */
  get<B = T>(qs: Exclude<Query, string>): Promise<AllowedResponse<B, Allows>>;
  get<B = T>(path?: string | PathSegments, qs?: Query): Promise<AllowedResponse<B, Allows>>;
  get(...args: unknown[]): Promise<never> {
    return this.#verb('GET', args, 2);
  }

  /** Sends a HEAD request, which is retried like a GET. The response body is undefined. */
  head(qs: Exclude<Query, string>): Promise<AllowedResponse<undefined, Allows>>;
  head(path?: string | PathSegments, qs?: Query): Promise<AllowedResponse<undefined, Allows>>;
  head(...args: unknown[]): Promise<never> {
    return this.#verb('HEAD', args, 2);
  }

  /** Sends a DELETE request, which is retried only if `retry` is set. To send a body, use {@link Route.request}. */
  delete<B = T>(qs: Exclude<Query, string>): Promise<AllowedResponse<B, Allows>>;
  delete<B = T>(path?: string | PathSegments, qs?: Query): Promise<AllowedResponse<B, Allows>>;
  delete(...args: unknown[]): Promise<never> {
    return this.#verb('DELETE', args, 2);
  }

  /**
   * Sends a POST request, which is never retried.
   * @param path relative to the route; optional, except before a string body: a lone string is the path.
   * @param body sent as JSON, unless it is a string, bytes, a form or a stream.
   * @example
   * ```ts
   * await orders.post({ item: 'book' });
   * await orders.post('import', new Blob(['…']), { dryRun: true });
   * await orders.post('', 'a text as the body');
   * ```
   */
  post<B = T>(body: BodyArgument): Promise<AllowedResponse<B, Allows>>;
  post<B = T, const A extends BodyArgument = BodyArgument>(
    body: A & NoPath<A>,
    qs?: Query,
  ): Promise<AllowedResponse<B, Allows>>;
  post<B = T>(path?: string, body?: unknown, qs?: Query): Promise<AllowedResponse<B, Allows>>;
  post(...args: unknown[]): Promise<never> {
    return this.#verb('POST', args, 3);
  }

  /** Sends a PUT request, which is retried only if `retry` is set. Takes the arguments of {@link Route.post}. */
  put<B = T>(body: BodyArgument): Promise<AllowedResponse<B, Allows>>;
  put<B = T, const A extends BodyArgument = BodyArgument>(
    body: A & NoPath<A>,
    qs?: Query,
  ): Promise<AllowedResponse<B, Allows>>;
  put<B = T>(path?: string, body?: unknown, qs?: Query): Promise<AllowedResponse<B, Allows>>;
  put(...args: unknown[]): Promise<never> {
    return this.#verb('PUT', args, 3);
  }

  /** Sends a PATCH request, which is never retried. Takes the arguments of {@link Route.post}. */
  patch<B = T>(body: BodyArgument): Promise<AllowedResponse<B, Allows>>;
  patch<B = T, const A extends BodyArgument = BodyArgument>(
    body: A & NoPath<A>,
    qs?: Query,
  ): Promise<AllowedResponse<B, Allows>>;
  patch<B = T>(path?: string, body?: unknown, qs?: Query): Promise<AllowedResponse<B, Allows>>;
  patch(...args: unknown[]): Promise<never> {
    return this.#verb('PATCH', args, 3);
  }

  /**
   * Sends any request, from named parts. Options given here override the route's.
   * @example
   * ```ts
   * await orders.request({ method: 'PATCH', path: '17', body: { paid: true }, timeout: 500 });
   * const version = await orders.request({ path: '/_api/version', absolutePath: true });
   * ```
   */
  async request<B = never, const O extends RequestOptions = RequestOptions>(
    options: O & OnlyKnown<O, RequestOptions> & FitForQuery<O> = {} as never,
  ): Promise<AllowedResponse<[B] extends [never] ? BodyOf<O, T> : B, AllowsOf<O, Allows>>> {
    const body = () => [options.body];
    return this.#send(methodOf(options), body, () => {
      const request = readFields(options, 'options', readRequestOptions);
      const { method, path, absolutePath, body, qs, headers, ...rest } = request;
      const overrides = Object.entries(rest).filter(([, value]) => value !== undefined);
      return {
        method: method ?? 'GET',
        base: absolutePath ? 'root' : this.#state.base,
        ...placed(absolutePath ? below(top.target, path ?? '') : this.#join(path), qs),
        body,
        headers: mergeHeaders(this.#state.headers, headers),
        options: { ...this.#state.options, ...Object.fromEntries(overrides) },
      };
    });
  }

  /** @internal Returns this route with another transport for its calls; undefined if its sender cannot have one. */
  over(makeTransport: Parameters<NonNullable<CallSender['over']>>[0]): Route<T, Allows> | undefined {
    const sender = this.#connection.over?.(makeTransport);
    return sender && new Route(sender, this.#state);
  }

  /** Sends a call with positional arguments: path, body and query. `most` is 2 if there is no body. */
  #verb(method: string, args: unknown[], most: 2 | 3): Promise<never> {
    return this.#send(
      method,
      () => args,
      () => {
        const [path, second, third] = pathFirst(args, most);
        const [body, qs] = most === 3 ? [second, third] : [undefined, second];
        const { base, headers, options } = this.#state;
        return { ...placed(this.#join(path), qs), base, method, body, headers, options };
      },
    );
  }

  /**
   * Sends the call that `read` builds from its arguments. If they are rejected, the error names `method`, and streams
   * in `inputs` are cancelled.
   */
  #send(method: unknown, inputs: () => unknown[], read: () => Call): Promise<never> {
    // Not an async function, which would cost each call another promise.
    let call: Call;
    try {
      call = read();
    } catch (error) {
      return Promise.reject(refused(error, this.#nameOf(method), inputs));
    }
    // Trust boundary: the body's type comes from the schema or the caller.
    return this.#connection.send(call) as Promise<never>;
  }

  #nameOf(method: unknown): NamedCall {
    const { base, target } = this.#state;
    return this.#connection.nameOf({ method, base, path: target.path });
  }

  /** Resolves a path relative to the route. */
  #join(path: unknown): EncodedPath {
    const { target } = this.#state;
    return path === undefined ? target : below(target, path);
  }
}

/**
 * Returns a route below the connection's URL instead of a database.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a path that is missing, empty or not valid.
 */
export function rootRoute(connection: CallSender, path: unknown, headers?: HeadersSource): Route {
  const target = below(top.target, path);
  if (!target.path) throw new InvalidArgumentError('path', 'must not be empty');
  return new Route(connection, { ...top, base: 'root', target }).route(undefined, headers);
}
