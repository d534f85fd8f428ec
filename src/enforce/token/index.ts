export type { Validation } from '../../client/services/authentication/messages.js';
export { isUnknownKeyError, UnknownKeyError } from './error.js';
export type { KeyedClient } from './keyed-client.js';
export {
  createVerifier,
  type Verifier,
  type VerifierClock,
  type VerifierKeys,
  type VerifyOptions,
  type VerifyTime,
  verifyToken,
} from './verify.js';
