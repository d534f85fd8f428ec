// Types over the `paths` that openapi-typescript generates from an OpenAPI document.
import type { Bytes } from '../lib/web-types.js';

/** The HTTP methods of operations; TRACE is left out, because `fetch` cannot send it. */
export type OperationMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

/** The paths that have an operation of this method. */
export type PathsOf<Paths, M extends OperationMethod> = {
  [P in keyof Paths]: Paths[P] extends { readonly [K in M]: object } ? P : never;
}[keyof Paths];

/** An operation; `unknown` if the path has none of this method. */
export type OperationOf<Paths, P extends keyof Paths, M> = M extends keyof Paths[P] ? Paths[P][M] : unknown;

/** The parameters of an operation by their place: `path`, `query`, `header`. */
export type ParametersOf<Operation> = Operation extends { readonly parameters: infer P } ? P : unknown;

/** The responses of an operation by status. */
export type ResponsesOf<Operation> = Operation extends { readonly responses: infer R } ? R : unknown;

/** The content of a request or response by content type; `never` if it has none. */
export type ContentOf<T> = T extends { readonly content: infer C } ? C : never;

/**
 * A value that is sent: each field that may be missing may be `undefined`, which JSON and queries leave out. Without
 * `exactOptionalPropertyTypes`, which the first condition asks, it may be already.
 */
export type WithUndefined<T> = { readonly field: undefined } extends { readonly field?: never }
  ? T
  : T extends object
    ? T extends readonly unknown[]
      ? { [K in keyof T]: WithUndefined<T[K]> }
      : { [K in keyof T]: WithUndefined<T[K]> | (T extends Record<K, unknown> ? never : undefined) }
    : T;

/** The content types that are parsed as JSON. */
export type JsonType = `${string}/json` | `${string}+json` | `${string}/json;${string}` | `${string}+json;${string}`;
/** The content types that are read as text. */
export type TextType =
  | `text/${string}`
  | `${string}/xml`
  | `${string}+xml`
  | `${string}/xml;${string}`
  | `${string}+xml;${string}`
  | `application/x-www-form-urlencoded${string}`;
/** A range of content types, whose bodies may be anything. */
export type AnyType = `${string}/*`;

/** The body of a received content: JSON as documented, else text or bytes. `undefined` without content. */
type ReceivedOf<C> = [C] extends [never]
  ? undefined
  : {
      [T in keyof C]: T extends JsonType
        ? C[T]
        : T extends AnyType
          ? unknown
          : T extends TextType
            ? string
            : Bytes | undefined;
    }[keyof C];

/** The success statuses. 304 is not one of them: only a conditional request gets it. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;

/** The keys of the documented successes; `default` counts only if there is no other. */
export type SuccessKey<Keys> =
  Extract<Keys, SuccessStatus | '2XX' | '2xx'> extends infer Named
    ? [Named] extends [never]
      ? Extract<Keys, 'default'>
      : Named
    : never;

/** The statuses of a success key. A range has those that have a body and no key of their own. */
export type SuccessesOf<Key, Keys> = Key extends SuccessStatus ? Key : Exclude<SuccessStatus, Keys | 204 | 205>;

/** The body of a documented response. */
export type SuccessBody<Key, Response> = Key extends 204 | 205 ? undefined : ReceivedOf<ContentOf<Response>>;

/**
 * The body of a status: as documented for it, else for its range (`4XX`), else as `default`. `unknown` if the document
 * has none of them, or if the status is any number.
 */
export type BodyOfStatus<Responses, S extends number> = number extends S
  ? unknown
  : S extends keyof Responses
    ? ReceivedOf<ContentOf<Responses[S]>>
    : BodyOfKey<Responses, RangeOf<S> & keyof Responses>;

/** The body of a range, else of `default`. */
type BodyOfKey<Responses, Key extends keyof Responses> = [Key] extends [never]
  ? Responses extends { readonly default: infer D }
    ? ReceivedOf<ContentOf<D>>
    : unknown
  : ReceivedOf<ContentOf<Responses[Key]>>;

/** The range of a status: `4XX` of 404. */
type RangeOf<S extends number> = `${S}` extends `${infer First}${number}` ? `${First}XX` | `${First}xx` : never;

/** An OpenAPI document. With `Paths` it has each of their paths. */
export type OperationDocument<Paths = unknown> = unknown extends Paths
  ? object
  : { readonly paths: { readonly [P in keyof Paths]: object } };

/** The methods of a path. */
export type MethodsOf<Item> = {
  [M in OperationMethod]: Item extends { readonly [K in M]: object } ? M : never;
}[OperationMethod];

/** The values of path parameters, decoded. */
type PathValues<Operation> =
  ParametersOf<Operation> extends { readonly path: infer P extends object }
    ? { readonly [Name in keyof P]: string }
    : Readonly<Record<never, string>>;

/**
 * An operation of a document with the values of its path parameters. `path` discriminates the operations of `Paths`.
 */
export type OperationIn<Paths = unknown> = unknown extends Paths
  ? { readonly method: OperationMethod; readonly path: string; readonly parameters: Readonly<Record<string, string>> }
  : {
      [P in keyof Paths & string]: {
        [M in MethodsOf<Paths[P]>]: {
          readonly method: M;
          readonly path: P;
          readonly parameters: PathValues<OperationOf<Paths, P, M>>;
        };
      }[MethodsOf<Paths[P]>];
    }[keyof Paths & string];

/** An operation of a document by method and path. */
export type OperationName<Paths = unknown> =
  OperationIn<Paths> extends infer O
    ? O extends { readonly method: infer M; readonly path: infer P }
      ? { readonly method: M; readonly path: P }
      : never
    : never;

/** The key of an operation: `GET /orders/{id}`. */
export type OperationKey<Paths = unknown> = unknown extends Paths
  ? string
  : { [P in keyof Paths & string]: `${Uppercase<MethodsOf<Paths[P]>>} ${P}` }[keyof Paths & string];

/** The names of the parameters in a path template or a key. */
export type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;
