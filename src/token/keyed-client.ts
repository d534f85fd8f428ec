/** What has published keys: a client of `createClient`, or anything else with `authentication.keys()`. */
export interface KeyedClient {
  readonly authentication: {
    /** Gives the public ES256 keys as PEM. It should give up after `timeout` milliseconds. */
    keys(options?: { readonly timeout?: number }): Promise<{ readonly keys: readonly string[] }>;
  };
}
