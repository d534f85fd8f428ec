/** What has published keys: a client of `createClient`, or anything else with `authentication.keys()`. */
export interface KeyedClient {
  readonly authentication: {
    /** The public ES256 keys as PEM. It is asked to give up after `timeout` milliseconds. */
    keys(options?: { readonly timeout?: number }): Promise<{ readonly keys: readonly string[] }>;
  };
}
