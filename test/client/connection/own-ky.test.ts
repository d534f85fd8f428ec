import ky, { type KyInstance, type Options } from 'ky';
import { describe, expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { json, serve } from '../../support/server.ts';

const clientWith = (url: string, options: Options, more = {}) =>
  createClient({ url, retry: 0, ky: ky.create(options), ...more });

describe("The caller's ky", () => {
  test('shows a real request to its hooks, which may change method, path and headers, but not the body', async () => {
    const server = await serve(json({ a: 1 }));
    const seen: unknown[] = [];
    const client = clientWith(
      server.url,
      {
        headers: { 'x-default': 'd' },
        hooks: {
          beforeRequest: [
            ({ request }) => {
              seen.push(request instanceof Request, request.method, request.headers.get('authorization'), request.body);
              request.headers.set('x-signed', 's');
              return new Request(`${request.url}&signed=1`, { method: 'PUT', headers: request.headers });
            },
          ],
          afterResponse: [({ response }) => void seen.push(response.status)],
        },
      },
      { credentials: credentials.bearer('token') },
    );
    const { body } = await client.route('svc').post('u', { b: 2 }, { q: 1 });
    expect(body).toEqual({ a: 1 });
    expect(seen).toEqual([true, 'POST', 'Bearer token', null, 200]);
    const [{ method, target, headers, body: sent } = expect.fail('nothing was sent')] = server.seen;
    expect([method, target, String(sent)]).toEqual(['PUT', '/_db/_system/svc/u?q=1&signed=1', '{"b":2}']);
    expect([headers.get('x-default'), headers.get('x-signed')]).toEqual([['d'], ['s']]);
  });

  test('a hook cannot send a request and its credentials to another origin; nothing is sent or retried', async () => {
    const [server, elsewhere] = [await serve(), await serve()];
    let hooks = 0;
    const leave = ({ request }: { request: Request }) => {
      hooks++;
      return new Request(request.url.replace(server.url, elsewhere.url), request);
    };
    const client = clientWith(server.url, { hooks: { beforeRequest: [leave] } }, { retry: 3 });
    const error = await failureOf(client.route('svc').get());
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'ky', method: 'GET', path: '/_db/_system/svc' });
    expect(error.message).toContain('a hook changed the origin');
    expect([hooks, server.seen, elsewhere.seen]).toEqual([1, [], []]);
  });

  test('a Request whose URL changes when read again is not sent elsewhere', async () => {
    const [server, elsewhere] = [await serve(), await serve()];
    const waver = ({ request }: { request: Request }) => {
      let reads = 0;
      const url = () => (reads++ === 0 ? request.url : `${elsewhere.url}/stolen`);
      return Object.defineProperty(new Request(request), 'url', { get: url });
    };
    const client = clientWith(
      server.url,
      { hooks: { beforeRequest: [waver] } },
      { credentials: credentials.bearer('token') },
    );
    expect((await client.route('svc').get()).status).toBe(200);
    expect([server.seen.length, elsewhere.seen]).toEqual([1, []]);
  });

  test.each([
    ['fetch', undefined],
    ['prefix', /changed the origin/],
    ['baseUrl', undefined],
    ['body', undefined],
  ])('an init hook that sets %s cannot redirect the token', async (name, says) => {
    const server = await serve();
    const asked: unknown[] = [];
    const fetch = async (request: unknown) => {
      asked.push(request);
      return new Response();
    };
    const set = { fetch, prefix: 'http://other.test', baseUrl: 'http://other.test', body: 'canary' }[name];
    const init = (options: Options) => void Object.assign(options, { [name]: set });
    const client = clientWith(server.url, { hooks: { init: [init] } }, { credentials: credentials.bearer('token') });
    const call = client.route('svc').post('', { a: 1 });
    if (says) {
      expect((await failureOf(call)).message).toMatch(says);
      expect(server.seen).toEqual([]);
    } else {
      await call;
      expect(server.seen.map(({ body }) => String(body))).toEqual(['{"a":1}']);
    }
    expect(asked).toEqual([]);
  });

  test('an error of a hook is reported as such, without its text', async () => {
    const server = await serve();
    const hook = () => {
      throw new Error('canary');
    };
    const error = await failureOf(
      clientWith(server.url, { hooks: { beforeRequest: [hook] } })
        .route()
        .get(),
    );
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'ky' });
    expect(`${error.message} ${error.stack} ${error.cause}`).not.toContain('canary');
    expect(server.seen).toEqual([]);
  });

  test('a hook may return a response; this package handles its 4xx', async () => {
    const server = await serve(json({ message: 'gone' }, 410));
    const cached = () => Response.json('cached');
    expect(
      (
        await clientWith(server.url, { hooks: { beforeRequest: [cached] } })
          .route()
          .get()
      ).body,
    ).toBe('cached');
    expect(await failureOf(clientWith(server.url, {}).route().get())).toMatchObject({ code: 'HTTP', status: 410 });
  });

  test.each([
    [{ prefix: 'http://other.test' }, /must not set prefix/],
    [{ baseUrl: 'http://other.test' }, /must not set baseUrl/],
    [{ searchParams: { key: 'canary' } }, /must not set searchParams/],
    [{ json: { canary: 1 } }, /must not set json/],
    [{ fetch: async () => new Response() }, /must not set fetch/],
  ])('rejects an instance with %j', (options, says) => {
    expect(() => clientWith('http://host.test', options)).toThrow(says);
    expect(() => clientWith('http://host.test', options)).not.toThrow(/canary/);
  });

  test('rejects ky beside fetch or a transport, and anything but an instance', () => {
    const fetch = async () => new Response();
    for (const [more, field] of [
      [{ fetch }, 'ky'],
      [{ transport: { send: fetch } }, 'transport'],
      [{ ky: {} as KyInstance }, 'ky'],
    ] as const) {
      expect(() => clientWith('http://host.test', {}, more)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT', field }),
      );
    }
  });
});
