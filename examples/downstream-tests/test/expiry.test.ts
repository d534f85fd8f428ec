import { isCredentialsError } from 'arango-services';
import { afterEach, describe, expect, vi } from 'vitest';
import { openOrders, test } from './fixtures.ts';

const minted = { path: '/createToken' };

afterEach(() => {
  vi.useRealTimers();
});

describe('tokens of ten minutes', () => {
  test('are renewed before they expire', async ({ shop, mock }) => {
    for (let minutes = 0; minutes < 60; minutes += 5) {
      expect(await shop.openOrders('alice')).toEqual(openOrders);
      mock.clock.advance('5m');
    }
    expect(mock.requests.filter(({ path, status }) => path.includes('/orders') && status !== 200)).toEqual([]);
  });

  test('are renewed after they have expired', async ({ shop, mock }) => {
    await shop.openOrders('alice');
    mock.clock.advance('2h');
    mock.requests.clear();
    expect(await shop.openOrders('alice')).toEqual(openOrders);
    expect(mock.requests.find(minted)).toBeDefined();
  });

  test('are replaced when the platform refuses them', async ({ shop, mock }) => {
    await shop.openOrders('alice');
    mock.requests.clear();
    mock.fail({ path: '/orders/open', status: 401 });
    expect(await shop.openOrders('alice')).toEqual(openOrders);
    expect(mock.requests.filter(({ path }) => path.endsWith(minted.path))).toHaveLength(1);
  });

  test('that cannot be had are an error of their own', async ({ shop, mock }) => {
    mock.fail({ ...minted, status: 403, times: Number.POSITIVE_INFINITY });
    await expect(shop.openOrders('alice')).rejects.toSatisfy(isCredentialsError);
  });

  test('follow fake timers: an hour of looking every minute takes no time', async ({ shop, mock }) => {
    vi.useFakeTimers();
    const seen: number[] = [];
    const stop = shop.watch((orders) => seen.push(orders.length));
    for (let minute = 1; minute <= 60; minute += 1) {
      mock.requests.clear();
      // Timers, Date and the mock's clock advance together.
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await mock.waitFor({ path: '/orders/open' })).toMatchObject({ status: 200 });
    }
    stop();
    expect(seen.length).toBeGreaterThanOrEqual(59); // The last round may not have been read yet.
  });
});
