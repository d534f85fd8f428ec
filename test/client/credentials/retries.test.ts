import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ClientOptions, createClient, credentials, isCredentialsError, isHttpError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
const down = (status: number, headers?: Record<string, string>) => () =>
  json({ code: 14, message: 'down', details: [] }, status, headers);
const reset = () => {
  throw Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  });
};

/** A client whose first token requests get one of `failures` each; requests are counted. */
function create(failures: (() => Response)[], options: Partial<ClientOptions> = {}) {
  const sent = { tokens: [] as number[], calls: 0 };
  const left = [...failures];
  let refused = 0;
  const fetch = async (url: string): Promise<Response> => {
    if (!/\/(createToken|login)$/.test(url)) {
      sent.calls++;
      return refused-- > 0 ? json({ error: true }, 401) : json({ ok: true });
    }
    sent.tokens.push(performance.now());
    return left.shift()?.() ?? json({ token: `t${sent.tokens.length}`, lifetime: '600s' });
  };
  const client = createClient({
    url: 'http://db.test',
    fetch,
    credentials: credentials.minted({ user: 'svc' }),
    ...options,
  });
  return {
    sent,
    items: client.route('items'),
    failTokens: (how: (() => Response)[]) => left.push(...how),
    refuse: (times: number) => {
      refused = times;
    },
  };
}

/** True if a call that starts now settles within some time. */
async function settledIn(ms: number, call: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  call.then(settle, settle);
  await vi.advanceTimersByTimeAsync(ms);
  return settled;
}

// ky is loaded with the first call, which takes time of its own.
beforeAll(async () => {
  await create([]).items.get();
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const passing = [
  ['503', down(503)],
  ['429', down(429)],
  ['a reset', reset],
] as const;

describe.each(passing)('a token request that fails with %s', (_, failure) => {
  test('a read waits for the next attempt', async () => {
    const { items, sent } = create([failure]);
    const call = items.get();
    expect(await settledIn(990, call)).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    expect((await call).body).toEqual({ ok: true });
    expect([sent.tokens.length, sent.calls]).toEqual([2, 1]);
  });

  test.each(['POST', 'PATCH', 'PUT', 'DELETE'])('%s waits with `retry`', async (method) => {
    const { items, sent } = create([failure, failure]);
    const call = items.with({ retry: 2 }).request({ method });
    await vi.advanceTimersByTimeAsync(3_010);
    expect((await call).status).toBe(200);
    expect([sent.tokens.length, sent.calls]).toEqual([3, 1]);
  });

  test.each(['post', 'put'] as const)('%s rejects at once without `retry`', async (method) => {
    const { items, sent } = create([failure]);
    expect(isCredentialsError(await failureOf(items[method]('x')))).toBe(true);
    expect([sent.tokens.length, sent.calls]).toEqual([1, 0]);
  });

  test('a read with `retry: 0` rejects at once, too', async () => {
    const { items, sent } = create([failure]);
    await failureOf(items.with({ retry: 0 }).get());
    expect(sent.tokens.length).toBe(1);
  });
});

test('credentials.login is retried after a 503', async () => {
  const { items, sent } = create([down(503)], { credentials: credentials.login({ username: 'a', password: 'pw' }) });
  const call = items.get();
  await vi.advanceTimersByTimeAsync(1_010);
  expect((await call).status).toBe(200);
  expect([sent.tokens.length, sent.calls]).toEqual([2, 1]);
});

test('does not wait for an attempt beyond the deadline', async () => {
  const { items, sent } = create([down(503)]);
  const error = await failureOf(items.with({ timeout: 900 }).get());
  expect(isCredentialsError(error) && isHttpError(error.cause) && error.cause.status).toBe(503);
  expect([sent.tokens.length, sent.calls]).toEqual([1, 0]);
});

test('honors Retry-After, within the deadline only', async () => {
  const { items, sent } = create([down(429, { 'retry-after': '7' })]);
  await failureOf(items.with({ timeout: 6_000 }).get());
  const call = items.with({ timeout: 8_000 }).get();
  expect(await settledIn(6_990, call)).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  expect((await call).status).toBe(200);
  expect(sent.tokens.length).toBe(2);
});

test('retries end: two by default, one and two seconds apart', async () => {
  const { items, sent } = create(Array.from({ length: 9 }, () => down(503)));
  const call = failureOf(items.get());
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await call).message).toMatch(/createToken failed: 503/);
  expect(sent.tokens.map((at) => Math.round(at / 100))).toEqual(
    [0, 10, 30].map((after) => after + Math.round((sent.tokens[0] ?? 0) / 100)),
  );
});

test('does not wait after a permanent failure', async () => {
  for (const status of [400, 401, 403, 500]) {
    const { items, sent } = create([down(status)]);
    await failureOf(items.with({ retry: 5 }).get());
    expect(sent.tokens.length).toBe(1);
  }
});

test('a thousand calls wait for one attempt', async () => {
  const { items, sent } = create([down(503), down(503)]);
  const calls = Array.from({ length: 1_000 }, () => items.with({ retry: 3 }).post('x'));
  await vi.advanceTimersByTimeAsync(3_010);
  await Promise.all(calls);
  expect([sent.tokens.length, sent.calls]).toEqual([3, 1_000]);
});

test('an abort ends the wait, and no further token is requested for it', async () => {
  const { items, sent } = create([down(503)]);
  const controller = new AbortController();
  const call = failureOf(items.with({ signal: controller.signal }).get());
  await vi.advanceTimersByTimeAsync(500);
  controller.abort();
  expect((await call).code).toBe('ABORTED');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent.tokens.length).toBe(1);
});

test('sends a stream after the token that it waited for', async () => {
  const { items, sent } = create([down(503)]);
  const body = new Blob(['text']).stream();
  const call = items.with({ retry: 1 }).put('file', body);
  await vi.advanceTimersByTimeAsync(1_010);
  expect((await call).status).toBe(200);
  expect([sent.tokens.length, sent.calls]).toEqual([2, 1]);
});

test('after a 401 the renewal is retried, and the call is resent once', async () => {
  const { items, sent, failTokens, refuse } = create([]);
  await items.get();
  failTokens([down(503), down(503)]);
  refuse(1);
  const call = items.with({ retry: 2 }).post('x');
  await vi.advanceTimersByTimeAsync(3_010);
  expect((await call).status).toBe(200);
  expect([sent.tokens.length, sent.calls]).toEqual([4, 3]);
});

test('failing bootstrap credentials are waited for like the token itself', async () => {
  const bootstrap = credentials.login({ username: 'a', password: 'pw' });
  const { items, sent } = create([down(503)], {
    credentials: credentials.minted({ user: 'svc', bootstrap }),
    retry: 3,
  });
  // Beyond the deadline it rejects at once, even if the client's `retry` would allow the token request more attempts.
  const error = failureOf(items.with({ timeout: 900 }).get());
  expect(await settledIn(0, error)).toBe(true);
  expect(String(await error)).toContain('login failed: 503');
  expect(sent.tokens.length).toBe(1);
  const call = items.get();
  await vi.advanceTimersByTimeAsync(1_010);
  expect((await call).status).toBe(200);
  expect([sent.tokens.length, sent.calls]).toEqual([3, 1]);
});
