import { InvalidArgumentError } from '../../base/errors.js';
import {
  accepting,
  asGiven,
  optionsOf,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFunction,
  readObject,
  withMethods,
} from '../../base/lib/readers.js';
import { below, encodeQuery, joinQueries, type Query } from '../../base/lib/url.js';
import { hasMethod, isPlainObject } from '../../base/lib/values.js';
import type { OperationOf, PathsOf, ResponsesOf } from '../../base/openapi-document/operation-types.js';
import type { RouteResponse } from '../connection/response.js';
import type { StandardSchema } from '../connection/schema.js';
import type { TypedCall, TypedResponse, TypedRoute } from '../openapi/typed-types.js';
import type { Route } from '../route.js';
import type { AllowedResponse } from '../route-types.js';

/** Options of {@link paginate}. */
export interface PaginateOptions<Page> {
  /** The path of the first page, relative to the route. */
  readonly path?: string | undefined;
  /** The query of the first page. */
  readonly query?: Query | undefined;
  /**
   * Returns the next page: its query, merged over `query` if both are plain objects, or its link as a string, resolved
   * against the URL of this page. Undefined, null or an empty string ends the iteration.
   */
  readonly next: (page: Page) => Exclude<Query, string> | string | null | undefined;
}

/** The response with a page of a typed route. */
export type TypedPage<Paths, P extends keyof Paths, S, A extends readonly unknown[]> = TypedResponse<
  ResponsesOf<OperationOf<Paths, P, 'get'>>,
  S,
  undefined,
  A
>;

/** The query of a typed call, whose fields may be left out. */
export type PartOfQuery<Call> = Call extends { readonly query?: infer Q }
  ? Partial<Exclude<Q, string | URLSearchParams>>
  : never;

/** The options of a typed call that lists pages: its own, and `next`. */
export type TypedPaginateOptions<Paths, P extends keyof Paths, S, A extends readonly unknown[]> = TypedCall<
  Paths,
  'get',
  P,
  S,
  undefined,
  A
> & {
  /**
   * Returns the next page: its query, merged over `query` if both are plain objects, or its link as a string, resolved
   * against the URL of this page. Undefined, null or an empty string ends the iteration.
   */
  readonly next: (
    page: TypedPage<Paths, P, S, A>,
  ) => PartOfQuery<TypedCall<Paths, 'get', P, S, undefined, A>> | URLSearchParams | string | null | undefined;
};

/** A function of the caller, whose result is checked. */
type Next = (page: unknown) => unknown;

export const readPaginateOptions = optionsOf({
  path: asGiven,
  query: accepting<unknown>(
    'a plain object, a string or URLSearchParams',
    (value) => typeof value === 'string' || value instanceof URLSearchParams || isPlainObject(value),
  ),
  next: readFunction as Reader<Next>,
} satisfies ReadersOf<PaginateOptions<unknown>>);

/** No server accepts a longer URL. */
const longestLink = 65_536;

const refusal = (problem: string) => new InvalidArgumentError('next', problem);

/** A list that is requested page by page. */
interface Listing {
  /** The path of the route, which links must not leave. */
  readonly base: string;
  readonly query: unknown;
  /** Returns the query that the options give to the first page, encoded. */
  given(): string;
  /** Requests a page of the list. */
  ask(query: unknown): Promise<RouteResponse>;
  /** Requests the page of a link. */
  follow(path: string, query: string): Promise<RouteResponse>;
}

/**
 * Iterates over the pages of a list. A page is requested when the loop reaches it.
 * @param route the route of the list; links must not leave it. A typed route (`typed` of `arango-services/openapi`)
 * takes the path of a GET operation, and its parameters and options beside `next`; pages have its documented type.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a link that leaves the route, and for the same page twice
 * in a row; the errors of the route.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { paginate } from 'arango-services/stream';
 * import * as z from 'zod/mini';
 *
 * const schema = z.object({ items: z.array(z.string()), cursor: z.optional(z.string()) });
 * const orders = createClient({ url: 'http://localhost:8529' }).route('orders').with({ schema });
 * const pages = paginate(orders, {
 *   query: { limit: 50 },
 *   next: ({ body }) => body.cursor && { cursor: body.cursor },
 * });
 * for await (const { body } of pages) console.log(body.items);
 * ```
 */
export function paginate<T, Allows extends boolean>(
  route: Route<T, Allows>,
  options: PaginateOptions<AllowedResponse<T, Allows>>,
): AsyncGenerator<AllowedResponse<T, Allows>, void, undefined>;
export function paginate<
  Paths,
  P extends PathsOf<Paths, 'get'>,
  S extends StandardSchema | undefined = undefined,
  const A extends readonly number[] = [],
