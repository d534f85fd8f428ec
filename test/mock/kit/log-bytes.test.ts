import { describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../../../src/mock/index.js';
import { call } from '../../support/calls.js';

const evaluateMany = '/_integration/authorization/v1/evaluate-many';
const large = 'x'.repeat(50_000);

/** Requests that are large in one part, each at least 50 kB in memory. */
const ways: readonly [string, (mock: Mock, path: string) => Promise<unknown>][] = [
  ['a header', (mock, path) => call(mock, 'GET', path, undefined, { 'x-large': large })],
  ['the path', (mock, path) => call(mock, 'GET', `/${large}${path}`)],
  ['the query', (mock, path) => call(mock, 'GET', `${path}?x=${large}`)],
  ['a body of many small values', (mock, path) => call(mock, 'POST', path, `[${'[],'.repeat(5_000)}0]`)],
  [
    'decisions',
    (mock, path) =>
      call(mock, 'POST', evaluateMany, {
        user: path,
        items: Array.from({ length: 500 }, (_, i) => ({ action: `orders:${i}`, resource: 'y'.repeat(200) })),
      }),
  ],
];

describe.each(ways)('the log is bounded in bytes if %s is large', (_, send) => {
  test('of read and unread requests, and keeps the newest', async () => {
    const mock = await createMock({ limits: { logBytes: 2_000_000, bodyBytes: 10_000_000 } });
    for (let i = 0; i < 50; i += 1) await send(mock, `/before/${i}`);
    const unread = mock.requests.length;
    expect(unread).toBeGreaterThan(0);
    expect(unread).toBeLessThan(41);
    for (let i = 0; i < 50; i += 1) await send(mock, `/after/${i}`);
    expect(mock.requests.length).toBeLessThan(41);
    await call(mock, 'GET', '/last');
    expect(mock.requests.at(-1)?.path).toBe('/last');
    expect(mock.requests[0]?.path).not.toContain('/before');
  });
});

describe('limits.logBytes', () => {
  test('is 32 MiB by default: 600 requests with 100 kB of headers are not all kept', async () => {
    const mock = await createMock();
    const value = 'x'.repeat(100_000);
    for (let i = 0; i < 600; i += 1) await call(mock, 'GET', `/${i}`, undefined, { 'x-large': value });
    expect(mock.settings.limits.logBytes).toBe(2 ** 25);
    expect(mock.requests.length).toBeGreaterThan(100);
    expect(mock.requests.length).toBeLessThan(2 ** 25 / value.length);
    expect(mock.requests.at(-1)?.path).toBe('/599');
  });

  test('keeps all 1 000 requests of a usual size', async () => {
    const mock = await createMock();
    const body = { user: 'alice', action: 'orders:read', resource: 'orders', context: { parameters: {} } };
    for (let i = 0; i < 1_000; i += 1) await call(mock, 'POST', '/_integration/authorization/v1/evaluate', body);
    expect(mock.requests).toHaveLength(1_000);
  });

  test('a single larger request is not kept, but resolves a pending wait', async () => {
    const mock = await createMock({ limits: { logBytes: 20_000 } });
    await call(mock, 'GET', '/small');
    const waiting = mock.waitFor({ path: '/large' });
    await call(mock, 'GET', '/large', undefined, { 'x-large': large });
    expect(await waiting).toMatchObject({ path: '/large', status: 404 });
    expect(mock.requests.map(({ path }) => path)).toEqual(['/small']);
  });

  test('recounts after the array was changed from outside, and after a restore', async () => {
    const mock = await createMock({ limits: { logBytes: 300_000 } });
    const send = (path: string) => call(mock, 'GET', path, undefined, { 'x-large': large });
    await send('/a');
    await send('/b');
    const snapshot = mock.snapshot();
    expect(mock.requests.map(({ path }) => path)).toEqual(['/a', '/b']);
    mock.requests.clear();
    await send('/c');
    await send('/d');
    expect(mock.requests.map(({ path }) => path)).toEqual(['/c', '/d']);
    mock.restore(snapshot);
    await send('/e');
    expect(mock.requests.map(({ path }) => path)).toEqual(['/b', '/e']);
  });
});
