import { afterEach, expect, test, vi } from 'vitest';
import { createStock } from './stock.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the stock of an item', async () => {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => ({
    ok: true,
    json: async () => ({ jwt: 't', left: 3 }),
  }));
  vi.stubGlobal('fetch', fetch);
  const stock = createStock('http://localhost:8529', { username: 'alice', password: 'any' });
  expect(await stock.left('tea')).toBe(3);
  expect(fetch.mock.calls[1]?.[1].headers).toEqual({ authorization: 'bearer t' });
  stock.close();
});
