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

// A registered symbol: copies of the package and realms share it, and so does `PolicyError`, whose bundle is smaller
// than these classes.
const brand = Symbol.for('arango-services.error');

/**
 * The base of every failure of this package. No error holds a header, a token, a password, a query or a request body.
 * Tell errors apart by `code`, or by the type guards (`isHttpError(error)`), which work across realms and copies of
 * the package.
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

/**
 * Tells whether a value is an error of this package, from whichever subpath. All but `PolicyError` are instances of
 * `ArangoServicesError`.
 * @example
 * ```ts
 * await orders.get().catch((error: unknown) => {
 *   if (isArangoServicesError(error)) console.error(error.code, error.message);
 *   else throw error;
 * });
 * ```
 */
export const isArangoServicesError = (error: unknown): error is ArangoServicesError => Object(error)[brand] === true;
