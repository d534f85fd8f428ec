import type { ToReader } from '../reader-messages.js';
import { serveLog } from './serve-log.js';

/** The global scope of a worker. The types for pages have no `postMessage` with one argument. */
interface WorkerScope {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

// The cast: this module is the main one of a worker.
const scope = globalThis as unknown as WorkerScope;
serveLog({
  send: (message) => scope.postMessage(message),
  // The cast: only the page that started the worker can send to it.
  listen: (take) => scope.addEventListener('message', ({ data }) => take(data as ToReader)),
});
