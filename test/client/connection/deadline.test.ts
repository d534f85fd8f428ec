import { getEventListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { credentials, isTimeoutError, type Route } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { disconnected, json, type Responder, serve, serveRaw } from '../../support/server.ts';
import { isRelease } from '../../support/thorough.ts';
import { clientOf, overEach, pathOf, routeOf, routeWays } from '../../support/transports.ts';

const silent: Responder = () => undefined;
const stalling =
  (status: number): Responder =>
  (_wire, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).write('{"never":');

/** A stream whose response left half of its time. A busy machine may need a longer timeout than 400 ms. */
async function begun(route: Route) {
  for (let timeout = 400; ; timeout *= 4) {
    const startedAt = performance.now();
    const answer = await route
      .with({ timeout, responseType: 'stream' })
      .get()
      .catch((error: unknown) => {
        if (timeout > 10_000 || !isTimeoutError(error)) throw error;
      });
    if (answer && performance.now() - startedAt < timeout / 2) return answer;
    await answer?.body?.cancel();
  }
}

describe('timeout', () => {
  test('without response headers: TimeoutError, and the server sees the connection close', () =>
    overEach(routeWays, async (transport) => {
      const server = await serve(silent);
      const error = await failureOf(routeOf(server, transport).with({ timeout: 300 }).get('u'));
      expect(error).toMatchObject({
        name: 'TimeoutError',
        code: 'TIMEOUT',
        timeout: 300,
        method: 'GET',
        path: `${pathOf(transport)}/u`,
      });
      expect(error.message).toBe(`GET ${pathOf(transport)}/u timed out after 300 ms`);
      expect(server.seen).toHaveLength(1);
      await disconnected(server);
    }));

  test('a hanging retry ends with the deadline of the call', () =>
    overEach(routeWays, async (transport) => {
      let tries = 0;
      const server = await serve((wire, ...rest) =>
        (tries++ === 0 ? json({}, 503, { 'retry-after': '0' }) : silent)(wire, ...rest),
      );
      // The first attempt and the 200 ms backoff fit in, even on the machine of a release, which is busy with other
      // stages; if they do not, no other attempt begins.
      const timeout = isRelease ? 5_000 : 1_500;
      expect(await failureOf(routeOf(server, transport).with({ timeout, retry: 3 }).get())).toMatchObject({
        code: 'TIMEOUT',
        timeout,
      });
      expect(server.seen).toHaveLength(2);
      await disconnected(server);
    }));

  test('covers a renewal that never ends', () =>
    overEach(routeWays, async (transport) => {
      const server = await serve(json({}, 401));
      const client = clientOf(server, transport, {
        timeout: 400,
        credentials: { authorize: () => 'Bearer t', reject: () => new Promise(() => undefined) },
      });
      expect(await failureOf(client.route().get())).toMatchObject({ code: 'TIMEOUT' });
      expect(server.seen).toHaveLength(1);
    }));

  test("it covers a 'stream' body while the caller reads it", () =>
    overEach(routeWays, async (transport) => {
      const server = await serve(stalling(200));
      const { body } = await begun(routeOf(server, transport));
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      expect(new TextDecoder().decode((await reader.read()).value)).toBe('{"never":');
      expect(await failureOf(reader.read())).toMatchObject({ code: 'TIMEOUT', path: pathOf(transport) });
      await disconnected(server);
    }));

  test("an unread 'stream' body is cut as well", () =>
    overEach(routeWays, async (transport) => {
      const server = await serve(stalling(200));
      const { body } = await begun(routeOf(server, transport));
      await disconnected(server);
      expect(await failureOf(new Response(body).text())).toMatchObject({ code: 'TIMEOUT' });
    }));

  test.each([200, 500])('a stalled body with status %d is cut, too', (status) =>
    overEach(routeWays, async (transport) => {
      const server = await serve(stalling(status));
      expect(await failureOf(routeOf(server, transport).with({ timeout: 40 }).post('u', {}))).toMatchObject({
        code: 'TIMEOUT',
      });
      await disconnected(server);
    }),
  );

  test.each(['text', 'bytes', 'blob'] as const)('a stalled body read as %s is cut', (responseType) =>
    overEach(routeWays, async (transport) => {
      const server = await serve(stalling(200));
      expect(await failureOf(routeOf(server, transport).with({ timeout: 40, responseType }).get())).toMatchObject({
        code: 'TIMEOUT',
      });
      await disconnected(server);
    }),
  );

  test('covers all retries together', () =>
    overEach(routeWays, async (transport) => {
      const server = await serve((_wire, response) => void setTimeout(() => response.destroy(), 30));
      expect(await failureOf(routeOf(server, transport).with({ timeout: 80, retry: 100 }).get())).toMatchObject({
        code: expect.stringMatching(/TIMEOUT|NETWORK/),
      });
      await disconnected(server);
    }));

  test('covers a token that never arrives', () =>
    overEach(routeWays, async (transport) => {
      const server = await serve();
      const client = clientOf(server, transport, {
        timeout: 30,
        credentials: credentials.bearer(() => new Promise(() => undefined)),
      });
      expect(await failureOf(client.route().get())).toMatchObject({ code: 'TIMEOUT', method: 'GET' });
      expect(server.seen).toEqual([]);
    }));

  test('covers a schema that never settles', () =>
    overEach(routeWays, async (transport) => {
      const server = await serve();
      const schema = {
        '~standard': { version: 1, vendor: 'test', validate: () => new Promise<never>(() => undefined) },
      } as const;
      expect(await failureOf(routeOf(server, transport).request({ timeout: 30, schema }))).toMatchObject({
        code: 'TIMEOUT',
      });
    }));

  test('covers an upload that the server never reads', () =>
    overEach(routeWays, async (transport) => {
      const held: IncomingMessage[] = [];
      let cancelled = false;
      // On a busy machine it may come after the deadline.
      const server = await serveRaw((request) => held.push(cancelled ? request.resume() : request.pause()));
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => {
          cancelled = true;
        },
      });
      expect(await failureOf(routeOf(server, transport).with({ timeout: 60 }).post('u', endless))).toMatchObject({
        code: 'TIMEOUT',
      });
      await expect.poll(() => cancelled).toBe(true);
      // A server that does not read notices the end once it does.
      for (const request of held) request.resume();
      await disconnected(server);
    }));

  test('an upload whose connection is lost is not read any further', () =>
    overEach(routeWays, async (transport) => {
      const server = await serveRaw((request) => void request.once('data', () => request.socket.resetAndDestroy()));
      let cancelled = false;
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => {
          cancelled = true;
        },
      });
      expect(await failureOf(routeOf(server, transport).post('u', endless))).toMatchObject({ code: 'NETWORK' });
      await expect.poll(() => cancelled).toBe(true);
    }));

  test.each([0, Number.POSITIVE_INFINITY])('%d means none, and overrides the timeout of the client', (timeout) =>
    overEach(routeWays, async (transport) => {
      const server = await serve((wire, ...rest) => void setTimeout(() => json({})(wire, ...rest), 80));
      const R = routeOf(server, transport, { timeout: 20 });
      expect((await R.with({ timeout }).get()).status).toBe(200);
      expect((await R.request({ timeout })).status).toBe(200);
      expect(await failureOf(R.get())).toMatchObject({ code: 'TIMEOUT', timeout: 20 });
    }),
  );

  test('the innermost timeout wins; `undefined` removes that of a route', () =>
    overEach(routeWays, async (transport) => {
      const server = await serve(silent);
      const R = routeOf(server, transport, { timeout: 25 });
      const route = R.with({ timeout: 20 });
      expect(await failureOf(route.route('child').get())).toMatchObject({ timeout: 20 });
      expect(await failureOf(route.request({ timeout: 15 }))).toMatchObject({ timeout: 15 });
      expect(await failureOf(route.request({ timeout: undefined }))).toMatchObject({ timeout: 20 });
      expect(await failureOf(route.with({ timeout: undefined }).get())).toMatchObject({ timeout: 25 });
    }));

  test.each([-1, Number.NaN, '5', null, 2_147_483_648, {}])('rejects %j', (timeout) =>
    overEach(routeWays, async (transport) => {
      const server = await serve();
      // The cast: a value that TypeScript would reject.
      const options = { timeout: timeout as number };
      const refusal = expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'timeout' });
      expect(() => clientOf(server, transport, options)).toThrow(refusal);
      expect(() => routeOf(server, transport).with(options)).toThrow(refusal);
      expect(await failureOf(routeOf(server, transport).request(options))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        field: 'timeout',
      });
      expect(server.seen).toEqual([]);
    }),
  );

  test('accepts 2 147 483 647', () =>
    overEach(routeWays, async (transport) => {
      const server = await serve();
      expect((await routeOf(server, transport).with({ timeout: 2_147_483_647 }).get()).status).toBe(200);
    }));

  test("a 'stream' of a fetch that ignores its signal ends at the timeout or when cancelled", async () => {
    const cancelled: unknown[] = [];
    const fetch = async () => new Response(new ReadableStream({ cancel: (reason) => void cancelled.push(reason) }));
    const R = routeOf({ url: 'http://host.test' }, { fetch }).with({ responseType: 'stream' });
    const timed = await R.request({ timeout: 20 });
    expect(await failureOf(new Response(timed.body as ReadableStream).text())).toMatchObject({ code: 'TIMEOUT' });
    expect(cancelled).toHaveLength(1);
    const untimed = await R.get();
    await (untimed.body as ReadableStream).cancel();
    expect(cancelled).toHaveLength(2);
  });

  test('a fetch that ignores its signal is abandoned, and its late response is dropped', async () => {
    let cancelled = false;
    const late = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const fetch = () => new Promise<Response>((resolve) => setTimeout(() => resolve(new Response(late)), 60));
    expect(await failureOf(routeOf({ url: 'http://host.test' }, { fetch }).with({ timeout: 20 }).get())).toMatchObject({
      code: 'TIMEOUT',
    });
    await expect.poll(() => cancelled).toBe(true);
  });
});

