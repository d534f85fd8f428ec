import type { ArangoServicesError, CallInfo } from '../../base/errors.js';
import type { FetchLike } from './fetch-transport.js';
import type { Transport } from './transport.js';

/** Parts that differ by runtime; package.json's `imports` names the file for each as `#runtime`. */
export interface Runtime {
  /** The default transport; `fetch` is the caller's, if any. */
  readonly transport: (fetch: FetchLike | undefined) => Transport;
  /** Returns a more specific error for a failure, if this runtime knows one. */
  readonly explain?: (error: unknown, callInfo: CallInfo) => ArangoServicesError | undefined;
  /** The codes of failures that another attempt would meet again. */
  readonly lasting?: RegExp;
  /** Encodes a body that the runtime itself cannot send safely; undefined for any other. */
  readonly encode?: (body: unknown) => Blob | undefined;
}
