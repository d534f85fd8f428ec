import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type UploadBody, type UploadProgress, uploadWithProgress } from '../../../src/client/stream/index.ts';
import { createClient, credentials, isUploadError } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';

const size = 3_000_000;
const blob = () => new Blob([new Uint8Array(size)], { type: 'image/x-canary' });

/** A server that says what it received; `/moved` redirects, `/slow` does not answer, `/401` answers so once. */
async function serve() {
  const seen: { method?: string | undefined; type?: string | undefined; length: number; path?: string | undefined }[] =
    [];
  const server = createServer((request, response) => {
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    request.on('end', () => {
      const { method, url: path, headers } = request;
      seen.push({ method, path, type: headers['content-type'], length });
      if (path?.endsWith('/slow')) return;
      if (path?.endsWith('/moved')) response.writeHead(307, { location: '/elsewhere' });
      else response.writeHead(path?.endsWith('/413') ? 413 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: 'too large', length }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  // The cast: a server that listens on a port has an AddressInfo.
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, database: 'shop' });
  return { route: client.route('files'), seen };
}

afterEach(() => void vi.unstubAllGlobals());

describe('uploadWithProgress over the port of a server', () => {
  const bytes = new Uint8Array(size);
  test.each<[string, () => UploadBody, string | undefined]>([
    ['a Blob', blob, 'image/x-canary'],
    ['a File', () => new File([bytes], 'a.bin', { type: 'text/x-canary' }), 'text/x-canary'],
    ['an ArrayBuffer', () => bytes.buffer as ArrayBuffer, undefined],
    ['a view', () => bytes, undefined],
  ])('%s is sent, with its type and its progress', async (_, body, type) => {
    const { route, seen } = await serve();
    const told: UploadProgress[] = [];
    const { status, body: answer } = await uploadWithProgress(route, 'a', body(), {
      onProgress: (one) => told.push(one),
    });
    expect([status, answer]).toEqual([200, { message: 'too large', length: size }]);
    expect(seen).toEqual([{ method: 'POST', path: '/_db/shop/files/a', type, length: size }]);
    expect(told.at(-1)).toEqual({ bytes: size, total: size });
    expect(told.map((one) => one.bytes)).toEqual(told.map((one) => one.bytes).sort((a, b) => a - b));
  });

  test('a form is sent by PUT with a query', async () => {
    const { route, seen } = await serve();
    const form = new FormData();
    form.append('file', blob(), 'a.bin');
    const told: UploadProgress[] = [];
    await uploadWithProgress(route, ['a b'], form, {
      method: 'PUT',
      qs: { x: 1 },
      onProgress: (one) => told.push(one),
    });
    expect(seen[0]).toMatchObject({ method: 'PUT', path: '/_db/shop/files/a%20b?x=1' });
    expect(seen[0]?.type).toMatch(/^multipart\/form-data; ?boundary=/);
    expect(told.at(-1)).toEqual({ bytes: seen[0]?.length, total: seen[0]?.length });
  });

  test('errors, deadline and abort are those of any call', async () => {
    const { route } = await serve();
    const onProgress = () => undefined;
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const upload = (path: string, from = route) => failureOf(uploadWithProgress(from, path, blob(), { onProgress }));
    expect(await upload('413')).toMatchObject({ code: 'HTTP', status: 413, reason: 'too large' });
    expect(await upload('moved')).toMatchObject({ code: 'REDIRECT', status: 307 });
    expect(await upload('slow', route.with({ timeout: 50 }))).toMatchObject({ code: 'TIMEOUT', timeout: 50 });
    expect(await upload('slow', route.with({ signal: controller.signal }))).toMatchObject({ code: 'ABORTED' });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('canary');
      },
    ],
    ['rejects', () => Promise.reject(new Error('canary'))],
  ])('a callback that %s fails the upload', async (_, onProgress) => {
    const { route } = await serve();
    const error = await failureOf(uploadWithProgress(route, 'slow', blob(), { onProgress }));
    expect(isUploadError(error) && error).toMatchObject({ method: 'POST', path: '/_db/shop/files/slow' });
    expect([error.message, (error.cause as Error).message]).toEqual([expect.not.stringContaining('canary'), 'canary']);
  });
});

