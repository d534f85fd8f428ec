export type { Validation } from '../services/authentication/messages.js';
export type { KeyedClient } from './published-keys.js';
export { type VerifyOptions, verifyToken } from './verify.js';
