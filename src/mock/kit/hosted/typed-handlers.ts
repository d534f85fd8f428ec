// The types of a mocked service's handlers, from the `paths` that openapi-typescript generates.

import type { Bytes } from '../../../base/lib/web-types.js';
import type {
  AnyType,
  ContentOf,
  JsonType,
  MethodsOf,
  OperationOf,
  ParametersOf,
  ResponsesOf,
  TextType,
  WithUndefined,
} from '../../../base/openapi-document/operation-types.js';
import type { ResponseHeaders } from '../../wire/http.js';
import type { CustomRequest } from '../custom-handler.js';
import type { MockEvent } from '../streamed-body.js';
import type { ServiceHandlers } from './service-types.js';

/** The parameters of a place as a handler gets them: in the document's types if they were validated, else as text. */
export type ServiceValues<Parameters, Place extends string, Values> = Place extends keyof Parameters
  ? [Parameters[Place]] extends [undefined]
    ? Readonly<Record<never, never>>
    : Values extends 'validated'
      ? NonNullable<Parameters[Place]>
      : ServiceTexts<NonNullable<Parameters[Place]>>
  : Readonly<Record<never, never>>;

/** Parameters as text; one that may be repeated is an array if it was. */
type ServiceTexts<T> = {
  [Name in keyof T]: NonNullable<T[Name]> extends readonly unknown[] ? string | string[] : string;
};

/** A body that was received: JSON as documented, or text. */
type ReceivedBody<C> = {
  [T in keyof C]: T extends JsonType ? C[T] : T extends TextType ? string : unknown;
}[keyof C];

/** The body of a request. */
export type ServiceBody<Operation> = Operation extends { readonly requestBody?: infer B }
  ? [B] extends [undefined]
    ? unknown
    : ReceivedBody<ContentOf<B>> | (Operation extends { readonly requestBody: unknown } ? never : undefined)
  : unknown;

/** A request as the typed handler of an operation gets it. */
export interface TypedServiceRequest<Operation, Values> {
  /** The values of the template's parameters: text, or with `validate` in the document's types. */
  readonly path: ServiceValues<ParametersOf<Operation>, 'path', Values>;
  /** The parameters of the query: text, or with `validate` in the document's types. */
  readonly query: ServiceValues<ParametersOf<Operation>, 'query', Values>;
  /** The body, as documented. Only `validate` checks it. */
  readonly body: ServiceBody<Operation>;
  /** The user that the service learns from the token that it gets; `undefined` without one. */
  readonly user: string | undefined;
  /** The whole request as the service gets it. */
  readonly request: CustomRequest;
}

/** The statuses of responses, by their first digit. */
interface StatusesByDigit {
  readonly 2: 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
  readonly 3: 300 | 301 | 302 | 303 | 304 | 307 | 308;
  /** Up to 412; `rest` has the other statuses of 4xx. */
  readonly 4: 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412;
  readonly rest: 413 | 414 | 415 | 416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451;
  readonly 5: 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511;
}
/** The statuses of responses. */
type ResponseStatus = StatusesByDigit[keyof StatusesByDigit];

/** The statuses of a range (`4XX`). */
type StatusInRange<Key> = Key extends `${infer First}XX` | `${infer First}xx`
  ? ResponseStatus extends infer S
    ? S extends number
      ? `${S}` extends `${First}${string}`
        ? S
        : never
      : never
    : never
  : never;

/** The statuses of a key of `responses`: its own, those of its range, or all others for `default`. */
type StatusesOfKey<Key, Keys> = Key extends number
  ? Key
  : Exclude<Key extends 'default' ? Exclude<ResponseStatus, StatusInRange<Keys>> : StatusInRange<Key>, Keys>;

/** A body in pieces: a stream, or an async iterable of bytes or text, like a generator. */
type ResponsePieces = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;
/** The content types of JSON lines. */
type JsonLinesType = `application/x-ndjson${string}` | `application/ndjson${string}` | `application/jsonl${string}`;

/** The body of a response: JSON as documented, text, bytes, or pieces of them; events and JSON lines as values. */
type ResponseBody<C> = {
  [T in keyof C]: T extends JsonType
    ? WithUndefined<C[T]> | ResponsePieces
    : T extends AnyType
      ? unknown
      : T extends `text/event-stream${string}`
        ? string | ResponsePieces | AsyncIterable<MockEvent>
        : T extends JsonLinesType
          ? string | ResponsePieces | AsyncIterable<unknown>
          : T extends TextType
            ? string | ResponsePieces
            : Bytes | Uint8Array | ArrayBuffer | string | ResponsePieces;
}[keyof C];

