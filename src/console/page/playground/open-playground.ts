import { createMock } from '../../../mock/index.js';
import { ConsoleError } from '../../error.js';
import { createMockConsole } from '../../mock-api.js';
import { readPlace } from '../fragment.js';
import type { Backend } from '../open-session.js';
import { example } from './example.js';
import { packState, unpackState } from './shared-state.js';

/** The backend of the playground: a mock in this tab, with the state of the address. */
export const playground: Backend = {
  pack: packState,
  async open() {
    if (globalThis.crypto?.subtle === undefined) {
      throw new ConsoleError(
        'failed',
        'The playground needs https, or http on localhost: elsewhere browsers lack crypto.',
      );
    }
    const { shared } = readPlace(location.hash);
    const given = shared === undefined ? example : await unpackState(shared);
    return createMockConsole(await createMock(given));
  },
};
