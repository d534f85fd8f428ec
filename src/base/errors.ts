import { formatIssuePath } from './lib/text/paths.js';

/** The kinds of failure, as literals that survive minification. Each belongs to one class of this package. */
export type ErrorCode =
  | 'HTTP'
  | 'REDIRECT'
  | 'NETWORK'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'PARSE'
  | 'SCHEMA'
  | 'INVALID_ARGUMENT'
  | 'PERMISSION_DENIED'
  | 'CREDENTIALS'
  | 'UPLOAD'
  | 'REPLICA'
  | 'UNKNOWN_KEY'
  | 'POLICY'
  | 'ANALYSIS'
  | 'PERMISSIONS'
  | 'APPLY';

/** The call that an error names: its method and its path, without the query. */
export interface CallInfo {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  /** The origin that the call went to: with `integrationUrl` and `managementUrl` a client has up to three. */
  readonly origin?: string | undefined;
}

/** One validation issue of a body. It never contains the value. */
export interface SchemaIssue {
  /** The description, without the value. */
  readonly message: string;
  /** The path to the value in the body. */
  readonly path: readonly PropertyKey[];
}

// A registered symbol: copies of the package and realms share it, and so does `PolicyError`, whose bundle is smaller
// than these classes.
const brand = Symbol.for('arango-services.error');

/**
 * The base of every failure of this package. No error holds a header, a token, a password, a query or a request body.
 * Tell errors apart by `code`, or by the type guards (`isHttpError(error)`), which work across realms and copies of
 * the package.
 *
 * @example
 * ```ts
 * try {
 *   await orders.get('17');
 * } catch (error) {
 *   if (isHttpError(error) && error.status === 404) console.log('no such order');
 *   else if (isArangoServicesError(error)) console.error(error.code, error.message);
 *   else throw error;
 * }
 * ```
 */
export abstract class ArangoServicesError<C extends ErrorCode = ErrorCode> extends Error {
  /** The kind of failure. */
  declare readonly code: C;
  /** The HTTP method of the call that failed. */
  declare readonly method?: string;
  /** The path of the call that failed, as it was sent, without its query. */
  declare readonly path?: string;
  /** The origin that the call went to, like `http://localhost:8529`. */
  declare readonly origin?: string;

  /**
   * The message is method, path and `text`. Undefined `open` fields are left out. `hidden` fields can be read, but are
   * not enumerable, so `inspect`, `toJSON` and spread omit them.
   */
  protected constructor(name: string, code: C, text: string, call: CallInfo, open: object = {}, hidden: object = {}) {
    const { method, path, origin } = call;
    super(method ? `${method} ${path} ${text}` : text);
    const define = (fields: object, enumerable: boolean) => {
      for (const [field, value] of Object.entries(fields)) {
        if (value !== undefined || !enumerable) {
          Object.defineProperty(this, field, { value, enumerable, configurable: true });
        }
      }
    };
    define({ code, method, path, origin, ...open }, true);
    define({ name, ...hidden }, false);
    // Not a class getter: esbuild cannot tree-shake a class that has a member with a computed name.
    Object.defineProperty(this, brand, { value: true });
  }

  /** Returns fields for structured logs: name, message, code, method, path and the enumerable fields of the class. */
  toJSON(): Record<string, unknown> {
    return Object.fromEntries([['name', this.name], ['message', this.message], ...Object.entries(this)]);
  }
}

/** The permission that a call requires. */
export interface NeededPermission {
  /** Like `rbac:ListPolicy`. */
  readonly action: string;
  readonly resource: string;
}

/** Paths of the integration services, directly and at the gateway. */
const ofServices = /^\/_(?:integration|management|log(?:in|out)|identity)\b/;

/**
 * The server answered with 4xx or 5xx. Code `HTTP`. `body` and `details` come from the response; they can be read,
 * but `inspect` and `toJSON` omit them.
 */
export class HttpError extends ArangoServicesError<'HTTP'> {
  /** The HTTP status. */
  declare readonly status: number;
  /** The server's own message, without method and path; empty if it sent none, or one that must not be shown. */
  declare readonly reason: string;
  /** The gRPC code in an integration service's error (`7` is PermissionDenied). */
  declare readonly grpcCode?: number;
  /** ArangoDB's own error number (`11` is forbidden). */
  declare readonly errorNum?: number;
  /** The `x-request-id` of the response. */
  declare readonly requestId?: string;
  /** The delay that the server asked for, in milliseconds (`Retry-After`). */
  declare readonly retryAfterMs?: number;
  /** The permission that a call of the management API lacked when it was refused with 403. */
  declare readonly needs?: NeededPermission;
  /** True if a question about `self` failed because its token is not valid (400 with the gRPC code 9). */
  declare readonly tokenRefused?: true;
  /** The parsed body of the response, in any shape. Not enumerable. */
  declare readonly body: unknown;
  /** The `details` of an integration service's error, else empty. Not enumerable. */
  declare readonly details: readonly unknown[];

