import { type ArangoServicesError, isArangoServicesError } from './arango-services-error.js';
import type {
  AbortError,
  CredentialsError,
  HttpError,
  InvalidArgumentError,
  NetworkError,
  ParseError,
  PermissionDeniedError,
  RedirectError,
  SchemaError,
  TimeoutError,
  UploadError,
} from './errors.js';

const guard =
  <E extends ArangoServicesError>(code: E['code']) =>
  (error: unknown): error is E =>
    isArangoServicesError(error) && error.code === code;

/**
 * Tells whether an error is an {@link HttpError}: the server answered with 4xx or 5xx.
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
 * @example
 * ```ts
 * await orders.get().catch((error: unknown) => {
 *   if (isCredentialsError(error)) console.log('please sign in again', error.cause);
 *   else throw error;
 * });
 * ```
 */
export const isCredentialsError = /* @__PURE__ */ guard<CredentialsError>('CREDENTIALS');
