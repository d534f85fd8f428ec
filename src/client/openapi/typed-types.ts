import type { HttpError } from '../../base/errors.js';
import type {
  BodyOfStatus,
  ContentOf,
  JsonType,
  OperationMethod,
  OperationOf,
  ParametersOf,
  PathsOf,
  ResponsesOf,
  SuccessBody,
  SuccessesOf,
  SuccessKey,
  SuccessStatus,
  TextType,
  WithUndefined,
} from '../../base/openapi-document/operation-types.js';
import type { CallOptions } from '../connection/call.js';
import type { HeadersSource } from '../connection/headers.js';
import type { ResponseBodies, ResponseType, RouteResponse } from '../connection/response.js';
import type { SchemaOutput, StandardSchema } from '../connection/schema.js';

/** A response with a documented status and its body. */
export interface StatusResponse<Status extends number, Ok extends boolean, Body> extends RouteResponse<Body> {
  readonly status: Status;
  readonly ok: Ok;
}

/** The options of a typed call, without its parameters and its body. */
export interface TypedOptions<S, R, A> extends Omit<CallOptions, 'schema' | 'responseType' | 'allowStatus'> {
  /** Validates the body of a success and sets its type. */
  readonly schema?: S | undefined;
  /** How the body of a success is read; `stream`, `text`, `bytes` and `blob` set its type. Default `auto`. */
  readonly responseType?: R | undefined;
  /** Error statuses that resolve, like `[404, 409]`; their bodies have the documented types. */
  readonly allowStatus?: A | undefined;
}

/** The parameters in the path of a call; `Pick` keeps which are optional. */
type PathIn<Parameters> = Pick<Parameters, 'path' & keyof Parameters>;
/** Without a table of parameters, a value of a path is one text: neither a list nor an object. */
type PlainPath<Path> = {
  [Place in keyof Path]: { [Name in keyof Path[Place]]: Exclude<Path[Place][Name], object> };
};
/** The cookies of a call. */
type CookieIn<Parameters> = WithUndefined<Pick<Parameters, 'cookie' & keyof Parameters>>;
/** The query of a call: documented parameters, or the text of a query. */
type QueryIn<Parameters> = OrText<WithUndefined<Pick<Parameters, 'query' & keyof Parameters>>>;
/** Adds the forms of a query that are sent as they are. An undocumented query stays an error. */
type OrText<T> = { [K in keyof T]: [T[K]] extends [undefined] ? T[K] : T[K] | string | URLSearchParams };

/** Headers of a call without documented ones. */
type FreeHeaders = { readonly headers?: HeadersSource | undefined };
/** Headers in addition to the documented ones. */
type OtherHeaders<Styled = false> = {
  readonly [name: string]: Styled extends true ? unknown : string | number | boolean | null | undefined;
};
/** The headers that OpenAPI does not let a parameter describe. */
type OwnHeaders = 'accept' | 'content-type' | 'authorization';

/** The headers of a call. */
type HeadersIn<Parameters, Styled = false> = 'header' extends keyof Parameters
  ? [Parameters['header']] extends [undefined]
    ? FreeHeaders
    : NamedHeaders<HeaderFields<NonNullable<Parameters['header']>, Styled>, Styled>
  : FreeHeaders;
/** The values of documented headers; without a table, lists and objects are given as text. */
type HeaderFields<H, Styled = false> = WithUndefined<{
  [K in keyof H as Lowercase<K & string> extends OwnHeaders ? never : K]: Styled extends true
    ? H[K]
    : H[K] extends string | number | boolean | undefined
      ? H[K]
      : string;
}>;
/** Headers of a call with documented ones. */
type NamedHeaders<H, Styled = false> =
  Record<never, never> extends H
    ? { readonly headers?: (H & OtherHeaders<Styled>) | undefined }
    : { readonly headers: H & OtherHeaders<Styled> };

/** The body of a call. */
type BodyIn<Operation> = Operation extends { readonly requestBody?: infer B }
  ? [B] extends [undefined]
    ? NoBody
    : Operation extends { readonly requestBody: unknown }
      ? { readonly body: SentOf<ContentOf<B>> }
      : { readonly body?: SentOf<ContentOf<B>> | undefined }
  : NoBody;
/** An operation without a request body. */
type NoBody = { readonly body?: never };

/** A body in pieces: a stream, or an async iterable of bytes or text, like a generator or Node's `Readable`. */
type SentPieces = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;
/** A stream to send, or a function that opens it anew for each attempt. `progress` returns one of them. */
type SentStream = SentPieces | (() => SentPieces | Promise<SentPieces>);
/** Bytes to send. */
type SentBytes = ArrayBuffer | ArrayBufferView | Blob | SentStream;
/**
 * A body by its content type, or a stream of it. A route sends a string as text, so a JSON body cannot be one; a stream
 * has no content type but that of the call's headers.
 */