  constructor(
    call: CallInfo,
    answer: {
      status: number;
      reason: string;
      grpcCode?: number | undefined;
      errorNum?: number | undefined;
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
      needs?: NeededPermission | undefined;
      body?: unknown;
      details?: readonly unknown[] | undefined;
    },
  ) {
    const { body, details = [], ...open } = answer;
    const { status, reason, needs, errorNum } = open;
    const permission = needs ? ` (needs ${needs.action} on ${JSON.stringify(needs.resource)})` : '';
    const { path = '' } = call;
    const isDatabase = status === 404 && errorNum && ofServices.test(path);
    const instead = path.endsWith('login') ? "; see via: 'database' of credentials.login" : '';
    const gateway = /^\/_in/.test(path) ? ', or a gateway: set gateway: true' : '';
    super(
      'HttpError',
      'HTTP',
      `failed: ${status} ${reason}`.trimEnd() +
        permission +
        (isDatabase ? `${instead}; no integration services${gateway}` : ''),
      call,
      open,
      {
        body,
        details,
      },
    );
  }
}

/** The server sent a redirect that this package does not follow. Code `REDIRECT`. */
export class RedirectError extends ArangoServicesError<'REDIRECT'> {
  /** The status of the redirect; `0` if the runtime hides it (browsers). */
  declare readonly status: number;
  /**
   * The target of the redirect, without user, password, query and fragment; undefined if the runtime hides it
   * (browsers).
   */
  declare readonly location?: string;

  constructor(call: CallInfo, status: number, location: string | undefined, why: string) {
    super('RedirectError', 'REDIRECT', `was redirected${location ? ` to ${location}` : ''}: ${why}`, call, {
      status,
      location,
    });
  }
}

/**
 * No complete response arrived: the connection was refused, the host is unknown, the connection broke, or the server
 * did not speak HTTP. Code `NETWORK`; `cause.code` is the runtime's code, if it gave one.
 */
export class NetworkError extends ArangoServicesError<'NETWORK'> {
  /** The runtime's code, if it gave one: `ECONNREFUSED`. */
  declare readonly cause?: { readonly code: string };

  /**
   * Keeps only the cause's code and the description `what`: the runtime's own message may quote the URL with its
   * query.
   */
  constructor(call: CallInfo, what?: string, code?: string) {
    const why = what && code ? `${what} (${code})` : what || code || 'no complete response';
    const where = call.origin ? `at ${call.origin} ` : '';
    super('NetworkError', 'NETWORK', `${where}failed: ${why}`, call, {}, code ? { cause: { code } } : {});
  }
}

/** The call's `timeout` passed. It covers queueing, retries, headers and body together. Code `TIMEOUT`. */
export class TimeoutError extends ArangoServicesError<'TIMEOUT'> {
  /** The deadline or the idle timeout that passed, in milliseconds. */
  declare readonly timeout: number;

  constructor(call: CallInfo, timeout: number, isIdle?: boolean) {
    super('TimeoutError', 'TIMEOUT', `timed out after ${timeout} ms${isIdle ? ' of silence' : ''}`, call, { timeout });
  }
}

/**
 * The caller's `signal` aborted the call, or the client is closed. Code `ABORTED`; `cause` is the signal's reason, or
 * an error whose stack shows where the client was closed.
 */
export class AbortError extends ArangoServicesError<'ABORTED'> {
  constructor(call: CallInfo, reason: unknown, what = 'was cancelled') {
    super('AbortError', 'ABORTED', what, call, {}, { cause: reason });
  }
}

/** A body is not JSON, although its content type says so, or a stream has an invalid line. Code `PARSE`. */
export class ParseError extends ArangoServicesError<'PARSE'> {
  /** The HTTP status; undefined for a line of a stream. */
  declare readonly status?: number;
  /** The number of the line of a stream, from 1. */
  declare readonly line?: number;
  /** The first 200 characters of the body; empty if the response may contain secrets. Not enumerable. */
  declare readonly text: string;

  constructor(
    call: CallInfo,
    status: number | undefined,
    text: string,
    where?: { readonly line?: number; readonly problem: string },
  ) {
    const { line, problem } = where ?? {};
    const at = line === undefined ? '' : `line ${line} `;
    const what = where ? at + problem : `answered ${status} with a body that is not valid JSON`;
    super('ParseError', 'PARSE', what, call, { status, line }, { text: text.slice(0, 200) });
  }
}

