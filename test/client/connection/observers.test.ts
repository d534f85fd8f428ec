import { describe, expect, test } from 'vitest';
import { typed } from '../../../src/client/openapi/index.ts';
import { type CallEvent, createClient } from '../../../src/index.ts';
import { serve } from '../../support/server.ts';

interface paths {
  '/orders/{id}': {
    get: { parameters: { path: { id: number } }; responses: { 200: { content: { 'application/json': object } } } };
  };
}

describe('the operation of an event', () => {
  test('is the option of the call, the template of a typed route, or undefined', async () => {
    const { url } = await serve();
    const events: CallEvent[] = [];
    const route = createClient({ url, observe: (event) => void events.push(event) }).route('shop');
    await route.get(['orders', 7]);
    await route.with({ operation: 'getOrder' }).get(['orders', 7]);
    await route.request({ operation: 'listOrders', path: 'orders' });
    await typed<paths>(route).get('/orders/{id}', { path: { id: 7 } });
    await typed<paths>(route).get('/orders/{id}', { path: { id: 7 }, operation: 'getOrder' });
    const labels = [undefined, 'getOrder', 'listOrders', '/orders/{id}', 'getOrder'];
    expect(events.map(({ operation }) => operation)).toEqual(labels);
  });
});

describe('observe of client.with', () => {
  test('is called as well as that of the client, even if that one throws', async () => {
    const { url } = await serve();
    const seen: string[] = [];
    const client = createClient({
      url,
      observe() {
        seen.push('client');
        throw new Error('on purpose');
      },
    });
    const ofRequest = client.with({ observe: () => void seen.push('request') });
    await ofRequest
      .with({ observe: () => void seen.push('inner') })
      .route('a')
      .get();
    await client.route('a').get();
    expect(seen).toEqual(['client', 'request', 'inner', 'client']);
  });
});

describe('requestId of client.with', () => {
  test('is sent with each call, and overridden by headers', async () => {
    const { url, seen } = await serve();
    const client = createClient({ url, headers: { 'x-request-id': 'outer' } }).with({ requestId: 'r-7' });
    await client.route('a').get();
    await client.with({ database: 'other' }).route('a').get();
    await client
      .route('a')
      .with({ headers: { 'x-request-id': 'mine' } })
      .get();
    expect(seen.map(({ headers }) => headers.get('x-request-id'))).toEqual([['r-7'], ['r-7'], ['mine']]);
  });

  test.each(['', 'a\nb', 5])('%j is refused', (requestId) => {
    const client = createClient({ url: 'http://localhost:1' });
    expect(() => client.with({ requestId: requestId as string })).toThrow('requestId');
  });
});