type SentOf<C> = SentValue<C> | SentStream;
/** A body by its content type. */
type SentValue<C> = {
  [T in keyof C]: T extends JsonType
    ? WithUndefined<Exclude<C[T], string>>
    : T extends `multipart/form-data${string}`
      ? FormData
      : T extends `application/x-www-form-urlencoded${string}`
        ? URLSearchParams
        : T extends TextType
          ? string
          : T extends '*/*'
            ? SentBytes | string | FormData | object
            : SentBytes;
}[keyof C];

/** The parameters and the body of a call. */
export type RequestIn<Operation, Styled = false> = (Styled extends true
  ? PathIn<ParametersOf<Operation>> & CookieIn<ParametersOf<Operation>>
  : PlainPath<PathIn<ParametersOf<Operation>>>) &
  QueryIn<ParametersOf<Operation>> &
  HeadersIn<ParametersOf<Operation>, Styled> &
  BodyIn<Operation>;

/** The parameters, the body and the options of a call. Compile errors print its name, and so method and path. */
export type TypedCall<Paths, M, P extends keyof Paths, S, R, A, Styled = false> = RequestIn<
  OperationOf<Paths, P, M>,
  Styled
> &
  TypedOptions<S, R, A>;

/**
 * The arguments after the path. The compiler reports a union of tuples as a whole, so each error names the call and
 * then the field that does not fit. Errors of separate parameters would name only the field.
 */
export type CallArguments<Call, Request> =
  Record<never, never> extends Request
    ? readonly [options?: Call] | readonly [options?: Call, none?: never]
    : readonly [options: Call] | readonly [options: Call, none?: never];

/** The body of a success: by a schema, else by `responseType`, else as documented. */
type BodyBy<Body, S, R> = S extends StandardSchema
  ? SchemaOutput<S>
  : R extends 'text' | 'bytes' | 'blob' | 'stream'
    ? ResponseBodies[R]
    : Body;

/** The documented successes of an operation. */
type Successes<Responses, Key, S, R> = [Key] extends [never]
  ? StatusResponse<SuccessStatus, true, BodyBy<unknown, S, R>>
  : Key extends keyof Responses
    ? StatusResponse<SuccessesOf<Key, keyof Responses>, true, BodyBy<SuccessBody<Key, Responses[Key]>, S, R>>
    : never;

/** The responses with the statuses of `allowStatus`. */
type Failures<Responses, Status> = Status extends number
  ? StatusResponse<Status, false, BodyOfStatus<Responses, Status>>
  : never;

/** The response of a call: the documented successes, and the statuses of `allowStatus`. */
export type TypedResponse<Responses, S, R, A extends readonly unknown[]> =
  | Successes<Responses, SuccessKey<keyof Responses>, S, R>
  | Failures<Responses, A[number]>;

/** A call with one HTTP method. */
export type TypedVerb<Paths, M extends OperationMethod, Styled = false> = <
  P extends PathsOf<Paths, M>,
  S extends StandardSchema | undefined = undefined,
  R extends ResponseType | undefined = undefined,
  const A extends readonly number[] = [],
>(
  path: P,
  ...options: CallArguments<TypedCall<Paths, M, P, S, R, A, Styled>, RequestIn<OperationOf<Paths, P, M>, Styled>>
) => Promise<TypedResponse<ResponsesOf<OperationOf<Paths, P, M>>, S, R, A>>;

/**
 * A route whose calls have the types of an OpenAPI document. Created by `typed`; `Styled` with a table of parameters.
 */
export interface TypedRoute<Paths, Styled extends boolean = false> {
  /** The path on the server below which the document's paths begin, encoded: `/_service/uds/_db/shop/orders`. */
  readonly path: string;
  readonly get: TypedVerb<Paths, 'get', Styled>;
  readonly put: TypedVerb<Paths, 'put', Styled>;
  readonly post: TypedVerb<Paths, 'post', Styled>;
  readonly delete: TypedVerb<Paths, 'delete', Styled>;
  readonly options: TypedVerb<Paths, 'options', Styled>;
  readonly head: TypedVerb<Paths, 'head', Styled>;
  readonly patch: TypedVerb<Paths, 'patch', Styled>;
  /**
   * Returns true for a caught `HttpError` of this status, and gives its body the documented type. The body itself is
   * not checked: it is what the server sent.
   */
  isError<M extends OperationMethod, P extends PathsOf<Paths, M>, Status extends number>(
    error: unknown,
    method: M,
    path: P,
    status: Status,
  ): error is HttpError & {
    readonly status: Status;
    readonly body: BodyOfStatus<ResponsesOf<OperationOf<Paths, P, M>>, Status>;
  };
}