>(
  route: TypedRoute<Paths>,
  path: P,
  options: TypedPaginateOptions<Paths, P, S, A>,
): AsyncGenerator<TypedPage<Paths, P, S, A>, void, undefined>;
export async function* paginate(
  route: Route | TypedRoute<never>,
  ...args: readonly unknown[]
): AsyncGenerator<unknown, void, undefined> {
  const typed = typeof args[0] === 'string' && !hasMethod(route, 'request');
  const options = readArgument(args[typed ? 1 : 0], 'options', readObject);
  // The cast: the signatures allow a path with a typed route only, and `listTyped` checks the route's method.
  if (typed) yield* pagesOf(listTyped(route as TypedRoute<never>, args[0] as string, options), options.next);
  else yield* pagesOf(listPlain(route as Route, options), options.next);
}

/** The list of a route. */
function listPlain(route: Route, options: unknown): Listing {
  const { path, query } = readFields(options, 'options', readPaginateOptions);
  // The casts: the parts are checked by the request itself.
  return {
    base: route.path,
    query,
    given: () => joinQueries(below({ path: '', query: '' }, path ?? '').query, encodeQuery(query)),
    ask: (qs) => route.request({ path, qs } as never),
    follow: (path, qs) => route.request({ path, qs } as never),
  };
}

/** The call of a typed route, of any path. */
type AnyTyped = { readonly path: string; get(path: string, options: object): Promise<RouteResponse> };
const readTyped = withMethods<AnyTyped>('a typed route', 'get');

/** The list of an operation of a typed route. */
function listTyped(source: TypedRoute<never>, operation: string, options: Readonly<Record<string, unknown>>): Listing {
  const route = readArgument(source, 'route', readTyped);
  const { next, query, path, ...call } = options;
  readFields({ query, next }, 'options', readPaginateOptions);
  return {
    base: route.path,
    query,
    given: () => encodeQuery(query),
    ask: (query) => route.get(operation, { ...call, path, query }),
    // The path of a link holds no braces, which a URL encodes, and so no parameters.
    follow: (path, query) => route.get(path, { operation, ...call, query }),
  };
}

/** Iterates over the pages of a list; `next` was read with its options. */
async function* pagesOf(list: Listing, next: unknown): AsyncGenerator<unknown, void, undefined> {
  if (next === undefined) throw refusal('expected a function, got undefined');
  const query = isPlainObject(list.query) ? { ...list.query } : list.query;
  let inherited: string | undefined;
  let last: string | undefined;
  for (let answer = list.ask(query); ; ) {
    const page = await answer;
    if (page.url === last) throw refusal('led to the same page twice in a row');
    last = page.url;
    inherited ??= inheritedQuery(page.url, list.given());
    yield page;
    const more = (next as Next)(page);
    if (more === undefined || more === null || more === '') return;
    if (typeof more === 'string') answer = list.follow(...linked(more, page.url, list.base, inherited));
    else answer = list.ask(isPlainObject(query) && isPlainObject(more) ? { ...query, ...more } : more);
  }
}

/** The query that the route adds to each request: that of the first page's URL, without the query of its options. */
function inheritedQuery(url: string, added: string): string {
  const sent = new URL(url).search.slice(1);
  return sent.endsWith(added) ? sent.slice(0, sent.length - added.length) : '';
}

/** The pairs of an encoded query. */
const pairsOf = (query: string): string[] => query.split('&').filter((pair) => pair !== '');

/** A pair in a canonical encoding. */
const plain = (pair: string): string => `${new URLSearchParams(pair)}`;

/**
 * Turns a link into a path and a query below the route.
 * @throws InvalidArgumentError for any other link; the message does not contain it.
 */
function linked(link: string, from: string, base: string, inherited: string): [path: string, query: string] {
  if (link.length > longestLink) throw refusal(`returned a link longer than ${longestLink} characters`);
  // The URL parser would drop control characters, and read a backslash as a slash.
  const url = /[\p{Cc}\\]/u.test(link) || !URL.canParse(link, from) ? undefined : new URL(link, from);
  const floor = base.replace(/\/$/, '');
  const rest = url?.pathname.slice(floor.length) ?? '';
  const isBelow =
    url?.origin === new URL(from).origin &&
    url.username + url.password === '' &&
    url.pathname.startsWith(floor) &&
    /^(\/|$)/.test(rest) &&
    // A path never begins with two slashes.
    !rest.startsWith('//');
  if (!isBelow) throw refusal('returned a link that is not below the route');
  // Servers repeat the request's query in their links, but the route adds its own part anyway.
  const added = new Map<string, number>();
  for (const pair of pairsOf(inherited).map(plain)) added.set(pair, (added.get(pair) ?? 0) + 1);
  const pairs = pairsOf(url.search.slice(1)).filter((pair) => {
    const text = plain(pair);
    const left = added.get(text) ?? 0;
    if (left > 0) added.set(text, left - 1);
    return left === 0;
  });
  return [rest, pairs.join('&')];
}
