import { createReadStream, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { progress } from '../../../src/client/stream/index.ts';
import { listen } from '../../../src/console/mock/node.ts';
import { type ClientOptions, createClient, credentials, isUploadError } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { inTurn, json, serve, serveRaw } from '../../support/server.ts';
import { sendOptionsOf, transports } from '../../support/transports.ts';

let folder = '';
let file = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
  file = join(folder, 'upload.txt');
  writeFileSync(file, 'x'.repeat(200_000));
});
afterAll(() => rmSync(folder, { recursive: true }));

const missing = () => createReadStream('/nope');
const late = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));
/** The number of open descriptors of the file in this process. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === file;
    } catch {
      return false;
    }
  }).length;

describe.each(transports)('a source over $name', (way) => {
  const clientOf = (url: string, options: Partial<ClientOptions> = {}) =>
    createClient({ url, retry: 0, ...sendOptionsOf(way), ...options });

  test.each<[name: string, by: (token: string) => ClientOptions['credentials']]>([
    ['no token', () => undefined],
    ['a login', () => credentials.login({ username: 'root', password: '' })],
    ['a minted token', () => credentials.minted({ user: 'root', lifetime: '10m' })],
    ['a slow token', (token) => credentials.bearer(() => late().then(() => token))],
    [
      'a token that cannot be obtained',
      () => credentials.bearer(() => late(300).then(() => Promise.reject(new Error('no')))),
    ],
  ])('that fails before it is read: an UploadError, with %s', async (_name, by) => {
    await using mock = await createMock({ users: [{ name: 'root', password: '' }] });
    await using server = await listen(mock);
    const client = clientOf(server.url, { credentials: by(await mock.tokens.issue({ user: 'root' })) });
    for (const body of [missing(), progress(missing(), () => undefined)]) {
      const error = await failureOf(client.route('_echo').put('f', body));
      expect([isUploadError(error), Object(error.cause).code]).toEqual([true, 'ENOENT']);
    }
  });

  test.each([undefined, null, 0, ''])('that fails with %j: an UploadError', async (cause) => {
    const server = await serve();
    const route = clientOf(server.url).route();
    const failing = (controller: ReadableStreamDefaultController) => {
      controller.enqueue(new Uint8Array(3));
      queueMicrotask(() => controller.error(cause));
    };
    const thrown = () => {
      throw cause;
    };
    for (const body of [new ReadableStream({ start: failing }), new ReadableStream({ pull: thrown }), thrown]) {
      const error = await failureOf(route.put('f', body));
      expect([isUploadError(error), error.cause]).toEqual([true, cause]);
    }
  });

  test('that fails after the call has failed is ignored', async () => {
    const body = new Readable({ read: () => undefined });
    expect((await failureOf(clientOf('http://127.0.0.1:1').route().put('f', body))).code).toBe('NETWORK');
    const again = missing();
    expect((await failureOf(clientOf('http://127.0.0.1:1').route().put('..', again))).code).toBe('INVALID_ARGUMENT');
    await expect.poll(() => again.closed).toBe(true);
    expect(body.destroyed).toBe(true);
  });

  test('is destroyed if the call ends before the source is read', async () => {
    const server = await serveRaw((request, response) => {
      if (request.url?.endsWith('hangs')) return;
      response.writeHead(413, { connection: 'close' }).end('{}');
    });
    const client = clientOf(server.url);
    const closed = clientOf(server.url);
    await closed.close();
    const noToken = clientOf(server.url, { credentials: credentials.bearer(() => Promise.reject(new Error('no'))) });
    const waits = clientOf(server.url, { credentials: credentials.bearer(() => new Promise<never>(() => undefined)) });
    const calls: ((body: unknown) => Promise<unknown>)[] = [
      (body) => client.route().put('refused', body),
      (body) => client.route().put('..', body),
      (body) => client.route().post(body as object, { wrong: { query: 1 } as never }),
      (body) => client.route().request({ method: 'GET', body }),
      (body) => client.route().request({ method: 'PUT', body, timeout: -1 }),
      (body) => client.route().request({ method: 'PUT', body, headers: { 'content-length': 'none' } }),
      (body) => client.route().request({ method: 'PUT', body, signal: AbortSignal.abort() }),
      (body) => client.route().request({ method: 'PUT', path: 'hangs', body, timeout: 30 }),
      (body) => clientOf('http://127.0.0.1:1').route().put('', body),
      (body) => closed.route().put('', body),
      (body) => noToken.route().put('', body),
      (body) => waits.route().with({ timeout: 30 }).put('', body),
    ];
    for (const [index, call] of calls.entries()) {
      const body = createReadStream(file);
      await failureOf(call(body));
      await expect.poll(() => body.destroyed, { message: `call ${index}` }).toBe(true);
      const cancel = vi.fn();
      const start = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(10));
      await failureOf(call(new ReadableStream({ start, cancel })));
      await expect.poll(() => cancel.mock.calls.length, { message: `call ${index} with a stream` }).toBe(1);
    }
    await expect.poll(openFiles).toBe(0);
  });

  test('that was refused leaves no file descriptor: 200 uploads', async () => {
    const server = await serve(json({}, 403));
    const route = clientOf(server.url).route();
    const before = openFiles();
    for (let i = 0; i < 200; i++) await failureOf(route.get('..', createReadStream(file) as never));
    for (let i = 0; i < 200; i++) await failureOf(route.request({ method: 'HEAD', body: createReadStream(file) }));
    await expect.poll(openFiles).toBe(before);
  });

  test('from a function is sent again: by a retry, and with a renewed token', async () => {
    const server = await serve(inTurn(json({}, 503), json({}, 401), json('stored')));
    const opened: Readable[] = [];
    const body = () => {
      const stream = createReadStream(file);
      opened.push(stream);
      return stream;
    };
    let token = 0;
    const bearer = credentials.bearer(() => `t${token++}`);
    const route = clientOf(server.url, { credentials: bearer }).route();
    const { body: answer } = await route.request({ method: 'PUT', path: 'f', body, retry: 1 });
    expect(answer).toBe('stored');
    expect(server.seen.map((wire) => wire.body.length)).toEqual([200_000, 200_000, 200_000]);
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  });

  test('from a function that returns one generator twice is not sent as an empty body', async () => {
    const server = await serve(inTurn(json({}, 503), json('stored')));
    const generator = (async function* () {
      yield 'a';
    })();
    const error = await failureOf(
      clientOf(server.url)
        .route()
        .request({ method: 'PUT', body: () => generator, retry: 1 }),
    );
    expect([error.code, String(error.cause)]).toEqual(['UPLOAD', expect.stringContaining('already read or sent')]);
    expect(server.seen.map(({ body }) => String(body))).toEqual(['a']);
  });

  test('from a function that throws, or returns no stream', async () => {
    const server = await serve();
    const route = clientOf(server.url).route();
    const cause = new Error('canary');
    const error = await failureOf(
      route.put('f', () => {
        throw cause;
      }),
    );
    expect([isUploadError(error), error.cause === cause, error.path]).toEqual([true, true, '/_db/_system/f']);
    for (const body of [async () => missing(), () => missing(), () => progress(missing(), () => undefined)]) {
      const missed = await failureOf(route.with({ retry: 3 }).request({ method: 'PUT', body }));
      expect([missed.code, Object(missed.cause).code]).toEqual(['UPLOAD', 'ENOENT']);
    }
    for (const given of [1, { a: 1 }, undefined, [1], () => 'text', 'text', new Uint8Array(3), new FormData()]) {
      const refused = await failureOf(route.put('f', () => given));
      expect([refused.code, String(refused.cause)]).toEqual([
        'UPLOAD',
        'InvalidArgumentError: body: the function returned no stream',
      ]);
    }
    for (const given of [null, new Map()]) expect((await failureOf(route.put('f', () => given))).code).toBe('UPLOAD');
    const whole = Readable.from(['a']);
    for (const stream of [new ReadableStream({ pull: (controller) => controller.close() }), whole]) {
      await route.put('f', () => stream);
      const error = await failureOf(route.put('f', () => stream));
      expect([error.code, Object(error.cause).code]).toEqual(['UPLOAD', 'INVALID_ARGUMENT']);
    }
    expect((await failureOf(route.put('f', whole))).code).toBe('INVALID_ARGUMENT');
  });
});

test('a source from a function is opened only after the token has arrived', async () => {
  const server = await serve();
  const order: string[] = [];
  const bearer = credentials.bearer(async () => {
    await late();
    order.push('token');
    return 't';
  });
  const body = () => {
    order.push('body');
    return Readable.from(['a']);
  };
  await createClient({ url: server.url, credentials: bearer }).route().post('f', body);
  expect(order).toEqual(['token', 'body']);
});
