import ky, { type KyInstance } from 'ky';
import type { CallInfo, NetworkError } from '../errors.js';
import { requireEngine } from './engine.js';

/** What differs between Node and everything else; package.json's `imports` names the file for each. */
export interface Runtime {
  /**
   * Checks the engine, when a connection is made. Node needs no check, and to look at `Request` there loads all of
   * `fetch`.
   *
   * @throws Error naming what is missing.
   */
  readonly check?: () => void;
  /** ky, or a promise of it where it is loaded with the first call. */
  readonly loadKy: () => KyInstance | Promise<KyInstance>;
  /** A failure that this platform can say more of. */
  readonly explain?: (error: unknown, callInfo: CallInfo) => NetworkError | undefined;
}

/** Browsers, workers and bundles for them: ky comes with the package, so that no call waits for another file. */
export const platform: Runtime = { check: requireEngine, loadKy: () => ky };