// The compiler explains a response that fits none of these by the one with its status, and without a status by the last
// one: TypeScript 5 sorts them as they are written, TypeScript 7 by their names.
/** A response with a status and a body. */
interface ResponseWithBody<Status, Body> {
  readonly status: Status;
  readonly body: Body;
  readonly headers?: ResponseHeaders | undefined;
}
/** A response without a body. */
interface ResponseWithoutBody<Status> {
  readonly status: Status;
  readonly body?: undefined;
  readonly headers?: ResponseHeaders | undefined;
}
/** The type of a response that the document lacks. No value has it; compile errors name the documented statuses. */
interface NotDocumented<Documented, Status> {
  readonly status: Status;
  readonly body: DocumentedStatuses<Documented>;
}
declare const documented: unique symbol;
/** The statuses that the document has for an operation; no value has this type. */
type DocumentedStatuses<Statuses> = { readonly [documented]: Statuses };
/** The 200 of an operation, whose status may be left out. */
interface SuccessWithBody<Paths, P extends keyof Paths, M> {
  readonly status?: 200 | undefined;
  readonly body: ResponseBody<ContentOf<SuccessOf<ResponsesOf<OperationOf<Paths, P, M>>>>>;
  readonly headers?: ResponseHeaders | undefined;
}
/** The 200 of an operation without a body. */
interface SuccessWithoutBody {
  readonly status?: 200 | undefined;
  readonly body?: undefined;
  readonly headers?: ResponseHeaders | undefined;
}

/** The keys of responses that have a 200: the status, else its range, else `default`. */
type SuccessKeyOf<Keys> = 200 extends Keys
  ? 200
  : [Extract<Keys, '2XX' | '2xx'>] extends [never]
    ? Extract<Keys, 'default'>
    : Extract<Keys, '2XX' | '2xx'>;
/** The documented response of a 200; `never` without one. */
type SuccessOf<Responses> = Responses[SuccessKeyOf<keyof Responses> & keyof Responses];

/** The responses with a status other than 200. */
type OtherResponses<Responses> = {
  [K in keyof Responses]: Exclude<StatusesOfKey<K, keyof Responses>, 200> extends infer S
    ? [S] extends [never]
      ? never
      : [ContentOf<Responses[K]>] extends [never]
        ? ResponseWithoutBody<S>
        : ResponseWithBody<S, ResponseBody<ContentOf<Responses[K]>>>
    : never;
}[keyof Responses];

/** A response (of no value) for the statuses that responses lack. Written out, so that errors list the statuses. */
type UndocumentedResponse<Responses> = [
  Exclude<ResponseStatus, { [K in keyof Responses]: StatusesOfKey<K, keyof Responses> }[keyof Responses]>,
] extends [never]
  ? never
  : NotDocumented<
      { [K in keyof Responses]: StatusesOfKey<K, keyof Responses> }[keyof Responses],
      Exclude<ResponseStatus, { [K in keyof Responses]: StatusesOfKey<K, keyof Responses> }[keyof Responses]>
    >;

/** The response 200 of an operation, if its document has one. */
type SuccessFor<Paths, P extends keyof Paths, M> = [SuccessKeyOf<keyof ResponsesOf<OperationOf<Paths, P, M>>>] extends [
  never,
]
  ? never
  : [ContentOf<SuccessOf<ResponsesOf<OperationOf<Paths, P, M>>>>] extends [never]
    ? SuccessWithoutBody
    : SuccessWithBody<Paths, P, M>;

/** A whole `Response`, which the document is not compared with. Its own fields tell it from a plain object. */
type WholeResponse = Pick<Response, 'ok' | 'redirected' | 'clone'>;

/** The responses that a document allows for an operation, and a whole `Response`. */
export type TypedServiceResponse<Paths, P extends keyof Paths, M> =
  | OtherResponses<ResponsesOf<OperationOf<Paths, P, M>>>
  | UndocumentedResponse<ResponsesOf<OperationOf<Paths, P, M>>>
  | SuccessFor<Paths, P, M>
  | WholeResponse;

/** The handler of an operation; a response that the document does not allow is a compile error. */
export type TypedServiceHandler<Paths, P extends keyof Paths, M, Values> = (
  request: TypedServiceRequest<OperationOf<Paths, P, M>, Values>,
) => TypedServiceResponse<Paths, P, M> | Promise<TypedServiceResponse<Paths, P, M>>;

/** The handlers of a service by the paths of its document; without a type argument any paths. */
export type TypedServiceHandlers<Paths, Values> = unknown extends Paths
  ? ServiceHandlers
  : {
      readonly [P in keyof Paths]?: {
        readonly [M in MethodsOf<Paths[P]>]?: TypedServiceHandler<Paths, P, M, Values>;
      };
    };
