export type { Validation } from '../authentication/messages.js';
export type { KeyedClient } from './keys.js';
export { type VerifyOptions, verifyToken } from './verify.js';
