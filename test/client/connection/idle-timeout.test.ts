import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readLines } from '../../../src/client/stream/index.ts';
import { type ClientOptions, createClient, type RouteOptions, type TransportRequest } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { disconnected, inTurn, json, type Responder, serve, serveRaw } from '../../support/server.ts';
import {
  clientOf,
  overEach,
  pathOf,
  routeOf,
  routeWays,
  type TestTransport,
  transports,
} from '../../support/transports.ts';
import { turns } from '../../support/turns.ts';

/** Passes soon if a server is silent. */
const shortMs = 60;
/** Passes in virtual time only. */
const longMs = 10_000;

const silent: Responder = () => undefined;
const stalling =
  (status: number): Responder =>
  (_wire, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).write('{"never":');

/** Virtual time for timers, beside sockets in real time: a step of a busy machine takes none of it. */
function virtualTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => {
    // Not `timers.mockRestore`, after which Vitest restores the spy once more when the file ends: the virtual timer would
    // come back.
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const started = (ms: number) => timers.mock.calls.filter(([, delayMs]) => delayMs === ms).length;
  /** Waits until a timer of so many milliseconds is started, after `act`. */
  const untilStarted = async (ms: number, act: () => unknown) => {
    const before = started(ms);
    act();
    await expect.poll(() => started(ms)).toBeGreaterThan(before);
  };
  /** Lets a share of the idle timeout pass. */
  const pass = (share: number) => void vi.advanceTimersByTime(share * longMs);
  return { pass, untilStarted };
}
type VirtualTime = ReturnType<typeof virtualTime>;

/** Answers `"aaa…"`, a byte at a time, for eleven idle timeouts. */
const dripping =
  ({ pass, untilStarted }: VirtualTime): Responder =>
  async (_wire, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('"');
    for (let byte = 0; byte < 12; byte++) {
      await untilStarted(longMs, () => response.write('a'));
      pass(0.9);
    }
    response.end('"');
  };

const block = new Uint8Array(65_536);
/** A stream that asks for a chunk only while it is read, not ahead. */
const streamOf = (next: () => Promise<Uint8Array | undefined>) =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
/** A stream of so many blocks. */
const blocks = (count: number) => streamOf(async () => (count-- > 0 ? block : undefined));

/** Reads the first half of an upload slowly, for longer than the idle timeout, and the rest at once. */
const slowReader = ({ pass }: VirtualTime, blockCount: number) =>
  serveRaw(async (request, response) => {
    let bytes = 0;
    const half = (blockCount * block.length) / 2;
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes < half) pass((1.4 * chunk.length) / half);
      await new Promise((resolve) => setImmediate(resolve));
    }
    json(bytes)(undefined as never, response, request);
  });

/** A call that takes longer than its idle timeout, without a silence of the server; resolves with its body. */
type Patient = (transport: TestTransport, time: VirtualTime) => Promise<unknown>;

/** Gives a block after each pause, then ends. */
const paused = (...pauses: (() => unknown)[]) =>
  streamOf(async () => {
    const pause = pauses.shift();
    await pause?.();
    return pause && block;
  });
const none = () => undefined;
const patientOf = (server: { readonly url: string }, transport: TestTransport, options: Partial<ClientOptions> = {}) =>
  routeOf(server, transport, { idleTimeoutMs: longMs, timeout: 0, ...options });

