import { test } from 'vitest';
import type { Environment } from '../../src/client/node/index.js';
import type { MockServer } from '../../src/console/mock/node.js';
import { createClient } from '../../src/index.js';
import type { Mock } from '../../src/mock/index.js';

/** Checked by tsc only: the calls that must not compile would be rejected at run time. */
const never = (calls: (mock: Mock, server: MockServer, environment: Environment) => unknown): void => void calls;

test('options of createClient from a mock, its server and the environment', () => {
  never((mock, server, environment) => [
    createClient(mock.connection),
    createClient(server.connection),
    createClient({ ...server.connection, database: 'shop' }),
    createClient(environment),
  ]);
  // @ts-expect-error a server is not a valid options object: use its `connection`
  never((_mock, server) => createClient(server));
  // @ts-expect-error neither is a copy of it
  never((_mock, server) => createClient({ ...server, database: 'shop' }));
});
