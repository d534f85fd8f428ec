import type { VerificationKey } from '../jwt/keys.js';

/** Where the keys that verify tokens come from. */
export interface KeySource {
  /** Gives the keys that are known. */
  current(): Promise<readonly VerificationKey[]>;
  /** Asks for the keys again; undefined where there cannot be other ones than before. */
  newer(): Promise<readonly VerificationKey[] | undefined>;
}
