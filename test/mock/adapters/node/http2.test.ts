import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../src/console/mock/node.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { caller } from '../../../support/behaviour/check.ts';
import { checks } from '../../../support/mock-behaviour.ts';
import { noLogin, start } from './port-support.ts';

function open(url: string): ClientHttp2Session {
  const session = connect(url);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

/** A `fetch` over HTTP/2: one request per session, without redirects. */
function fetchOver(session: ClientHttp2Session): typeof fetch {
  const send = async (input: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(input);
    const { method = 'GET', body, signal } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    if (typeof body === 'string' && !('content-type' in headers)) headers['content-type'] = 'text/plain;charset=UTF-8';
    const stream = session.request({ ...headers, ':method': method, ':path': pathname + search });
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => {
        stream.close();
        reject(signal.reason);
      });
    });
    aborted.catch(() => {});
    stream.end(body as string | Uint8Array | undefined); // As the suite sends it.
    const fail = (cause: unknown) => Promise.reject(new TypeError('no answer', { cause }));
    const ended = once(stream, 'close').then(fail, fail);
    ended.catch(() => {});
    const answered = once(stream, 'response').catch(fail);
    // The cast: the arguments of the event `response`.
    const [got] = (await Promise.race([answered, ended, aborted])) as [IncomingHttpHeaders];
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const answer = new Headers();
    for (const [name, value] of Object.entries(got)) {
      if (!name.startsWith(':')) for (const one of [value].flat()) answer.append(name, String(one));
    }
    const status = Number(got[':status']);
    const location = answer.get('location');
    if (location !== null && init.redirect !== 'manual') return send(new URL(location, input).href);
    return new Response(status === 204 || method === 'HEAD' ? null : Buffer.concat(chunks), {
      status,
      headers: answer,
    });
  };
  return (input, init) => send(String(input), init);
}

describe('the port over HTTP/2 without TLS', () => {
  test.each(checks)('$name', async ({ config, run }) => {
    const mock = await createMock(config);
    onTestFinished(() => mock[Symbol.asyncDispose]());
    const { url } = await listen(mock);
    await run({ mock, call: caller(url, fetchOver(open(url))) });
  });

  test('one port answers both versions at the same time', async () => {
    const { mock, server } = await start();
    const over2 = fetchOver(open(server.url));
    const asked = [over2, fetch, over2, fetch].map((one) => one(`${server.url}/_api/version`));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(mock.requests).toHaveLength(4);
  });

  test('drops headers of HTTP/1.1 that a route sets, and keeps repeated names', async () => {
    const { mock, server } = await start();
    const answer = new Response('x', { headers: { connection: 'close', 'x-a': 'b' } });
    answer.headers.append('set-cookie', 'a=1');
    answer.headers.append('set-cookie', 'b=2');
    mock.route('GET', '/_db/:db/own', () => answer);
    const { headers } = await fetchOver(open(server.url))(`${server.url}/_db/x/own`);
    expect([headers.get('connection'), headers.get('x-a'), headers.getSetCookie()]).toEqual([
      null,
      'b',
      ['a=1', 'b=2'],
    ]);
  });

  test('answers a body over the cap, and a long token', async () => {
    const { server } = await start({}, { ...noLogin, limits: { bodyBytes: 1000 } });
    const over2 = fetchOver(open(server.url));
    expect((await over2(`${server.url}/_db/x/_echo/`, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(413);
    const authorization = `bearer ${'a'.repeat(50_000)}`;
    expect((await over2(`${server.url}/_api/version`, { headers: { authorization } })).status).toBe(200);
  });

  test('a client that disconnects ends a scripted delay', async () => {
    const { mock, server } = await start();
    mock.fail({ path: '/slow', delayMs: 600_000, status: 503 });
    const session = open(server.url);
    session.request({ ':path': '/_db/x/slow' }).on('error', () => {});
    await expect.poll(() => mock.assertFaultsUsed()).toBeUndefined();
    session.destroy();
    await expect.poll(() => mock.requests.at(-1)?.path).toBe('/_db/x/slow');
  });

  test('the port closes with its connections: the idle ones at once, the others after their grace', async () => {
    const { mock, server } = await start();
    let arrived = (): void => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    mock.route('GET', '/_db/:db/slow', () => {
      arrived();
      return new Promise<never>(() => {});
    });
    const [idle, busy] = [open(server.url), open(server.url)];
    await fetchOver(idle)(`${server.url}/_api/version`);
    const pending = expect(fetchOver(busy)(`${server.url}/_db/x/slow`)).rejects.toBeInstanceOf(TypeError);
    const closed = Promise.all([once(idle, 'close'), once(busy, 'close')]);
    await arrival;
    await server.close();
    await pending;
    await closed;
    await expect(fetch(server.url)).rejects.toThrow();
  });
});
