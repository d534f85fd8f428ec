import '../../base/lib/before-ky.js';

import ky from 'ky';
import { kyTransport, type Runtime } from './fetch-transport.js';

/** For browsers, workers and their bundles: includes ky, so that no call waits for another file. */
export const runtime: Runtime = { transport: (fetch) => kyTransport(fetch, () => ky) };
