import { credentials, isHttpError, isNetworkError, isTimeoutError } from 'arango-services';
import { afterEach, describe, expect, vi } from 'vitest';
import { createShop } from '../src/shop.ts';
import { test as base, openOrders } from './fixtures.ts';

// Reads are retried, as in production.
const test = base.override('shop', ({ mock }) =>
  createShop({
    ...mock.connection,
    retry: 2,
    credentials: credentials.bearer(() => mock.tokens.issue({ user: 'shop' })),
  }),
);

afterEach(() => {
  vi.useRealTimers();
});

/** A moment of real time: intervals are not faked here. */
const aMoment = () =>
  new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      clearInterval(timer);
      resolve();
    }, 1);
  });

describe('an outage of the orders service', () => {
  const open = '/orders/open';
  const unavailable = { path: open, status: 503, headers: { 'retry-after': '0' } };

  test('that is short is not seen', async ({ shop, mock }) => {
    mock.fail({ ...unavailable, times: 2 });
    expect(await shop.openOrders('alice')).toEqual(openOrders);
    expect(mock.requests.filter(({ path }) => path.endsWith(open)).map(({ status }) => status)).toEqual([
      503, 503, 200,
    ]);
  });

  test('that lasts is an error with its status', async ({ shop, mock }) => {
    mock.fail({ ...unavailable, times: 3 });
    await expect(shop.openOrders('alice')).rejects.toSatisfy((error) => isHttpError(error) && error.status === 503);
  });

  test('that closes connections is a network error', async ({ shop, mock }) => {
    mock.fail({ path: open, drop: true, times: 3 });
    await expect(shop.openOrders('alice')).rejects.toSatisfy(isNetworkError);
  });

  test('that never answers ends with the deadline, without waiting for it', async ({ shop, mock }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    mock.fail({ path: open, delayMs: 60_000 });
    const orders = expect(shop.openOrders('alice')).rejects.toSatisfy(isTimeoutError);
    // Two timers are the deadline and the delay in the mock. `vi.waitFor` would move the timers on meanwhile.
    while (vi.getTimerCount() < 2) await aMoment();
    await vi.advanceTimersByTimeAsync(2_000);
    await orders;
  });

  test('of the decisions never lets anybody in', async ({ shop, mock }) => {
    mock.fail({ evaluation: true });
    await expect(shop.openOrders('alice')).rejects.toSatisfy((error) => isHttpError(error) && error.status === 500);
    expect(mock.requests.find({ path: open })).toBeUndefined();
  });
});
