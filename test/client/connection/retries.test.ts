import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CallEvent, type ClientOptions, Connection, createClient, credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { quickWaits } from '../../support/quick-waits.ts';
import { inTurn, json, type Responder, serve, serveBytes } from '../../support/server.ts';
import { clientOf, pathOf, routeOf, routeWays, sendOptionsOf } from '../../support/transports.ts';

const busy = (headers: Record<string, string> = {}, status = 503): Responder => json({}, status, headers);
const now = { 'retry-after': '0' };

describe.each(routeWays)('Retries over $name', (transport) => {
  quickWaits();
  // The client's `retry` has its default here.
  const R = (server: { url: string }, options: Partial<ClientOptions> = {}) =>
    routeOf(server, transport, { retry: undefined, ...options });

  test.each([429, 503])('GET and HEAD retry twice by default on %d', async (status) => {
    const server = await serve(busy(now, status));
    expect(await failureOf(R(server).get('u'))).toMatchObject({ code: 'HTTP', status });
    expect(await failureOf(R(server).head('u'))).toMatchObject({ status });
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'HEAD', 'HEAD', 'HEAD']);
  });

  test('returns the response of a later attempt', async () => {
    const server = await serve(inTurn(busy(now), busy(now), json({ a: 1 })));
    expect((await R(server).get('u')).body).toEqual({ a: 1 });
    expect(server.seen).toHaveLength(3);
  });

  test.each([400, 404, 408, 500, 502, 504])('never retries on %d', async (status) => {
    const server = await serve(busy(now, status));
    expect(await failureOf(R(server).get())).toMatchObject({ status });
    expect(server.seen).toHaveLength(1);
  });

  test('never retries a body that is not valid JSON or does not match the schema', async () => {
    const server = await serve(
      (_wire, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    );
    expect(await failureOf(R(server).get())).toMatchObject({ code: 'PARSE' });
    expect(server.seen).toHaveLength(1);
  });

  test.each(['POST', 'PATCH', 'PUT', 'DELETE'])('does not retry %s by default', async (method) => {
    const server = await serve(busy(now));
    expect(await failureOf(R(server).request({ method, path: 'u' }))).toMatchObject({ status: 503 });
    expect(server.seen).toHaveLength(1);
  });

  test('POST and PATCH never retry, PUT and DELETE if retry is set', async () => {
    const server = await serve(busy(now));
    const route = R(server, { retry: 3 });
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE'])
      await failureOf(route.request({ method, path: 'u', retry: 1 }));
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PUT', 'PUT', 'DELETE', 'DELETE']);
  });

  test('resends a body with PUT, but not a stream', async () => {
    const server = await serve(inTurn(busy(now), json({})));
    await R(server).with({ retry: 1 }).put('u', { a: 1 });
    expect(server.seen.map(({ body }) => body.toString())).toEqual(['{"a":1}', '{"a":1}']);
    const streams = await serve(busy(now));
    await failureOf(
      R(streams)
        .with({ retry: 5 })
        .put('u', new Blob(['x']).stream()),
    );
    expect(streams.seen).toHaveLength(1);
  });

  test('retries a call that a client marks read-only, even a POST', async () => {
    const server = await serve(inTurn(busy(now), json({ done: true })));
    const connection = new Connection({ url: server.url, ...sendOptionsOf(transport) });
    const { body } = await connection.send({ method: 'POST', path: '/evaluate', body: {}, readOnly: true });
    expect([body, server.seen.length]).toEqual([{ done: true }, 2]);
  });

  test('retry: n of the client, a route or a call; retry: 0 turns retries off', async () => {
    const server = await serve(busy(now));
    const tries = async (call: Promise<unknown>) => {
      const before = server.seen.length;
      await failureOf(call);
      return server.seen.length - before;
    };
    const client = R(server, { retry: 1 });
    const route = client.with({ retry: 3 });
    expect(await tries(client.get())).toBe(2);
    expect(await tries(route.get())).toBe(4);
    expect(await tries(route.route('child').get())).toBe(4);
    expect(await tries(route.with({ retry: undefined }).get())).toBe(2);
    expect(await tries(route.request({ retry: 0 }))).toBe(1);
    expect(await tries(R(server, { retry: 0 }).get())).toBe(1);
  });

  test.each([-1, 1.5, Number.NaN, 101, '2', null])('rejects retry: %j', async (retry) => {
    const server = await serve();
    // The cast: a value that TypeScript would reject.
    const options = { retry: retry as number };
    const refusal = expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'retry' });
    expect(() => clientOf(server, transport, options)).toThrow(refusal);
    expect(() => R(server).with(options)).toThrow(refusal);
    expect(await failureOf(R(server).request(options))).toMatchObject({ field: 'retry' });
  });

  test('observe receives each attempt and no secrets', async () => {
    const server = await serve(
      inTurn(busy({ ...now, 'x-request-id': 'r-1' }), json({ body: 'canary' }, 200, { 'x-canary': 'canary' })),
    );
    const events: CallEvent[] = [];
    await R(server, { observe: (event) => events.push(event) }).get('u', { q: 'canary' });
    const times = { durationMs: expect.any(Number), credentialsMs: 0 };
    const common = { method: 'GET', path: `${pathOf(transport)}/u`, origin: new URL(server.url).origin, ...times };
    expect(events).toEqual([
      { ...common, attempt: 1, status: 503, code: 'HTTP', requestId: 'r-1' },
      { ...common, attempt: 2, status: 200 },
    ]);
    expect(events.every(({ durationMs }) => durationMs >= 0)).toBe(true);
    expect(JSON.stringify(events)).not.toContain('canary');
  });

  test('observe receives the request id of a success without searching the body', async () => {
    const server = await serve(
      inTurn(
        json({}, 200, { 'x-request-id': 'r-12345678' }),
        json({}, 400, { 'x-request-id': 'r-12345678' }),
        json({}, 200, { 'x-request-id': 'id-canary-token' }),
        json({}, 200, { 'x-request-id': 'id-canary-query' }),
      ),
    );
    const ids: unknown[] = [];
    const observe = ({ requestId }: CallEvent) => void ids.push(requestId);
    const route = R(server, { observe, credentials: credentials.bearer('canary-token') });
    const large = { a: 'r-12345678', b: 'x'.repeat(100_000) };
    await route.post('', large);
    await failureOf(route.post('', large));
    await route.post('', large);
    await route.post('', large, { q: 'canary-query' });
    expect(ids).toEqual(['r-12345678', undefined, undefined, undefined]);
  });

  test('observe that throws or rejects does not change the call', async () => {
    const server = await serve();
    for (const observe of [
      () => {
        throw new Error('x');
      },
      async () => {
        throw new Error('x');
      },
    ]) {
      expect((await R(server, { observe }).get()).status).toBe(200);
    }
  });
});

