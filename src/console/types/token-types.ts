import type { Forgery, IssueRequest } from '../../mock/options/issue-request.js';

/** A time claim of a token, also in words. */
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
  /** The reason why the token is not valid; `null` if it is. */
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

/** A valid token to issue, always of a named user or, with `null`, a superuser's. */
export interface MintOrder extends IssueRequest {
  readonly user: string | null;
}

/** An invalid token to make, with at least one flaw. */
export interface ForgeOrder extends Forgery {
  readonly user: string | null;
}

export interface MadeToken {
  readonly token: string;
  readonly report: TokenReport;
}
