// The members of `credentials` one by one, of which a bundle holds those that it imports.
export type { Credentials } from '../connection/credentials-contract.js';
export { basic } from './basic.js';
export { bearer } from './bearer.js';
export { cookies } from './cookies.js';
export { type LoginOptions, login } from './login.js';
export { type MintedOptions, minted } from './minted.js';
