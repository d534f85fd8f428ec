export type { Validation } from '../services/authentication/messages.js';
export type { KeyedClient } from './keyed-client.js';
export { type VerifyOptions, verifyToken } from './verify.js';
