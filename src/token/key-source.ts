import type { VerificationKey } from '../jwt/keys.js';

/** Where the keys come from that verify tokens. */
export interface KeySource {
  /** The keys as they are known. */
  current(): Promise<readonly VerificationKey[]>;
  /** The keys of now, where others may have come since; undefined where that is not to be expected. */
  newer(): Promise<readonly VerificationKey[] | undefined>;
}
