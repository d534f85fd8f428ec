// The types of a mocked service's handlers, from the `paths` that openapi-typescript generates.

import type { Bytes } from '../../../lib/web-types.js';
import type {
  AnyType,
  ContentOf,
  JsonType,
  MethodsOf,
  OperationOf,
  ParametersOf,
  ResponsesOf,
  TextType,
} from '../../../openapi-document/operation-types.js';
import type { CustomRequest } from '../custom-handler.js';
import type { MockEvent } from '../streamed-body.js';
import type { ServiceHandlers } from './types.js';

/** The parameters of a place as a handler gets them: in the document's types if they were validated, else as text. */
export type ServiceValues<Parameters, Place extends string, Validated> = Place extends keyof Parameters
  ? [Parameters[Place]] extends [undefined]
    ? Readonly<Record<never, never>>
    : Validated extends true
      ? NonNullable<Parameters[Place]>
      : ServiceTexts<NonNullable<Parameters[Place]>>
  : Readonly<Record<never, never>>;

/** Parameters as text; one that may be repeated is an array if it was. */
export type ServiceTexts<T> = {
  [Name in keyof T]: NonNullable<T[Name]> extends readonly unknown[] ? string | string[] : string;
};

/** A body that was received: JSON as documented, or text. */
export type ReceivedBody<C> = {
  [T in keyof C]: T extends JsonType ? C[T] : T extends TextType ? string : unknown;
}[keyof C];

/** The body of a request. */
export type ServiceBody<Operation> = Operation extends { readonly requestBody?: infer B }
  ? [B] extends [undefined]
    ? unknown
    : ReceivedBody<ContentOf<B>> | (Operation extends { readonly requestBody: unknown } ? never : undefined)
  : unknown;

/** A request as the typed handler of an operation gets it. */
export interface TypedServiceRequest<Operation, Validated> {
  /** The values of the template's parameters: text, or with `validate` in the document's types. */
  readonly path: ServiceValues<ParametersOf<Operation>, 'path', Validated>;
  /** The parameters of the query: text, or with `validate` in the document's types. */
  readonly query: ServiceValues<ParametersOf<Operation>, 'query', Validated>;
  /** The body, as documented. Only `validate` checks it. */
  readonly body: ServiceBody<Operation>;
  /** The user that the service learns from the token that it gets; `undefined` without one. */
  readonly user: string | undefined;
  /** The whole request as the service gets it. */
  readonly request: CustomRequest;
}

/** The statuses of answers. */
export type ResponseStatus =
  | 200
  | 201
  | 202
  | 203
  | 204
  | 205
  | 206
  | 207
  | 208
  | 226
  | 300
  | 301
  | 302
  | 303
  | 304
  | 307
  | 308
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 407
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 418
  | 421
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 429
  | 431
  | 451
  | 500
  | 501
  | 502
  | 503
  | 504
  | 505
  | 506
  | 507
  | 508
  | 511;

/** The statuses of a range (`4XX`). */
export type StatusInRange<Key> = Key extends `${infer First}XX` | `${infer First}xx`
  ? ResponseStatus extends infer S
    ? S extends number
      ? `${S}` extends `${First}${string}`
        ? S
        : never
      : never
    : never
  : never;

/** The statuses of a key of `responses`: its own, those of its range, or all others for `default`. */
export type StatusesOfKey<Key, Keys> = Key extends number
  ? Key
  : Exclude<Key extends 'default' ? Exclude<ResponseStatus, StatusInRange<Keys>> : StatusInRange<Key>, Keys>;

/** A body in pieces: a stream, or an async iterable of bytes or text, like a generator. */
export type ResponsePieces = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;
/** The content types of JSON lines. */
export type JsonLinesType =
  | `application/x-ndjson${string}`
  | `application/ndjson${string}`
  | `application/jsonl${string}`;

/** A body to answer with: JSON as documented, text, bytes, or pieces of them; events and JSON lines as values. */
export type ResponseBody<C> = {
  [T in keyof C]: T extends JsonType
    ? C[T] | ResponsePieces
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

/** The body field of an answer; an answer without content has none. */
export type ResponseContent<C> = [C] extends [never]
  ? { readonly body?: undefined }
  : { readonly body: ResponseBody<C> };

/** The status field of an answer, which may be left out for a 200. */
export type ResponseStatusField<S> = S extends 200 ? { readonly status?: 200 } : { readonly status: S };

/** The answers that a document allows for an operation. */
export type TypedResponse<Responses> = {
  [K in keyof Responses]: ResponseStatusField<StatusesOfKey<K, keyof Responses>> &
    ResponseContent<ContentOf<Responses[K]>> & { readonly headers?: Readonly<Record<string, string>> | undefined };
}[keyof Responses];

/**
 * The handler of an operation; an answer that the document does not allow is a compile error. A whole Response, which
 * the compiler cannot check, is a type of its own: in one union with documented answers no status would be told apart.
 */
export type TypedServiceHandler<Operation, Validated> =
  | ((
      request: TypedServiceRequest<Operation, Validated>,
    ) => TypedResponse<ResponsesOf<Operation>> | Promise<TypedResponse<ResponsesOf<Operation>>>)
  | ((request: TypedServiceRequest<Operation, Validated>) => Response | Promise<Response>);

/** The handlers of a service by the paths of its document; without a type argument any paths. */
export type TypedServiceHandlers<Paths, Validated> = unknown extends Paths
  ? ServiceHandlers
  : {
      readonly [P in keyof Paths]?: {
        readonly [M in MethodsOf<Paths[P]>]?: TypedServiceHandler<OperationOf<Paths, P, M>, Validated>;
      };
    };
