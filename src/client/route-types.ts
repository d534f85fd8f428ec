import type { PathSegments, Query, QueryValue } from '../base/lib/url.js';
import type { CallOptions } from './connection/call.js';
import type { HeadersSource } from './connection/headers.js';
import type { ResponseBodies, ResponseType, RouteResponse } from './connection/response.js';
import type { SchemaOutput, StandardSchema } from './connection/schema.js';

/** Options of `route.with`; `undefined` removes an inherited one. */
export interface RouteOptions extends CallOptions {
  /** Merged by name with the route's headers; `null` or `undefined` removes a header. */
  readonly headers?: HeadersSource | undefined;
}

/** The parts and options of {@link Route.request}; every field is optional. */
export interface RequestOptions extends RouteOptions {
  /** The HTTP method, case-insensitive. Default `GET`. */
  readonly method?: string | undefined;
  /**
   * The path relative to the route, or with `absolutePath` to the connection's URL. Each element of an array is one
   * segment and is fully encoded.
   */
  readonly path?: string | PathSegments | undefined;
  /** Omits the database and the route's path. Default false. */
  readonly absolutePath?: boolean | undefined;
  /** Sent as JSON, unless it is a string, bytes, a form, a stream, or a function that opens a stream per attempt. */
  readonly body?: unknown;
  /** The query parameters. */
  readonly qs?: Query | undefined;
}

/** The body type that options determine: by a schema, else by `responseType`; `Otherwise` if they have neither. */
export type BodyOf<O, Otherwise> = O extends { readonly schema: infer S extends StandardSchema }
  ? SchemaOutput<S>
  : O extends { readonly responseType: infer R extends ResponseType }
    ? ResponseBodies[R]
    : O extends { readonly schema: undefined } | { readonly responseType: undefined }
      ? unknown
      : Otherwise;

/** True if options have `allowStatus`, which makes error statuses regular responses; `Otherwise` if it is not set. */
export type AllowsOf<O, Otherwise extends boolean> = O extends { readonly allowStatus: readonly number[] | 'all' }
  ? true
  : O extends { readonly allowStatus: undefined }
    ? false
    : Otherwise;

/** The response of a call. With `allowStatus` it may be an error response, whose body is not validated. */
export type AllowedResponse<T, Allows extends boolean> = Allows extends true
  ? (RouteResponse<T> & { readonly ok: true }) | (RouteResponse<unknown> & { readonly ok: false })
  : RouteResponse<T>;

/**
 * A request body: an object or array (JSON), bytes, a form, a stream, a number or a boolean. A lone string is a path.
 */
export type BodyArgument = object | number | boolean | undefined;

/**
 * Makes an array of strings or numbers, followed by another argument, a compile error: it looks like a path, but in
 * `post`, `put` and `patch` a first array is the body. Write `route(['items', id]).put(item)` instead.
 */
export type NoPath<A> = A extends readonly [] ? A : A extends readonly (string | number | bigint)[] ? never : A;

/** Makes a misspelt option a compile error. */
export type OnlyKnown<O, Known> = { readonly [K in Exclude<keyof O, keyof Known>]: never };

/** Makes an invalid query value a compile error. The verbs' own query arguments do not need it. */
export type FitForQuery<O extends { readonly qs?: Query | undefined }> = {
  readonly qs?: O['qs'] extends infer Q
    ? Q extends string | URLSearchParams
      ? Q
      : { readonly [Name in keyof Q]: QueryValue | readonly QueryValue[] }
    : never;
};