describe.each(routeWays)('Waiting between retries over $name', (transport) => {
  const delays = quickWaits();
  const R = (server: { url: string }, retry = 1) => routeOf(server, transport, { retry });

  test('retries a connection error, with jittered exponential backoff', async () => {
    let tries = 0;
    const server = await serveBytes((socket) => {
      tries++;
      socket.resetAndDestroy();
    });
    expect(await failureOf(R(server, 8).get())).toMatchObject({ code: 'NETWORK' });
    expect(tries).toBe(9);
    const most = [200, 400, 800, 1600, 3200, 5000, 5000, 5000];
    expect(delays).toHaveLength(8);
    expect(delays.filter((delay, i) => delay < (most[i] ?? 0) / 2 || delay > (most[i] ?? 0))).toEqual([]);
    expect(new Set(delays.map((delay, i) => delay / (most[i] ?? 1))).size).toBeGreaterThan(1);
  });

  test('waits for a Retry-After in seconds', async () => {
    const server = await serve(inTurn(busy({ 'retry-after': '7' }), json({})));
    await R(server).get();
    expect(delays).toEqual([7_000]);
  });

  test('waits for a Retry-After as a date, and the first backoff after a past date', async () => {
    const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
    const server = await serve(
      inTurn(busy({ 'retry-after': inTenSeconds }), busy({ 'retry-after': new Date(0).toUTCString() }), json({})),
    );
    await R(server, 2).get();
    expect(delays[0]).toBeGreaterThan(8_000);
    expect(delays[0]).toBeLessThanOrEqual(10_000);
    // At least the first backoff: `Retry-After: 0` does not retry at once.
    expect(delays[1]).toBeGreaterThanOrEqual(100);
  });

  test('Retry-After: 0 waits at least the first backoff', async () => {
    const server = await serve(inTurn(busy({ 'retry-after': '0' }), json({})));
    await R(server).get();
    expect(delays[0]).toBeGreaterThanOrEqual(100);
    expect(delays[0]).toBeLessThanOrEqual(200);
  });

  test.each(['soon', '-1', '1.5', ''])('ignores Retry-After %j: the backoff applies', async (value) => {
    const server = await serve(inTurn(busy({ 'retry-after': value }), json({})));
    await R(server).get();
    expect(delays).toHaveLength(1);
    expect(delays[0]).toBeGreaterThanOrEqual(100);
    expect(delays[0]).toBeLessThanOrEqual(200);
  });

  test('waits for a Retry-After of a minute', async () => {
    const server = await serve(inTurn(busy({ 'retry-after': '60' }), json({})));
    await R(server).get();
    expect(delays).toEqual([60_000]);
  });

  test.each(['1000000000', '9'.repeat(30), '9'.repeat(400)])('Retry-After: %s rejects at once', async (value) => {
    const server = await serve(busy({ 'retry-after': value }));
    expect(await failureOf(R(server).get())).toMatchObject({ status: 503, retryAfterMs: Number(value) * 1_000 });
    expect(server.seen).toHaveLength(1);
  });

  test('Retry-After as asctime and RFC 850 is of GMT, wherever the client runs', async () => {
    const [weekday = '', day = '', month = '', year = '', time = ''] = new Date(Date.now() + 10_000)
      .toUTCString()
      .split(/,? /);
    const dates = [
      `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
      `${weekday}day, ${day}-${month}-${year.slice(2)} ${time} GMT`,
    ];
    const before = process.env.TZ;
    onTestFinished(() => {
      process.env.TZ = before ?? '';
      if (before === undefined) delete process.env.TZ;
    });
    for (const zone of ['America/New_York', 'Asia/Kolkata']) {
      process.env.TZ = zone;
      for (const date of dates) {
        const server = await serve(inTurn(busy({ 'retry-after': date }), json({})));
        await R(server).get();
        expect(delays.at(-1)).toBeGreaterThan(5_000);
        expect(delays.at(-1)).toBeLessThanOrEqual(10_000);
      }
    }
  });

  test('QUERY is retried as a GET, with its body; a stream is not', async () => {
    const server = await serve(inTurn(busy(), busy(), json('found')));
    const query = { method: 'query', body: { filter: 1 } };
    expect((await createClient({ url: server.url }).route().request(query)).body).toBe('found');
    expect(server.seen.map(({ method, body }) => `${method} ${body}`)).toEqual(Array(3).fill('QUERY {"filter":1}'));
    const other = await serve(busy());
    const body = new ReadableStream({ start: (controller) => controller.close() });
    expect(await failureOf(createClient({ url: other.url }).route().request({ method: 'QUERY', body }))).toMatchObject({
      status: 503,
    });
    expect(other.seen).toHaveLength(1);
  });

  test('Retry-After of more than a minute: rejects at once', async () => {
    const server = await serve(busy({ 'retry-after': '61' }));
    expect(await failureOf(R(server).get())).toMatchObject({ status: 503 });
    expect([server.seen.length, delays]).toEqual([1, []]);
  });

  test('Retry-After beyond the deadline: rejects at once with the last response', async () => {
    const server = await serve(busy({ 'retry-after': '30' }));
    vi.restoreAllMocks();
    expect(await failureOf(R(server).request({ timeout: 20_000 }))).toMatchObject({ code: 'HTTP', status: 503 });
    expect(server.seen).toHaveLength(1);
  });
});

test('observe receives an attempt without a response; its times add up to at most the call’s', async () => {
  const url = 'http://host.test';
  const events: CallEvent[] = [];
  const client = createClient({
    url,
    retry: 0,
    observe: (event) => events.push(event),
    credentials: credentials.bearer(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return 'token';
    }),
    fetch: () => Promise.reject(new TypeError('Failed to fetch')),
  });
  const before = performance.now();
  expect(await failureOf(client.route('svc').get())).toMatchObject({ code: 'NETWORK' });
  const elapsed = performance.now() - before;
  const [{ durationMs, credentialsMs, ...event } = expect.fail('no event')] = events;
  expect(event).toEqual({ method: 'GET', path: '/_db/_system/svc', origin: url, code: 'NETWORK', attempt: 1 });
  expect(credentialsMs).toBeGreaterThan(15);
  expect(durationMs).toBeGreaterThanOrEqual(0);
  expect(credentialsMs + durationMs).toBeLessThanOrEqual(elapsed);
});

describe('A permanent network failure', () => {
  quickWaits();

  test.each([
    ['ECONNRESET', 3],
    ['ETIMEDOUT', 3],
    ['ENOTFOUND', 1],
    ['CERT_HAS_EXPIRED', 1],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 1],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 1],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 1],
  ])('%s: %d attempts', async (code, tries) => {
    let tried = 0;
    const fetch = () => {
      tried += 1;
      return Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code } }));
    };
    const route = createClient({ url: 'http://host.test', fetch }).route();
    expect(await failureOf(route.get())).toMatchObject({ code: 'NETWORK', cause: { code } });
    expect(tried).toBe(tries);
  });
});
