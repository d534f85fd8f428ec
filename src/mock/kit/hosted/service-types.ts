import type { CustomRequest, CustomResponse } from '../custom-handler.js';

/**
 * A request as the handler of an operation gets it: as the gateway passes it on, with the values of the path template.
 */
export interface ServiceRequest {
  /** The values of the template's `{name}`s, decoded. */
  readonly path: Readonly<Record<string, unknown>>;
  /** The parameters of the query, decoded: text, or an array of texts if a parameter is repeated. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The parsed value if the body is JSON, else text; bytes if it is neither; `undefined` without a body. */
  readonly body: unknown;
  /** The user that the service learns from the token that it gets; `undefined` without one. */
  readonly user: string | undefined;
  /** The whole request as the service gets it; its path is relative to the service. */
  readonly request: CustomRequest;
}

/** Answers the requests of an operation: `{ status, headers, body }` or a Response, as the handler of `mock.route`. */
export type ServiceHandler = (request: ServiceRequest) => CustomResponse | Promise<CustomResponse>;

/** The methods that a path of an OpenAPI document may have. */
export type ServiceMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';

/** The handlers of a service, by path template and method: `{ '/orders/{id}': { get: … } }`. */
export type ServiceHandlers = Readonly<Record<string, { readonly [Method in ServiceMethod]?: ServiceHandler }>>;

/** Checks the requests and answers of a service by its document, like `openApiValidator()`. */
export interface ServiceValidator {
  /**
   * Called once for each added service. Returns the handlers to use: the given ones wrapped in checks, and handlers for
   * the document's other operations.
   * @throws InvalidArgumentError for a document that cannot be used.
   */
  wrap(handlers: ServiceHandlers, options: MockServiceOptions): ServiceHandlers;
}

/** Options of `mock.service`. */
export interface MockServiceOptions {
  /** True for a service of the whole deployment: `/_service/uds/_global/<name>`. Default `false`. */
  readonly global?: boolean | undefined;
  /**
   * With `optional`, requests without an identity reach the service. Default: that of an earlier call for the service,
   * else `required`.
   */
  readonly authentication?: 'required' | 'optional' | undefined;
  /**
   * The credentials that the service gets: a new token of 5 minutes (`override`), the caller's own (`pass`), or none
   * (`remove`). Default: those of an earlier call for the service, else `override`.
   */
  readonly passMode?: 'override' | 'pass' | 'remove' | undefined;
  /** True if what the service has already may be replaced. Default `false`: an operation that is there is an error. */
  readonly replace?: boolean | undefined;
  /** The service's OpenAPI document, for `validate`. Default: none. */
  readonly document?: unknown;
  /** Makes `validate` answer operations without a handler from the document's examples. Default `false`. */
  readonly examples?: boolean | undefined;
  /** Checks requests and answers by the document: `openApiValidator()`. Default: nothing is checked. */
  readonly validate?: ServiceValidator | undefined;
}

/** Options of `mock.service` for a running service. */
export interface ForwardOptions extends Pick<MockServiceOptions, 'global' | 'authentication' | 'passMode' | 'replace'> {
  /** True if the service may run on another machine, which gets the callers' tokens. Default `false`. */
  readonly allowRemote?: boolean | undefined;
}
