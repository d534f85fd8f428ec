'use client';
export {
  Can,
  type CanProps,
  SessionProvider,
  type SessionProviderProps,
  useCan,
  useCanAll,
  useCanReady,
  useUser,
} from './permission-hooks.js';
