import { credentials } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { test as base } from 'vitest';
import { createShop, type Order } from '../src/shop.ts';

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

export const openOrders: readonly Order[] = [
  { id: '1', total: 9.5 },
  { id: '2', total: 20 },
];

/** The platform that all tests begin with: alice may read orders, and there is an orders service. */
async function createPlatform() {
  const mock = await createMock({
    users: [{ name: 'alice', password: 'pw' }],
    policies: { 'read-only': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
    roles: { viewer: { policies: ['read-only'] } },
    bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
  });
  mock.route('GET', '/_db/:db/orders/open', () => ({ body: openOrders }));
  return mock;
}

export const test = base
  // One mock a file …
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads here which fixtures this one needs: none
  .extend('platform', { scope: 'file' }, async ({}, { onCleanup }) => {
    const mock = await createPlatform();
    onCleanup(() => mock[Symbol.asyncDispose]());
    return { mock, start: mock.snapshot() };
  })
  // … and for each test the state that it began with. A fault that never happened fails the test.
  .extend('mock', ({ platform: { mock, start } }, { onCleanup }) => {
    onCleanup(() => {
      try {
        mock.assertFaultsUsed();
      } finally {
        mock.restore(start);
      }
    });
    return mock;
  })
  // The application as it runs in production, but for its connection; its tokens go by the mock's clock.
  .extend('shop', ({ mock }) =>
    createShop({
      ...mock.connection,
      clock: mock.clock,
      credentials: credentials.minted({ user: 'shop', lifetime: '10m' }),
    }),
  );
