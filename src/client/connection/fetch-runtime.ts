import { fetchTransport } from './fetch-transport.js';
import type { Runtime } from './runtime.js';

/** Replaces `ky-runtime` in bundles with the condition `without-ky`: requests go to `fetch` itself. */
export const runtime: Runtime = { transport: fetchTransport };
