import { expect, test } from 'vitest';
import { listen, listenGrpc, mockPool } from '../../../src/console/mock/node.ts';
import { handlers } from '../../../src/mock/adapters/msw.ts';
import { createMock } from '../../../src/mock/index.ts';

const mock = await createMock();

test.each([
  ['handlers', async (given: never) => handlers(given)],
  ['mockPool', async (given: never) => mockPool(given)],
  ['listen', (given: never) => listen(given)],
  ['listenGrpc', (given: never) => listenGrpc(given)],
])('%s refuses what is not a mock by its name', async (_, open) => {
  // Among them what is easily given instead: the promise of a mock, and its connection.
  for (const given of [undefined, null, {}, Promise.resolve(mock), mock.connection, 'http://mock.test']) {
    await expect(open(given as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'mock' });
  }
});