/** A body does not match the schema. Code `SCHEMA`. */
export class SchemaError extends ArangoServicesError<'SCHEMA'> {
  /**
   * The issues with their paths in the body, without values. In place of a message that quotes the body stands the
   * expected type, or `does not fit`.
   */
  declare readonly issues: readonly SchemaIssue[];
  /** The schema's own issues. They may quote the body, so they are not enumerable. */
  declare readonly schemaIssues: readonly unknown[];

  /** The number of the line of a stream, from 1. */
  declare readonly line?: number;

  constructor(
    call: CallInfo,
    issues: readonly SchemaIssue[],
    schemaIssues: readonly unknown[] = issues,
    line?: number,
  ) {
    const [first, ...more] = issues.map(({ path, message }) =>
      [formatIssuePath(path), message].filter(Boolean).join(': '),
    );
    const rest = more.length > 0 ? ` (and ${more.length} more)` : '';
    const text = `${line ? `line ${line} is` : 'answered with'} an unexpected body: ${first}${rest}`;
    super('SchemaError', 'SCHEMA', text, call, { issues, line }, { schemaIssues });
  }
}

/**
 * An argument was rejected; nothing was sent, unless it is a `fetch` or transport that returns no Response. Code
 * `INVALID_ARGUMENT`. The message says what is accepted, and never quotes the argument.
 *
 * @example
 * ```ts
 * try {
 *   await client.authentication.createToken({ user: '' });
 * } catch (error) {
 *   if (isInvalidArgumentError(error)) console.log(error.field, error.problem); // user must not be empty
 * }
 * ```
 */
export class InvalidArgumentError extends ArangoServicesError<'INVALID_ARGUMENT'> {
  /** The path of the rejected argument, like `headers.x-tenant` or `credentials.password`. */
  declare readonly field: string;
  /** The problem and what is accepted: the message without the call and the field. */
  declare readonly problem: string;

  constructor(field: string, problem: string, call: CallInfo = {}) {
    const text = `${field}: ${problem}`;
    // "fetch or transport" names a response, which is no argument.
    const message = call.method ? `${/^fetch/.test(field) ? 'failed' : 'was not sent'}: ${text}` : text;
    super('InvalidArgumentError', 'INVALID_ARGUMENT', message, call, { field, problem });
  }
}

/** `assertAllowed` met a Deny. Code `PERMISSION_DENIED`. */
export class PermissionDeniedError extends ArangoServicesError<'PERMISSION_DENIED'> {
  /** The action that was asked about. */
  declare readonly action: string;
  /** The resource that was asked about. */
  declare readonly resource: string;

  constructor(action: string, resource: string) {
    const text = `Permission denied: ${action} on "${resource}"`;
    super('PermissionDeniedError', 'PERMISSION_DENIED', text, {}, { action, resource });
  }
}

/**
 * No token could be obtained, so the call that needed it was not sent. Code `CREDENTIALS`; `cause` is the underlying
 * error of this package, if there is one.
 */
export class CredentialsError extends ArangoServicesError<'CREDENTIALS'> {
  constructor(problem: string, call: CallInfo = {}, cause?: unknown) {
    const text = call.method ? `has no credentials: ${problem}` : problem;
    super('CredentialsError', 'CREDENTIALS', text, call, {}, cause === undefined ? {} : { cause });
  }
}

/**
 * The caller's request body failed while it was being sent: a stream or an iterable threw. Such a call is never
 * retried. Code `UPLOAD`; `cause` is the thrown value.
 */
export class UploadError extends ArangoServicesError<'UPLOAD'> {
  constructor(call: CallInfo, cause: unknown) {
    super('UploadError', 'UPLOAD', 'was not fully sent: its body failed', call, {}, { cause });
  }
}

/**
 * Tells whether a value is an error of this package, from whichever subpath. All but `PolicyError` are instances of
 * `ArangoServicesError`.
 *
 * @example
 * ```ts
 * await orders.get().catch((error: unknown) => {
 *   if (isArangoServicesError(error)) console.error(error.code, error.message);
 *   else throw error;
 * });
 * ```
 */
export function isArangoServicesError(error: unknown): error is ArangoServicesError {
  return Object(error)[brand] === true;
}

const guard =
  <E extends ArangoServicesError>(code: E['code']) =>
  (error: unknown): error is E =>
    isArangoServicesError(error) && error.code === code;

/**
 * Tells whether an error is an {@link HttpError}: the server answered with 4xx or 5xx.
 *
 * @example
 * ```ts
 * const order = await orders.get(['42']).catch((error: unknown) => {
 *   if (isHttpError(error) && error.status === 404) return undefined; // there is no such order
 *   throw error;
 * });
 * ```
 */
