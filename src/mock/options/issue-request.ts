/** The content of a token to issue. */
export interface IssueRequest {
  /**
   * The user of the token. Default: the configured user of tokens, `root`. `null` makes a superuser's token, and an
   * explicit `undefined` is refused.
   */
  readonly user?: string | null;
  /** The user's groups. Default: none. */
  readonly groups?: readonly string[] | undefined;
  /**
   * The lifetime, a duration like `'10m'`, which is not clamped to the configured limits. Default: the configured one.
   */
  readonly lifetime?: string | undefined;
}

/** The flaws of a forged token, at least one. */
export interface Forgery extends IssueRequest {
  /** The token expired a second ago. */
  readonly expired?: boolean | undefined;
  /** The token becomes valid in an hour (`nbf`). */
  readonly notYetValid?: boolean | undefined;
  /** The token is signed by a key that the mock does not have. */
  readonly wrongKey?: boolean | undefined;
  /** The token has no signature (`alg: none`). */
  readonly none?: boolean | undefined;
  /** The token is signed with the mock's secret or public key, but with this algorithm instead of the key's. */
  readonly algorithm?: 'HS256' | 'HS384' | 'HS512' | 'ES256' | undefined;
  /** Claims that override the usual ones; `undefined` omits one. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}
