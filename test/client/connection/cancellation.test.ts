import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { AbortError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { disconnected, json, type Responder, serve } from '../../support/server.ts';
import { clientOf, pathOf, routeOf, routeWays } from '../../support/transports.ts';

const reason = new Error('enough');

describe.each(routeWays)('an AbortSignal over $name', (transport) => {
  const expectAborted = async (call: Promise<unknown>, cause: unknown = reason) => {
    const error = await failureOf(call);
    expect(error).toMatchObject({ name: 'AbortError', code: 'ABORTED', method: 'GET', path: `${pathOf(transport)}/u` });
    expect(error.message).toBe(`GET ${pathOf(transport)}/u was cancelled`);
    expect((error as unknown as AbortError).cause).toBe(cause);
  };

  test('aborted before the call sends nothing', async () => {
    const server = await serve();
    await expectAborted(
      routeOf(server, transport)
        .with({ signal: AbortSignal.abort(reason) })
        .get('u'),
    );
    await expectAborted(routeOf(server, transport, { signal: AbortSignal.abort(reason) }).get('u'));
    expect(server.connections()).toBe(0);
  });

  test('aborted right after the call has begun rejects it', async () => {
    const server = await serve(() => undefined);
    const controller = new AbortController();
    const call = routeOf(server, transport).with({ signal: controller.signal }).get('u');
    controller.abort(reason);
    await expectAborted(call);
  });

  test('aborted while the call waits for a token rejects it', async () => {
    const server = await serve();
    const controller = new AbortController();
    const authorize = () => {
      queueMicrotask(() => controller.abort(reason));
      return new Promise<string>(() => undefined);
    };
    const R = routeOf(server, transport, { credentials: { authorize }, signal: controller.signal });
    await expectAborted(R.get('u'));
    expect(server.connections()).toBe(0);
  });

  test('aborted while the call waits for a retry rejects it', async () => {
    const server = await serve(json({}, 503, { 'retry-after': '50' }));
    const controller = new AbortController();
    const observe = () => void setTimeout(() => controller.abort(reason), 10);
    const R = routeOf(server, transport, { retry: 3, observe });
    await expectAborted(R.with({ signal: controller.signal }).get('u'));
    expect(server.seen).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  const during: readonly (readonly [when: string, answer: Responder])[] = [
    ['headers', () => undefined],
    ['the body', (_wire, response) => void response.writeHead(200).write('part')],
    ['the body of an error', (_wire, response) => void response.writeHead(500).write('part')],
  ];
  test.each(during)('aborted during %s: the server sees the connection close', async (_when, answer) => {
    const controller = new AbortController();
    const server = await serve((...args) => {
      answer(...args);
      setTimeout(() => controller.abort(reason), 30);
    });
    await expectAborted(routeOf(server, transport).with({ signal: controller.signal }).get('u'));
    await disconnected(server);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test("aborted while the caller reads a 'stream' body fails the body", async () => {
    const server = await serve((_wire, response) => void response.writeHead(200).write('part'));
    const controller = new AbortController();
    const R = routeOf(server, transport).with({ signal: controller.signal, responseType: 'stream' });
    const { body } = await R.get('u');
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('part');
    const rest = reader.read();
    controller.abort(reason);
    await expectAborted(rest);
    await disconnected(server);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test("both the client's and the call's signal cancel; a call's signal replaces the route's", async () => {
    const server = await serve(() => undefined);
    const [ofClient, ofRoute, ofCall] = [new AbortController(), new AbortController(), new AbortController()];
    const R = routeOf(server, transport, { signal: ofClient.signal }).with({ signal: ofRoute.signal });
    const byCall = R.request({ path: 'u', signal: ofCall.signal });
    const byClient = R.request({ path: 'u', signal: new AbortController().signal });
    ofRoute.abort(new Error('of a route that the calls replaced'));
    ofCall.abort(reason);
    await expectAborted(byCall);
    ofClient.abort(reason);
    await expectAborted(byClient);
  });

  test("a caller's own AbortSignal.timeout() rejects with AbortError", async () => {
    const server = await serve(() => undefined);
    const signal = AbortSignal.timeout(30);
    const error = await failureOf(routeOf(server, transport).with({ signal }).get('u'));
    expect([error.code, (error.cause as Error).name]).toEqual(['ABORTED', 'TimeoutError']);
  });

  test('an abort after the response changes nothing', async () => {
    const server = await serve(json({ a: 1 }));
    const controller = new AbortController();
    const { body } = await routeOf(server, transport).with({ signal: controller.signal }).get('u');
    controller.abort(reason);
    expect(body).toEqual({ a: 1 });
  });

  test.each([null, {}, 'x', new AbortController(), { aborted: false, addEventListener() {} }])(
    'rejects the signal %j',
    async (signal) => {
      const server = await serve();
      // The cast: a value that TypeScript would reject.
      const options = { signal: signal as unknown as AbortSignal };
      const refusal = expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'signal' });
      expect(() => clientOf(server, transport, options)).toThrow(refusal);
      expect(() => routeOf(server, transport).with(options)).toThrow(refusal);
      expect(await failureOf(routeOf(server, transport).request(options))).toMatchObject({ field: 'signal' });
    },
  );
});

test('a call that its own headers function cancels does not wait for a token', async () => {
  const controller = new AbortController();
  const client = clientOf({ url: 'http://host.test' }, undefined, {
    credentials: { authorize: () => new Promise<string>(() => undefined) },
    headers: () => {
      controller.abort(reason);
      return {};
    },
    signal: controller.signal,
  });
  expect(await failureOf(client.route().get())).toMatchObject({ code: 'ABORTED', cause: reason });
});
