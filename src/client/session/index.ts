export {
  type AskClient,
  type AskRoute,
  createPermissionStore,
  type PermissionStore,
  type PermissionStoreOptions,
} from './permission-store.js';
export { createSession, UserSession } from './session.js';
export type { EndReason, SessionEnd, SessionEvents } from './session-events.js';
export type { CurrentSession, SessionOptions } from './session-options.js';
export type { SessionStore, StoreName } from './shelf.js';
export { signInUrl } from './sign-in-url.js';
