import type { CustomReply, CustomRequest } from '../custom-handler.js';

/** A request as the handler of an operation sees it: what the gateway passes on, with the values of its template. */
export interface ServiceRequest {
  /** The values of the template's `{name}`s, decoded. */
  readonly path: Readonly<Record<string, unknown>>;
  /** The parameters of the query, decoded: text, or an array of texts if a parameter is repeated. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The parsed value if the body is JSON, else text; bytes if it is neither; `undefined` without a body. */
  readonly body: unknown;
  /** The user that the service learns from the token that it gets; `undefined` without one. */
  readonly user: string | undefined;
  /** The whole request as the service gets it: its path begins after that of the service. */
  readonly request: CustomRequest;
}

/** Answers the requests of an operation: `{ status, headers, body }` or a Response, as the handler of `mock.route`. */
export type ServiceHandler = (request: ServiceRequest) => CustomReply | Promise<CustomReply>;

/** The methods that a path of an OpenAPI document may have. */
export type ServiceMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';

/** The handlers of a service, by path template and method: `{ '/orders/{id}': { get: … } }`. */
export type ServiceHandlers = Readonly<Record<string, { readonly [Method in ServiceMethod]?: ServiceHandler }>>;

/** An operation of a service. */
export interface ServiceOperation {
  /** The path template, as in the handlers or the document. */
  readonly path: string;
  /** The method, as in the handlers or the document: `get`. */
  readonly method: string;
}

/** The checks of one service, made from its document. */
export interface ServiceChecks {
  /** Returns the request with its values in the document's types, or the answer that refuses it. */
  request(
    operation: ServiceOperation,
    request: ServiceRequest,
  ): ServiceRequest | CustomReply | Promise<ServiceRequest | CustomReply>;
  /** Returns the answer to send: the given one, or one that says what is wrong with it. Or it throws. */
  response(operation: ServiceOperation, reply: CustomReply): CustomReply | Promise<CustomReply>;
  /** The answer of an operation without a handler, from the document's examples. */
  example(operation: ServiceOperation): CustomReply | undefined;
}

/** Checks requests and answers by a service's document. */
export interface ServiceValidator {
  /**
   * Called once for each service that is added.
   * @throws InvalidArgumentError for a document that cannot be used.
   */
  open(document: unknown): ServiceChecks;
}

/** Options of `mock.service`. */
export interface ServiceOptions {
  /** True for a service of the whole deployment: `/_service/uds/_global/<name>`. Default `false`. */
  readonly global?: boolean | undefined;
  /** With `optional`, requests without an identity reach the service. Default `required`. */
  readonly authentication?: 'required' | 'optional' | undefined;
  /**
   * The credentials that the service gets: a new token of 5 minutes (`override`), the caller's own (`pass`), or none
   * (`remove`). Default `override`.
   */
  readonly passMode?: 'override' | 'pass' | 'remove' | undefined;
  /** The service's OpenAPI document. Its operations exist without a handler, too. Default: none. */
  readonly document?: unknown;
  /** Answers operations without a handler from the document's examples; needs `validate`. Default `false`. */
  readonly examples?: boolean | undefined;
  /** Checks requests and answers by the document. Default: nothing is checked. */
  readonly validate?: ServiceValidator | undefined;
}
