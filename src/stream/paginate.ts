import { below, encodeQuery, joinQueries, type Query } from '../connection/url.js';
import { InvalidArgumentError } from '../errors.js';
import { accepting, asGiven, optionsOf, type ReadersOf, readFields } from '../lib/readers.js';
import { isPlainObject } from '../lib/values.js';
import type { Route } from '../route.js';
import type { RouteAnswer } from '../route-types.js';

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

/** A function of the caller, whose result is checked. */
type Next = (page: unknown) => unknown;

export const readPaginateOptions = optionsOf({
  path: asGiven,
  query: accepting<unknown>(
    'a plain object, a string or URLSearchParams',
    (value) => typeof value === 'string' || value instanceof URLSearchParams || isPlainObject(value),
  ),
  next: accepting<Next>('a function', (value) => typeof value === 'function'),
} satisfies ReadersOf<PaginateOptions<unknown>>);

/** No server accepts a longer URL. */
const longestLink = 65_536;

const refusal = (problem: string) => new InvalidArgumentError('next', problem);

/**
 * Iterates over the pages of a list. A page is requested when the loop reaches it.
 *
 * @param route the route of the list. Links must not leave it.
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
export async function* paginate<T, Allows extends boolean>(
  route: Route<T, Allows>,
  options: PaginateOptions<RouteAnswer<T, Allows>>,
): AsyncGenerator<RouteAnswer<T, Allows>, void, undefined> {
  const { path, query: given, next } = readFields(options, 'options', readPaginateOptions);
  if (!next) throw refusal('expected a function, got undefined');
  const query = isPlainObject(given) ? { ...given } : given;
  let request: object = { path, qs: query };
  let inherited: string | undefined;
  for (let last: string | undefined; ; ) {
    // The cast: the parts are checked by the request itself.
    const page = (await route.request(request as never)) as RouteAnswer<T, Allows>;
    if (page.url === last) throw refusal('led to the same page twice in a row');
    last = page.url;
    inherited ??= inheritedQuery(page.url, path, query);
    yield page;
    const more = next(page);
    if (more === undefined || more === null || more === '') return;
    if (typeof more === 'string') request = linked(more, page.url, route.path, inherited);
    else request = { path, qs: isPlainObject(query) && isPlainObject(more) ? { ...query, ...more } : more };
  }
}

/** The query that the route adds to each request: that of the first page's URL, without the query of its options. */
function inheritedQuery(url: string, path: unknown, query: unknown): string {
  const sent = new URL(url).search.slice(1);
  const added = joinQueries(below({ path: '', query: '' }, path ?? '').query, encodeQuery(query));
  return sent.endsWith(added) ? sent.slice(0, sent.length - added.length) : '';
}

/** The pairs of an encoded query. */
const pairsOf = (query: string): string[] => query.split('&').filter((pair) => pair !== '');

/** A pair in a canonical encoding. */
const plain = (pair: string): string => `${new URLSearchParams(pair)}`;

/**
 * Turns a link into a request below the route.
 * @throws InvalidArgumentError for any other link; the message does not contain it.
 */
function linked(link: string, from: string, base: string, inherited: string): object {
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
  return { path: rest, qs: pairs.join('&') };
}