const patient: Readonly<Record<string, readonly [run: Patient, body: unknown]>> = {
  'a body with a byte now and then': [
    async (transport, time) => (await patientOf(await serve(dripping(time)), transport).get()).body,
    'a'.repeat(12),
  ],
  'a stream with a byte now and then': [
    async (transport, time) => {
      const server = await serve(dripping(time));
      const { body } = await patientOf(server, transport).request({ responseType: 'stream' });
      return new Response(body).text();
    },
    `"${'a'.repeat(12)}"`,
  ],
  'a caller that does not read for a while': [
    async (transport, { pass }) => {
      const server = await serve((_wire, response) => {
        response.writeHead(200).write('a');
        setImmediate(() => response.end('b'));
      });
      const { body } = await patientOf(server, transport).request({ responseType: 'stream' });
      await turns();
      pass(1.3);
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      const { value: first } = await reader.read();
      await turns();
      pass(1.3);
      reader.releaseLock();
      let text = new TextDecoder().decode(first);
      for await (const line of readLines(body)) text += line;
      return text;
    },
    'ab',
  ],
  'an upload whose source gives nothing for a while': [
    async (transport, { pass }) => {
      const server = await serve((wire, ...rest) => json(wire.body.length)(wire, ...rest));
      return (
        await patientOf(server, transport).post(
          'u',
          paused(none, () => pass(1.3), none),
        )
      ).body;
    },
    3 * block.length,
  ],
  'an upload that the server reads slowly': [
    async (transport, time) => (await patientOf(await slowReader(time, 320), transport).post('u', blocks(320))).body,
    320 * block.length,
  ],
  // Echoes each chunk; the response begins while the request is still sent.
  'a source that gives nothing while the caller reads': [
    async (transport, { pass }) => {
      const server = await serveRaw((request, response) => {
        response.writeHead(200).write('begin');
        request.pipe(response);
      });
      const R = patientOf(server, transport).with({ responseType: 'stream' });
      const response = Promise.withResolvers<void>();
      const { body } = await R.post(
        'u',
        paused(none, () => response.promise.then(() => turns()).then(() => pass(1.3))),
      );
      response.resolve();
      return (await new Response(body as ReadableStream).text()).length;
    },
    5 + 2 * block.length,
  ],
  'a pause before a retry': [
    async (transport, { pass, untilStarted }) => {
      const seconds = (1.3 * longMs) / 1_000;
      const server = await serve(inTurn(json({}, 503, { 'retry-after': String(seconds) }), json(1)));
      const R = patientOf(server, transport, { retry: 1 });
      let answer: Promise<{ body: unknown }> | undefined;
      await untilStarted(1_000 * seconds, () => {
        answer = R.get();
      });
      pass(1.3);
      return (await answer)?.body;
    },
    1,
  ],
  'credentials that take a while': [
    async (transport, { pass }) => {
      const authorize = async () => {
        pass(1.3);
        return 'Bearer x';
      };
      return (await patientOf(await serve(json(1)), transport, { credentials: { authorize } }).get()).body;
    },
    1,
  ],
};

describe.each(routeWays)('idleTimeoutMs over $name', (transport) => {
  test('a silent server: TimeoutError, and the server sees the connection close', async () => {
    const server = await serve(silent);
    const error = await failureOf(routeOf(server, transport).with({ idleTimeoutMs: shortMs }).get('u'));
    expect(error).toMatchObject({ name: 'TimeoutError', code: 'TIMEOUT', timeout: shortMs, method: 'GET' });
    expect(error.message).toBe(`GET ${pathOf(transport)}/u timed out after ${shortMs} ms of silence`);
    await disconnected(server);
  });

  test.each<RouteOptions>([{}, { responseType: 'text' }, { responseType: 'bytes' }, { responseType: 'blob' }])(
    'a body that stalls is cut: %o',
    async (options) => {
      const server = await serve(stalling(200));
      const R = routeOf(server, transport).with({ idleTimeoutMs: shortMs, ...options });
      expect(await failureOf(R.get())).toMatchObject({ code: 'TIMEOUT', timeout: shortMs });
      await disconnected(server);
    },
  );
});

test('idleTimeoutMs cuts the body of an error, too', () =>
  overEach(routeWays, async (transport) => {
    const failing = await serve(stalling(500));
    expect(await failureOf(routeOf(failing, transport).request({ idleTimeoutMs: shortMs }))).toMatchObject({
      code: 'TIMEOUT',
    });
  }));

test.each(routeWays)("idleTimeoutMs cuts a 'stream' body while it is read, too, over $name", async (transport) => {
  const { pass, untilStarted } = virtualTime();
  const server = await serve(stalling(200));
  const { body } = await routeOf(server, transport).request({ idleTimeoutMs: longMs, responseType: 'stream' });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('{"never":');
  let cut: ReturnType<typeof failureOf> | undefined;
  await untilStarted(longMs, () => {
    cut = failureOf(reader.read());
  });
  pass(1);
  expect(await cut).toMatchObject({ code: 'TIMEOUT', path: pathOf(transport) });
  await disconnected(server);
});

