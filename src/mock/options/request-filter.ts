/** A filter of requests, for `find`, `waitFor` and `fail`. */
export interface RequestFilter {
  /** The method, case-insensitive. Default: any. */
  readonly method?: string | undefined;
  /**
   * The path as it is sent, or its end: `'/evaluate'`, or `'/_db/:db/orders/*'` with named segments and a last `*` as
   * in `mock.route`; or a RegExp. Default: any.
   */
  readonly path?: string | RegExp | undefined;
}