describe.each(routeWays)('Cleanup over $name', (transport) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

  test.each([
    ['an answer', json({ a: 1 })],
    ['an error', json({}, 500)],
    ['a redirect', json({}, 307, { location: '/' })],
    [
      'a body that is not JSON',
      ((_wire, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{')) as Responder,
    ],
    ['a lost connection', ((_wire, response) => void response.destroy()) as Responder],
    ['a timeout', silent],
  ])('leaves no timer and no listener after %s', async (what, answer) => {
    const server = await serve(answer);
    const controller = new AbortController();
    const client = new AbortController();
    const before = timers();
    const R = routeOf(server, transport, { signal: client.signal });
    const timeout = what === 'a timeout' ? 30 : 600_000;
    await R.request({ method: 'POST', timeout, signal: controller.signal }).catch(() => undefined);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(getEventListeners(client.signal, 'abort')).toEqual([]);
    // The runtime's own timers (keep-alive) are coarse and shared; ours would be one more for each call.
    expect(timers() - before).toBeLessThanOrEqual(1);
  });

  test('leaves no timer or listener after 50 concurrent calls, and no warning of too many listeners', async () => {
    const server = await serve();
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const hear = (warning: Error) => warnings.push(warning);
    process.on('warning', hear);
    const before = timers();
    await Promise.all(
      Array.from({ length: 50 }, () => routeOf(server, transport).request({ timeout: 600_000, signal })),
    );
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', hear);
    expect([getEventListeners(signal, 'abort'), warnings]).toEqual([[], []]);
    expect(timers() - before).toBeLessThanOrEqual(2);
  });

  test.each(['read to its end', 'cancelled'])("cleans up after a 'stream' body that was %s", async (how) => {
    const server = await serve((wire, ...rest) => (how === 'cancelled' ? stalling(200) : json({}))(wire, ...rest));
    const { signal } = new AbortController();
    const R = routeOf(server, transport).with({ signal, timeout: 600_000, responseType: 'stream' });
    const { body } = await R.get();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await (how === 'cancelled' ? body?.cancel() : new Response(body).text());
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    if (how === 'cancelled') await disconnected(server);
  });
});
