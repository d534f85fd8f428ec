import type { VerificationKey } from '../../base/jwt/keys.js';

/** The source of the keys that verify tokens. */
export interface KeySource {
  /** Returns the known keys. */
  current(): Promise<readonly VerificationKey[]>;
  /** Asks for the keys again; undefined if they cannot have changed. */
  newer(): Promise<readonly VerificationKey[] | undefined>;
}
