/** A time in a token, in words too. */
export interface TokenTime {
  readonly claim: 'exp' | 'nbf' | 'iat';
  /** ISO 8601. */
  readonly time: string;
  /** Relative to the platform's clock: `in 9 minutes`, `3 hours ago`. */
  readonly words: string;
}

/** The content of a token, and the platform's verdict on it. */
export interface TokenReport {
  readonly valid: boolean;
  /** Why it is not valid; `null` if it is. */
  readonly why: string | null;
  /** The user; `null` for a superuser's token, and for one that cannot be read. */
  readonly user: string | null;
  readonly groups: readonly string[];
  /** True for a valid token without a user. */
  readonly superuser: boolean;
  /** The header's fields and values as JSON text. Empty if the token cannot be read. */
  readonly header: readonly (readonly [name: string, json: string])[];
  /** The claims and their values as JSON text. */
  readonly claims: readonly (readonly [name: string, json: string])[];
  readonly times: readonly TokenTime[];
}

/** A valid token to issue. */
export interface MintOrder {
  /** `null` makes a superuser's token. */
  readonly user: string | null;
  readonly groups?: readonly string[] | undefined;
  /** A duration like `10m`. */
  readonly lifetime?: string | undefined;
}

/** An invalid token to make, with at least one flaw. */
export interface ForgeOrder extends MintOrder {
  readonly expired?: boolean | undefined;
  readonly notYetValid?: boolean | undefined;
  readonly wrongKey?: boolean | undefined;
  /** `alg: none`. */
  readonly none?: boolean | undefined;
  readonly algorithm?: 'HS256' | 'HS384' | 'HS512' | 'ES256' | undefined;
  /** Claims that override the usual ones. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** A token that was made. */
export interface MadeToken {
  readonly token: string;
  readonly report: TokenReport;
}
