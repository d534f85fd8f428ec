import type { CallOptions } from './connection/call.js';
import type { HeadersSource } from './connection/headers.js';
import type { ResponseBodies, ResponseType, RouteResponse } from './connection/response.js';
import type { SchemaOutput, StandardSchema } from './connection/schema.js';
import type { PathSegments, Query, QueryValue } from './connection/url.js';

/** What `route.with` takes; `undefined` removes an inherited one. */
export interface RouteOptions extends CallOptions {
  /** Merged header by header with those of the route; `null` or `undefined` removes one. */
  readonly headers?: HeadersSource | undefined;
}

/** What {@link Route.request} takes; every field is optional. */
export interface RequestOptions extends RouteOptions {
  /** The HTTP method, in any case. Default `GET`. */
  readonly method?: string | undefined;
  /**
   * Where the request goes: below the route, or with `absolutePath` below the connection's URL. In an array each
   * element is data: one segment, encoded whole.
   */
  readonly path?: string | PathSegments | undefined;
  /** Leaves out the database and the route's path. Default false. */
  readonly absolutePath?: boolean | undefined;
  /** JSON, unless it is a text, bytes, a form, a stream, or a function that opens a stream for each attempt. */
  readonly body?: unknown;
  /** The query. */
  readonly qs?: Query | undefined;
}

/**
 * The type of a body as options determine it: by a schema, else by `responseType`; `Otherwise` where they name
 * neither.
 */
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

/**
 * A body that is an object or array (JSON), bytes, a form, a stream or JSON's own scalars; a lone string is a path.
 */
export type BodyArgument = object | number | boolean | undefined;

/**
 * Makes an array of texts or numbers with something behind it a compile error: as a path it would stand first, but in
 * `post`, `put` and `patch` a first array is the body. `route(['items', id]).put(item)` says what is meant.
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
