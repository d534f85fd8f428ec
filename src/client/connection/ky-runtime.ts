import './before-ky.js';

import ky from 'ky';
import { kyTransport } from './ky-transport.js';
import type { Runtime } from './runtime.js';

/** For browsers, workers and their bundles: includes ky, so that no call waits for another file. */
export const runtime: Runtime = { transport: (fetch) => kyTransport(fetch, () => ky) };
