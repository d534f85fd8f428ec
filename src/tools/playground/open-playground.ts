import { ConsoleError } from '../../console/error.js';
import { createMockConsole } from '../../console/mock/mock-api.js';
import { readPageAddress } from '../../console/page/fragment.js';
import type { Backend } from '../../console/page/open-session.js';
import { createMock } from '../../mock/index.js';
import { example } from './example.js';
import { sampleLog } from './sample-log.js';
import { packState, unpackState } from './shared-state.js';

/** The backend of the playground: a mock in this tab, with the state from the address. */
export const playground: Backend = {
  pack: packState,
  sampleLog,
  async open() {
    if (globalThis.crypto?.subtle === undefined) {
      throw new ConsoleError(
        'failed',
        'The playground needs https, or http on localhost: elsewhere browsers lack crypto.',
      );
    }
    const { shared } = readPageAddress(location.hash);
    const given = shared === undefined ? example : await unpackState(shared);
    return createMockConsole(await createMock(given));
  },
};
