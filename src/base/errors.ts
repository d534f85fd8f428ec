import { ArangoServicesError, type CallInfo } from './arango-services-error.js';
import { formatIssuePath } from './lib/text/paths.js';

/** One validation issue of a body. It never contains the value. */
export interface SchemaIssue {
  /** The description, without the value. */
  readonly message: string;
  /** The path to the value in the body. */
  readonly path: readonly PropertyKey[];
}

/** The permission that a call requires. */
export interface NeededPermission {
  /** The action, like `rbac:ListPolicy`. */
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
      { body, details },
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
    // The field "fetch or transport" stands for an invalid response: the request was sent, so the call "failed".
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
