import { describe, expect, it } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createMock, type Mock, type StreamedRequest } from '../../../src/mock/index.js';

const base = 'http://mock.test';
const open = () => createMock({ authentication: { mode: 'None' }, limits: { bodyBytes: 1000 } });
const echo = `${base}/_db/shop/_echo`;

async function read(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}

function redirecting(mock: Mock, location: string, status = 302): void {
  mock.route('*', '/from', () => ({ status, headers: { location } }));
  mock.route('*', '/to', ({ method, body, headers }) => ({
    body: { method, body: body ?? null, type: headers.get('content-type') },
  }));
}

describe('mock.fetch behaves like fetch', () => {
  it.each(['\ufeff{"a":1}', '\ufefftext', 'a\ud800b'])('sends the text %j like its bytes', async (text) => {
    const mock = await open();
    const bodies = [text, new TextEncoder().encode(text), new Blob([text])];
    for (const body of bodies) {
      expect((await read(await mock.fetch(echo, { method: 'POST', body }))).body).toBe(
        text.replace('\ud800', '\ufffd'),
      );
    }
  });

  it.each([
    ['/a/../b', '/b'],
    ['/a/%2e%2e/b', '/b'],
    ['/ü x', '/%C3%BC%20x'],
    ['/a\\b', '/a/b'],
    ['/a%2Fb#hash', '/a%2Fb'],
    ['', '/'],
  ])('sends the path %j as %j', async (given, path) => {
    const mock = await open();
    const response = await mock.fetch(`${base}${given}`);
    expect(mock.requests.find({})?.path).toBe(path);
    expect(response.url).toBe(new URL(path, base).href);
    const same = await mock.fetch(new URL(`${base}${given}`));
    expect(same.url).toBe(new URL(path, base).href);
  });

  it('accepts a Request, and an init that overrides it', async () => {
    const mock = await open();
    const request = new Request(echo, { method: 'PUT', headers: { 'x-a': '1' }, body: 'text' });
    expect(await read(await mock.fetch(request))).toMatchObject({
      method: 'PUT',
      headers: { 'x-a': '1' },
      body: 'text',
    });
    const other = new Request(echo, { method: 'PUT', headers: { 'x-a': '1' }, body: 'text' });
    expect(await read(await mock.fetch(other, { method: 'post', headers: { 'x-b': '2' }, body: '7' }))).toMatchObject({
      method: 'POST',
      headers: { 'x-b': '2' },
      body: 7,
    });
  });

  it('sets the content type of bodies as fetch does', async () => {
    const mock = await open();
    const send = async (body: BodyInit) => {
      const { headers, body: got } = await read(await mock.fetch(echo, { method: 'POST', body }));
      return [(headers as Record<string, string>)['content-type'], got];
    };
    expect(await send('x')).toEqual(['text/plain;charset=UTF-8', 'x']);
    expect(await send(new URLSearchParams({ a: '1 2' }))).toEqual([
      'application/x-www-form-urlencoded;charset=UTF-8',
      'a=1+2',
    ]);
    expect(await send(new Blob(['{"a":1}'], { type: 'application/json' }))).toEqual(['application/json', { a: 1 }]);
    expect(await send(new Uint8Array([0xff, 0x00]))).toEqual([undefined, '/wA=']);
    const form = new FormData();
    form.set('field', 'value');
    expect(await send(form)).toEqual([
      expect.stringMatching(/^multipart\/form-data; boundary=/),
      expect.stringContaining('name="field"'),
    ]);
    const stream = new Blob(['{"s":', 'true}']).stream();
    expect(
      await read(await mock.fetch(echo, { method: 'POST', body: stream, duplex: 'half' } as RequestInit)),
    ).toMatchObject({
      body: { s: true },
    });
  });

  it('stops reading a body that exceeds the cap', async () => {
    const mock = await open();
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(400));
      },
    });
    const response = await mock.fetch(echo, { method: 'POST', body: endless, duplex: 'half' } as RequestInit);
    expect([response.status, pulled < 10]).toEqual([413, true]);
    expect(await response.text()).toContain('limits.bodyBytes');
    for (const [body, status] of [
      ['x'.repeat(1000), 200],
      ['x'.repeat(1001), 413],
      ['ü'.repeat(500), 200],
      ['ü'.repeat(501), 413],
    ] as const) {
      expect((await mock.fetch(echo, { method: 'POST', body })).status).toBe(status);
    }
  });

  it('rejects invalid requests like fetch', async () => {
    const mock = await open();
    await expect(mock.fetch(echo, { body: 'x' })).rejects.toThrow(TypeError);
    await expect(mock.fetch(echo, { method: 'TRACE' })).rejects.toThrow(TypeError);
    await expect(mock.fetch('relative')).rejects.toThrow(TypeError);
    await expect(mock.fetch('ftp://mock.test/')).rejects.toThrow(TypeError);
    await expect(mock.fetch('http://user:pw@mock.test/')).rejects.toThrow(/credentials/);
    await expect(mock.fetch(echo, { headers: { 'a b': 'c' } })).rejects.toThrow(TypeError);
    await expect(mock.fetch(echo, { headers: { a: 'b\nc' } })).rejects.toThrow(TypeError);
    expect(mock.requests).toHaveLength(0);
  });

  it('rejects with the reason of the signal, aborted before or while waiting', async () => {
    const mock = await open();
    const reason = new Error('mine');
    await expect(mock.fetch(echo, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(mock.requests).toHaveLength(0);
    let started = () => {};
    const arrived = new Promise<void>((resolve) => {
      started = resolve;
    });
    mock.route('GET', '/slow', () => {
      started();
      return new Promise(() => {});
    });
    const controller = new AbortController();
    const pending = mock.fetch(new Request(`${base}/slow`, { signal: controller.signal }));
    await arrived;
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    const faulty = new AbortController();
    mock.fail({ delayMs: 1_000_000 });
    const delayed = mock.fetch(echo, { signal: faulty.signal });
    faulty.abort(reason);
    await expect(delayed).rejects.toBe(reason);
  });

  it('cuts off a streamed body when the signal aborts', async () => {
    const mock = await open();
    mock.route(
      'GET',
      '/stream',
      () => new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array([65])) })),
    );
    const controller = new AbortController();
    const response = await mock.fetch(`${base}/stream`, { signal: controller.signal });
    const text = response.text();
    const reason = new Error('mine');
    controller.abort(reason);
    await expect(text).rejects.toBe(reason);
  });

  it('follows, reports or refuses a redirect', async () => {
    const mock = await open();
    redirecting(mock, '/to');
    const post = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } };
    const followed = await mock.fetch(`${base}/from`, post);
    expect([followed.url, followed.redirected, await followed.json()]).toEqual([
      `${base}/to`,
      true,
      { method: 'GET', body: null, type: null },
    ]);
    const manual = await mock.fetch(`${base}/from`, { ...post, redirect: 'manual' });
    expect([manual.status, manual.headers.get('location'), manual.redirected]).toEqual([302, '/to', false]);
    await expect(mock.fetch(`${base}/from`, { redirect: 'error' })).rejects.toThrow(TypeError);
  });

  it('keeps method and body on 307, and fails on loops and other hosts', async () => {
    const mock = await open();
    redirecting(mock, '/to', 307);
    const kept = await mock.fetch(`${base}/from`, { method: 'POST', body: '7' });
    expect(await kept.json()).toEqual({ method: 'POST', body: '7', type: 'text/plain;charset=UTF-8' });
    const loop = await open();
    redirecting(loop, '/from');
    await expect(loop.fetch(`${base}/from`)).rejects.toThrow('fetch failed');
    expect(loop.requests).toHaveLength(21);
    const away = await open();
    redirecting(away, 'http://elsewhere.test/');
    await expect(away.fetch(`${base}/from`)).rejects.toThrow('fetch failed');
  });

  // https://github.com/whatwg/fetch/issues/1662
  it.each(['mock.fetch', "Node's fetch over a port"])('%s refuses to send a stream again after 307', async (way) => {
    await using mock = await open();
    await using port = await listen(mock);
    const got: (string | null)[] = [];
    const take =
      (status: number) =>
      async ({ body, headers }: StreamedRequest) => {
        got.push(`${await new Response(body).text()} ${headers.get('content-language')}`);
        return { status, headers: { location: '/to' } };
      };
    mock.route('POST', '/from', take(307), { body: 'stream' });
    mock.route('POST', '/see', take(303), { body: 'stream' });
    mock.route('*', '/to', ({ headers }) => {
      got.push(headers.get('content-language'));
      return {};
    });
    const send = (path: string) => {
      const [fetch, url] = way === 'mock.fetch' ? [mock.fetch, base] : [globalThis.fetch, port.url];
      const body = new Blob(['abc']).stream();
      return fetch(`${url}${path}`, {
        method: 'POST',
        body,
        headers: { 'content-language': 'de' },
        duplex: 'half',
      } as RequestInit);
    };
    await expect(send('/from')).rejects.toThrow('fetch failed');
    expect(got).toEqual(['abc de']);
    expect((await send('/see')).redirected).toBe(true);
    expect(got).toEqual(['abc de', 'abc de', null]);
  });

  it('rejects with a network error if a fault drops the connection', async () => {
    const mock = await open();
    mock.fail({ path: '/_echo', drop: true });
    await expect(mock.fetch(echo)).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } });
    expect((await mock.fetch(echo)).status).toBe(200);
    expect(mock.requests.map(({ status }) => status)).toEqual([0, 200]);
  });

  it('keeps the url of a clone, and an empty body', async () => {
    const mock = await open();
    const response = await mock.fetch(echo, { method: 'HEAD' });
    expect([response.clone().url, await response.text()]).toEqual([echo, '']);
    mock.route('GET', '/empty', () => ({ status: 204 }));
    expect((await mock.fetch(`${base}/empty`)).body).toBeNull();
  });

  it('answers an opaque 500 if a handler throws, and keeps the error in the log', async () => {
    const mock = await open();
    const thrown = new Error('my bug');
    mock.route('GET', '/throws', () => {
      throw thrown;
    });
    mock.route('GET', '/status', () => ({ status: 99 }));
    mock.route('GET', '/header', () => ({ headers: { 'x-a': 'b\r\nc' } }));
    const response = await mock.fetch(`${base}/throws`);
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: true, code: 500, errorNum: 4, errorMessage: 'internal error' },
    ]);
    expect(mock.requests.at(-1)?.thrown).toBe(thrown);
    expect((await mock.fetch(`${base}/status`)).status).toBe(500);
    expect((await mock.fetch(`${base}/header`)).status).toBe(500);
  });
});
