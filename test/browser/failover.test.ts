import { createClient, isNetworkError } from 'arango-services';
import { failover } from 'arango-services/failover';
import { describe, expect, inject, test } from 'vitest';

// A page is not told why a request failed, so that only reads move.
describe.each(['goneUrl', 'breakingUrl'] as const)('failover in a page, with the first address as %s', (first) => {
  const connect = () => {
    const addresses = [inject(first), inject('serverUrl')] as const;
    return createClient({ url: addresses[0], retry: 0, transport: failover(addresses) }).route('orders/posts');
  };
  const count = async () =>
    (
      await createClient({ url: inject('serverUrl') })
        .route('orders/posts')
        .get()
    ).body;

  test('a read is sent to the next address, and its response names that address', async () => {
    const { status, url } = await connect().get();
    expect([status, new URL(url).origin]).toEqual([200, new URL(inject('serverUrl')).origin]);
  });

  test('a write fails without reaching the next address, and the next one begins there', async () => {
    const before = await count();
    const route = connect();
    const error = await route.post('', {}).catch((thrown: unknown) => thrown);
    expect(isNetworkError(error) && error.origin).toBe(inject(first));
    expect(await count()).toEqual(before);
    expect((await route.post('', {})).status).toBe(200);
  });
});
