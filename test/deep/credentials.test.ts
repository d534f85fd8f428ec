import { expect, test } from 'vitest';
import { credentials } from '../../src/index.ts';
import { answer, hammer } from '../client/credentials/hammer.ts';
import { checkRenewals } from '../client/credentials/platform.ts';

const hourMs = 3_600_000;
const login = () => credentials.login({ username: 'alice', password: 'wrong' });

// 576 000 calls each. A backoff that is lost after some failures, overflows, or is kept by each worker causes more
// requests; one that grows beyond 5 s (a minute for Retry-After) causes fewer.
test.each([
  // At 0, 1, 3, 7 and then every 5 s.
  ['500', answer(500), undefined, 3 + 1 + Math.floor((3_600 - 7) / 5)],
  ['503 with Retry-After: 60', answer(503, { 'retry-after': '60' }), undefined, 61],
  ['429 with Retry-After: 3600', answer(429, { 'retry-after': '3600' }), undefined, 61],
  ['a network error', () => Response.error(), undefined, 3 + 1 + Math.floor((3_600 - 7) / 5)],
  ['401', answer(401), login, 121],
])('eight workers over a virtual hour, token service answers %s', async (_, how, create, times) => {
  expect(await hammer(how, hourMs, create)).toBe(times);
});

// Twelve times the virtual hours of test/client/credentials/renewing.test.ts: finds a renewal that is rarely late.
test('1-minute tokens over a virtual day: no failed call, a renewal each three quarters of a lifetime', async () => {
  await checkRenewals(86_400);
});