describe.each(transports)('idleTimeoutMs over $name does not count', (transport) => {
  test.each(Object.entries(patient))('%s', async (_, [run, body]) => {
    expect(await run(transport, virtualTime())).toEqual(body);
  });
});

describe.each(transports)('idleTimeoutMs over $name', (transport) => {
  test('responses are the same as without the option', async () => {
    const text = '{"a":"ü"}';
    const server = await serve((wire, response) => {
      if (wire.target.endsWith('/204')) return void response.writeHead(204).end();
      if (wire.target.endsWith('/404'))
        return json({ message: 'gone', code: 5 }, 404)(wire, response, undefined as never);
      response.writeHead(201, 'Made', { 'content-type': 'application/json', 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] });
      response.end(text);
    });
    const R = routeOf(server, transport);
    const watched = R.with({ idleTimeoutMs: longMs });
    for (const responseType of ['json', 'text', 'bytes', 'blob'] as const) {
      const [plain, idle] = await Promise.all([R.request({ responseType }), watched.request({ responseType })]);
      expect(idle.body).toEqual(plain.body);
      expect([idle.status, idle.statusText, idle.url]).toEqual([201, 'Made', plain.url]);
      expect(idle.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    }
    expect(await watched.get('204')).toMatchObject({ status: 204, body: undefined });
    expect((await watched.head()).body).toBeUndefined();
    expect(await failureOf(watched.get('404'))).toMatchObject({ status: 404, reason: 'gone', grpcCode: 5 });
  });

  test('the status text is the same as without the option, even one that no `Response` accepts', async () => {
    const head =
      'HTTP/1.1 200 \xfc!\r\ncontent-type: application/json\r\ncontent-length: 1\r\nconnection: close\r\n\r\n1';
    const server = await serve((_wire, response) => void response.socket?.end(head, 'latin1'));
    const R = routeOf(server, transport);
    const [plain, idle] = [await R.get(), await R.with({ idleTimeoutMs: longMs }).get()];
    expect([idle.status, idle.statusText, idle.body]).toEqual([200, plain.statusText, 1]);
  });

  test('an upload that the server does not read is cut', async () => {
    const server = await serveRaw((request) => void request.pause());
    const R = routeOf(server, transport).with({ idleTimeoutMs: shortMs });
    expect(await failureOf(R.post('u', blocks(Number.POSITIVE_INFINITY)))).toMatchObject({ code: 'TIMEOUT' });
    expect(await failureOf(R.post('u', () => blocks(Number.POSITIVE_INFINITY)))).toMatchObject({ code: 'TIMEOUT' });
    expect(await failureOf(R.post('u', new Uint8Array(32_000_000)))).toMatchObject({ code: 'TIMEOUT' });
  });

  test('the innermost value wins; 0, Infinity and `undefined` turn it off; `timeout` still applies', async () => {
    const { pass } = virtualTime();
    const silence = Promise.withResolvers<void>();
    const server = await serve((wire, ...rest) =>
      wire.target.endsWith('/slow') ? void silence.promise.then(() => json({})(wire, ...rest)) : undefined,
    );
    const R = routeOf(server, transport, { idleTimeoutMs: longMs });
    const derived = clientOf(server, transport, { idleTimeoutMs: longMs }).with({ idleTimeoutMs: undefined });
    const cut = Promise.all(
      [
        R.get(),
        R.with({ idleTimeoutMs: longMs - 1 }).get(),
        R.request({ idleTimeoutMs: longMs - 2 }),
        R.with({ timeout: 20 }).get(),
      ].map(failureOf),
    );
    const patient = Promise.all([
      R.with({ idleTimeoutMs: 0 }).get('slow'),
      R.request({ path: 'slow', idleTimeoutMs: Number.POSITIVE_INFINITY }),
      derived.route().get('slow'),
    ]);
    await expect.poll(() => server.seen.length).toBe(7);
    pass(1.1);
    expect(await cut).toMatchObject([
      { timeout: longMs },
      { timeout: longMs - 1 },
      { timeout: longMs - 2 },
      { message: expect.stringMatching(/timed out after 20 ms$/) },
    ]);
    silence.resolve();
    expect((await patient).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('no timer is left behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const server = await serve(json({ a: 1 }));
    const R = routeOf(server, transport).with({ idleTimeoutMs: 600_000 });
    await R.get();
    const before = timers();
    await Promise.all([R.get(), R.post('u', blocks(2)), R.post('u', new Uint8Array(200_000)), R.head()]);
    const { body } = await R.with({ responseType: 'stream' }).get();
    await body?.cancel();
    await failureOf(R.with({ signal: AbortSignal.abort() }).get());
    // Not expect.poll, which keeps a timer of its own. Those of fetch end by themselves after a moment.
    for (let tries = 0; timers() > before && tries < 1_000; tries++) await delay(10);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

test.each(transports.filter(({ name }) => name === 'nodeTransport'))(
  '$name: a body of bytes that the server reads slowly is not cut, and keeps its length and type',
  async (transport) => {
    const bytes = new Uint8Array(320 * block.length);
    const server = await slowReader(virtualTime(), 320);
    const R = routeOf(server, transport).with({ idleTimeoutMs: longMs });
    expect((await R.post('u', bytes)).body).toBe(bytes.length);
    const echo = await serve((wire, ...rest) => {
      const [length, type, coding] = ['content-length', 'content-type', 'transfer-encoding'].map(
        (name) => wire.headers.get(name)?.[0],
      );
      json({ length, type, coding, text: wire.body.toString() })(wire, ...rest);
    });
    const text = 'ü'.repeat(100_000);
    for (const [body, type] of [
      [text, 'text/plain;charset=UTF-8'],
      [new Blob([text], { type: 'image/png' }), 'image/png'],
      [new TextEncoder().encode(text), undefined],
    ] as const) {
      const sent = await routeOf(echo, transport).with({ idleTimeoutMs: longMs }).post('u', body);
      expect(sent.body).toEqual({ length: '200000', text, ...(type && { type }) });
    }
  },
);

test.each([-1, Number.NaN, '5s', null, 2_147_483_648])('idleTimeoutMs %s is refused', async (idleTimeoutMs) => {
  const options = { idleTimeoutMs } as object;
  const refusal = expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'idleTimeoutMs' });
  const client = createClient({ url: 'http://host.test' });
  expect(() => createClient({ url: 'http://host.test', ...options } as ClientOptions)).toThrow(refusal);
  expect(() => client.with(options)).toThrow(refusal);
  expect(() => client.route().with(options)).toThrow(refusal);
  expect(await failureOf(client.route().request(options))).toMatchObject({ field: 'idleTimeoutMs' });
});

test('without idleTimeoutMs a call has no callback of its own, and returns the response of the transport itself', async () => {
  const requests: TransportRequest[] = [];
  const given = Response.json({ a: 1 });
  const send = async (_url: string, request: TransportRequest) => {
    requests.push(request);
    return given;
  };
  const client = createClient({ url: 'http://host.test', transport: { send } });
  const { headers } = await client.route().get();
  expect(headers).toBe(given.headers);
  expect(Object.keys(requests[0] ?? {})).toEqual(['method', 'headers', 'redirect', 'onAddress', 'signal']);
});

test('a transport may call onTaken with an argument, and after the end of the call', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  let onTaken: ((...args: unknown[]) => void) | undefined;
  const send = async (_url: string, request: TransportRequest) => {
    onTaken = request.onTaken;
    return Response.json({ a: 1 });
  };
  const before = timers();
  await createClient({ url: 'http://host.test', transport: { send }, idleTimeoutMs: 600_000 }).route().post({});
  onTaken?.(new Uint8Array(1));
  expect(timers()).toBe(before);
});

test('a status beyond 599 is an HttpError', async () => {
  const send = async () => Object.defineProperty(new Response('no'), 'status', { value: 999 });
  const client = createClient({ url: 'http://host.test', transport: { send }, idleTimeoutMs: longMs });
  expect(await failureOf(client.route().get())).toMatchObject({ code: 'HTTP', status: 999 });
});