export const isHttpError = /* @__PURE__ */ guard<HttpError>('HTTP');
/**
 * Tells whether an error is a {@link RedirectError}: the server sent a redirect that this package does not follow.
 *
 * @example
 * ```ts
 * await orders.get().catch((error: unknown) => {
 *   if (isRedirectError(error)) console.log(error.status, error.location); // correct the URL
 *   else throw error;
 * });
 * ```
 */
export const isRedirectError = /* @__PURE__ */ guard<RedirectError>('REDIRECT');
/**
 * Tells whether an error is a {@link NetworkError}: no complete response arrived.
 *
 * @example
 * ```ts
 * await orders.get().catch((error: unknown) => {
 *   if (isNetworkError(error)) console.log(error.origin, error.cause?.code); // ECONNREFUSED
 *   else throw error;
 * });
 * ```
 */
export const isNetworkError = /* @__PURE__ */ guard<NetworkError>('NETWORK');
/**
 * Tells whether an error is a {@link TimeoutError}: the call's `timeout` passed.
 *
 * @example
 * ```ts
 * await orders.with({ timeout: 500 }).get().catch((error: unknown) => {
 *   if (isTimeoutError(error)) console.log(`no answer within ${error.timeout} ms`);
 *   else throw error;
 * });
 * ```
 */
export const isTimeoutError = /* @__PURE__ */ guard<TimeoutError>('TIMEOUT');
/**
 * Tells whether an error is an {@link AbortError}: the caller's `signal` aborted the call, or the client is closed.
 *
 * @example
 * ```ts
 * const controller = new AbortController();
 * await orders.with({ signal: controller.signal }).get().catch((error: unknown) => {
 *   if (!isAbortError(error)) throw error; // the call was aborted: nothing to do
 * });
 * ```
 */
export const isAbortError = /* @__PURE__ */ guard<AbortError>('ABORTED');
/**
 * Tells whether an error is a {@link ParseError}: a body is not JSON, although its content type says so.
 *
 * @example
 * ```ts
 * await orders.get().catch((error: unknown) => {
 *   if (isParseError(error)) console.log(error.status, error.text); // often a proxy's error page
 *   else throw error;
 * });
 * ```
 */
export const isParseError = /* @__PURE__ */ guard<ParseError>('PARSE');
/**
 * Tells whether an error is a {@link SchemaError}: a body does not match the schema.
 *
 * @example
 * ```ts
 * await orders.get('open').catch((error: unknown) => {
 *   if (!isSchemaError(error)) throw error;
 *   for (const { path, message } of error.issues) console.log(path.join('.'), message);
 * });
 * ```
 */
export const isSchemaError = /* @__PURE__ */ guard<SchemaError>('SCHEMA');
/**
 * Tells whether an error is an {@link InvalidArgumentError}: an argument was rejected; nothing was sent.
 *
 * @example
 * ```ts
 * await orders.get('../secrets').catch((error: unknown) => {
 *   if (isInvalidArgumentError(error)) console.log(error.field, error.problem); // nothing was sent
 *   else throw error;
 * });
 * ```
 */
export const isInvalidArgumentError = /* @__PURE__ */ guard<InvalidArgumentError>('INVALID_ARGUMENT');
/**
 * Tells whether an error is a {@link PermissionDeniedError}: `assertAllowed` met a Deny.
 *
 * @example
 * ```ts
 * const may = client.authorization.assertAllowed({ user: 'alice', action: 'orders:write', resource: 'orders' });
 * await may.catch((error: unknown) => {
 *   if (isPermissionDeniedError(error)) console.log(error.action, error.resource);
 *   else throw error;
 * });
 * ```
 */
export const isPermissionDeniedError = /* @__PURE__ */ guard<PermissionDeniedError>('PERMISSION_DENIED');
/**
 * Tells whether an error is an {@link UploadError}: the caller's request body failed while it was being sent.
 *
 * @example
 * ```ts
 * const broken = new ReadableStream({ start: (controller) => controller.error(new Error('the disk is gone')) });
 * await orders.put('file', broken).catch((error: unknown) => {
 *   if (isUploadError(error)) console.log(error.cause); // the stream's error
 *   else throw error;
 * });
 * ```
 */
export const isUploadError = /* @__PURE__ */ guard<UploadError>('UPLOAD');
/**
 * Tells whether an error is a {@link CredentialsError}: no token could be obtained.
 *
 * @example
 * ```ts
 * await orders.get().catch((error: unknown) => {
 *   if (isCredentialsError(error)) console.log('please sign in again', error.cause);
 *   else throw error;
 * });
 * ```
 */
export const isCredentialsError = /* @__PURE__ */ guard<CredentialsError>('CREDENTIALS');
