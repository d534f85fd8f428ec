/** A client with published keys: one of `createClient`, or any object with `authentication.keys()`. */
export interface KeyedClient {
  readonly authentication: {
    /** Returns the public ES256 keys as PEM. It should give up after `timeout` milliseconds. */
    keys(options?: { readonly timeout?: number }): Promise<{ readonly keys: readonly string[] }>;
  };
}
