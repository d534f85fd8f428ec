import type { VerificationKey } from '../../base/jwt/keys.js';

/** A token that the known keys do not verify. */
export interface Unverified {
  /** The minimum age of the token in milliseconds; Infinity for a token that would not be valid in any case. */
  readonly age: number;
  /** The number of loads that had begun when the token was received. */
  readonly loads: number;
}

/** The source of the keys that verify tokens. */
export interface KeySource {
  /** The number of loads that have begun. */
  readonly loads: number;
  /** Returns the known keys. */
  current(): Promise<readonly VerificationKey[]>;
  /**
   * Returns newer keys than `tried`; undefined if they cannot verify the token either.
   * @throws UnknownKeyError if they could, and must not be loaded yet.
   */
  newer(tried: readonly VerificationKey[], token: Unverified): Promise<readonly VerificationKey[] | undefined>;
}
