import { expect, it } from 'vitest';
import { createMock } from '../../src/mock/index.js';
import { everything } from '../support/calls.js';
import { growthOf } from '../support/heap.js';

// An unbounded log, or a cached token, path or decision for each request: 20 bytes of it are 18 MB.
it.each([false, true])('1 000 000 requests through mock.fetch leave the memory flat (log read: %s)', async (read) => {
  const mock = await createMock({
    policies: { p: everything },
    roles: { r: { policies: ['p'] } },
    bindings: [{ user: 'alice', role: 'r', scope: everything }],
  });
  if (read) expect(mock.requests).toHaveLength(0);
  const url = 'http://mock.test/_integration/authorization/v1/evaluate';
  const headers = { 'content-type': 'application/json' };
  const rounds = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) {
      const body = JSON.stringify({ user: 'alice', action: `a:b${i % 1000}`, resource: `c${i}` });
      const response = await mock.fetch(url, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
      // Streams are released only in a separate turn of the event loop.
      if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  expect(await growthOf(rounds)).toBeLessThan(5_000_000);
  expect(mock.requests).toHaveLength(1000);
});