test('renews a token that was refused, and sends the body again', async () => {
  await using mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
  let refusals = 1;
  mock.route('POST', '/_db/:db/files/a', ({ body }) =>
    refusals-- > 0 ? { status: 401 } : { body: { length: (body as Uint8Array).length } },
  );
  const login = credentials.login({ username: 'alice', password: 'pw' });
  const route = createClient({ ...mock.connection, credentials: login }).route('files');
  const told: number[] = [];
  const { status } = await uploadWithProgress(route, 'a', new Uint8Array(1_000), {
    onProgress: ({ bytes }) => told.push(bytes),
  });
  expect([status, told]).toEqual([200, [1_000, 1_000]]);
});

test('in a page, a fetch of the caller gets the body as it is', async () => {
  vi.stubGlobal('XMLHttpRequest', class {});
  const sent: unknown[] = [];
  const fetch = async (_: string, { body }: RequestInit) => {
    sent.push(body);
    return Response.json({});
  };
  const told: UploadProgress[] = [];
  const route = createClient({ url: 'http://a.test', fetch }).route('files');
  await uploadWithProgress(route, 'a', blob(), { onProgress: (one) => told.push(one) });
  expect([sent[0] instanceof Blob, told]).toEqual([true, [{ bytes: size, total: size }]]);
});

/** As in happy-dom: it answers, and has no events of the upload. */
class SilentXhr {
  upload = {};
  status = 200;
  statusText = '';
  responseURL = '';
  response = new ArrayBuffer(0);
  onload = (): void => undefined;
  open(): void {}
  abort(): void {}
  setRequestHeader(): void {}
  getAllResponseHeaders = () => '';
  send(): void {
    setTimeout(() => this.onload());
  }
}

describe.each(['happy-dom', 'a service worker', 'a page with its own fetch'])('uploadWithProgress in %s', (where) => {
  test.each<[string, () => UploadBody, number]>([
    ['a Blob', blob, size],
    ['bytes', () => new Uint8Array(7), 7],
    ['an empty Blob', () => new Blob([]), 0],
    // Node copies a form with files as its bytes.
    ['a form', () => formOf('ä', 'b'), 3],
  ])('%s reports the total when the answer arrives', async (_, body, total) => {
    if (where === 'a service worker') vi.stubGlobal('ServiceWorkerGlobalScope', class {});
    else vi.stubGlobal('XMLHttpRequest', SilentXhr);
    const fetch = async () => Response.json({});
    vi.stubGlobal('fetch', fetch);
    const own = where === 'a page with its own fetch' ? { fetch } : {};
    const route = createClient({ url: 'http://a.test', ...own }).route('files');
    const told: UploadProgress[] = [];
    await uploadWithProgress(route, 'a', body(), { onProgress: (one) => told.push(one) });
    expect(told).toEqual([{ bytes: total, total }]);
  });
});

function formOf(...values: string[]): FormData {
  const form = new FormData();
  for (const value of values) form.append('a', value);
  return form;
}

describe('bad input of uploadWithProgress', () => {
  const route = createClient({ url: 'http://a.test', fetch: async () => expect.fail('sent') }).route('files');
  const onProgress = () => undefined;
  test.each<[string, unknown[]]>([
    ['route', [{}, 'a', blob(), { onProgress }]],
    ['options', [route, 'a', blob()]],
    ['onProgress', [route, 'a', blob(), { onProgress: 1 }]],
    ['method', [route, 'a', blob(), { onProgress, method: 'GET' }]],
    ['total', [route, 'a', blob(), { onProgress, total: 1 }]],
    ['body', [route, 'a', 'text', { onProgress }]],
    ['body', [route, 'a', new ReadableStream(), { onProgress }]],
    ['body', [route, 'a', new URLSearchParams(), { onProgress }]],
    ['path', [route, '../a', blob(), { onProgress }]],
  ])('is refused, naming %s', async (field, args) => {
    const error = await failureOf(Reflect.apply(uploadWithProgress, undefined, args));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field });
  });
});
