import { Readable } from 'node:stream';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { CallOptions } from '../../../src/client/connection/call.ts';
import { typed } from '../../../src/client/openapi/index.ts';
import { events, paginate, progress } from '../../../src/client/stream/index.ts';
import { type ClientOptions, createClient, isInvalidArgumentError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

interface Page {
  readonly items: number[];
  readonly next?: string;
}
interface paths {
  '/files/{name}': {
    put: {
      parameters: { path: { name: string } };
      requestBody: { content: { 'application/octet-stream': string } };
      responses: { 204: { content?: never } };
    };
  };
  '/shops/{shop}/orders': {
    get: {
      parameters: { path: { shop: string }; query?: { limit?: number; offset?: number } };
      responses: { 200: { content: { 'application/json': Page } }; 404: { content: { 'application/json': string } } };
    };
    post: {
      parameters: { path: { shop: string } };
      requestBody: { content: { 'application/json': { total: number }[] } };
      responses: { 204: { content?: never } };
    };
  };
  '/changes': {
    get: {
      parameters: { query?: { since?: number } };
      responses: { 200: { content: { 'text/event-stream': string } } };
    };
  };
}

const base = '/_service/uds/_db/shop/orders';

/** A service that answers as `reply` says, and what arrived: method, path, headers and body. */
function service(reply: (url: URL, headers: Headers) => Response, more: Partial<ClientOptions> = {}) {
  const seen: { call: string; headers: Headers; body: string }[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const call = `${request.method} ${url.pathname.replace(base, '')}${url.search}`;
    seen.push({ call, headers: request.headers, body: await request.text() });
    return reply(url, request.headers);
  };
  const client = createClient({ url: 'http://service.test', database: 'shop', retry: 0, fetch, ...more });
  const route = client.service('orders');
  return { route, api: typed<paths>(route), seen };
}

async function* pieces() {
  yield 'a';
  yield Uint8Array.of(98);
}
const stream = (): ReadableStream<Uint8Array> => new Blob(['ab']).stream();

describe('a typed route sends', () => {
  const bodies = {
    'a web stream': () => stream(),
    'an async generator': () => pieces(),
    'a Readable': () => Readable.from(['a', 'b']),
    'a function that opens a stream': () => stream,
    'a function that opens a generator': () => pieces,
    'a function that promises a Readable': () => async () => Readable.from(['a', 'b']),
    'progress of a stream': () => progress(stream(), () => undefined),
    'progress of a function': () => progress(pieces, () => undefined),
  } as const;
  test.each(Object.entries(bodies))('%s', async (_, make) => {
    const { api, seen } = service(() => new Response(null, { status: 204 }));
    const body = make();
    await api.put('/files/{name}', { path: { name: 'a/b' }, body });
    expect(seen).toMatchObject([{ call: 'PUT /files/a%2Fb', body: 'ab' }]);
  });

  test('a stream of JSON text, by the content type of the call', async () => {
    const { api, seen } = service(() => new Response(null, { status: 204 }));
    async function* json() {
      yield '[{"total":';
      yield '1}]';
    }
    const headers = { 'content-type': 'application/json' };
    await api.post('/shops/{shop}/orders', { path: { shop: 's' }, headers, body: json() });
    expect(seen[0]?.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual([{ total: 1 }]);
  });

  test('the body of a function, which is called for each attempt', async () => {
    const statuses = [503, 204];
    const { api, seen } = service(() => new Response(null, { status: statuses.shift() ?? 500 }), {});
    await api.put('/files/{name}', { path: { name: 'x' }, body: pieces, retry: 1 });
    expect(seen.map(({ body }) => body)).toEqual(['ab', 'ab']);
  });
});

describe('every option of a call', () => {
  /** A value that is refused, for each option: a new option without a line here does not compile. */
  const invalid = {
    timeout: -1,
    idleTimeoutMs: -1,
    signal: {},
    retry: -1,
    schema: {},
    responseType: 'lines',
    allowStatus: [1],
    maxBytes: -1,
    idempotencyKey: 7,
    operation: 7,
  } satisfies Record<keyof CallOptions, unknown>;
  test.each(Object.entries(invalid))('%s is read', async (name, value) => {
    const { api, seen } = service(() => Response.json({ items: [] }));
    const call = api.get('/shops/{shop}/orders', { path: { shop: 's' }, [name]: value });
    const error = await failureOf(call);
    expect(isInvalidArgumentError(error) && error.field.split(/[.[]/)[0]).toBe(name);
    expect(seen).toEqual([]);
  });
});

describe('paginate over a typed route', () => {
  const path = { shop: 'a/b' };
  const items = [1, 2, 3, 4, 5];
  const list = (link: (offset: number) => string) =>
    service(({ searchParams }) => {
      const offset = Number(searchParams.get('offset') ?? 0);
      const more = offset + 2 < items.length ? { next: link(offset + 2) } : {};
      return Response.json({ items: items.slice(offset, offset + 2), ...more });
    });

  test('by a query, whose fields are those of the document', async () => {
    const { api, seen } = list(String);
    const found: number[] = [];
    const pages = paginate(api, '/shops/{shop}/orders', {
      path,
      query: { limit: 2 },
      headers: { 'x-tenant': 'acme' },
      next: ({ body }) => {
        expectTypeOf(body).toEqualTypeOf<Page>();
        return body.next === undefined ? undefined : { offset: Number(body.next) };
      },
    });
    expect(seen).toEqual([]);
    for await (const { body, status } of pages) {
      expectTypeOf(status).toEqualTypeOf<200>();
      found.push(...body.items);
    }
    expect(found).toEqual(items);
    expect(seen.map(({ call }) => call)).toEqual([
      'GET /shops/a%2Fb/orders?limit=2',
      'GET /shops/a%2Fb/orders?limit=2&offset=2',
      'GET /shops/a%2Fb/orders?limit=2&offset=4',
    ]);
    expect(seen.map(({ headers }) => headers.get('x-tenant'))).toEqual(['acme', 'acme', 'acme']);
  });

  test.each([
    ['a query', (offset: number) => `?offset=${offset}`],
    ['a path', (offset: number) => `${base}/shops/a%2Fb/orders?offset=${offset}`],
  ])('by links with %s, under the name of the operation', async (_, link) => {
    const { api, seen, route } = list(link);
    expect(api.path).toBe(base);
    const operations: unknown[] = [];
    const observed = typed<paths>(route.with({ operation: 'of the route' }));
    for (const one of [api, observed]) {
      const pages = paginate(one, '/shops/{shop}/orders', { path, next: ({ body }) => body.next });
      for await (const { body } of pages) operations.push(body.items.length);
    }
    expect(operations).toEqual([2, 2, 1, 2, 2, 1]);
    expect(seen.slice(0, 3).map(({ call }) => call)).toEqual([
      'GET /shops/a%2Fb/orders',
      'GET /shops/a%2Fb/orders?offset=2',
      'GET /shops/a%2Fb/orders?offset=4',
    ]);
  });

  test.each([['http://elsewhere.test/x'], ['/_service/uds/_db/shop/other'], ['..%2f..%2f..'.replace(/%2f/g, '/')]])(
    'refuses the link %s, which leaves the route',
    async (link) => {
      const { api, seen } = list(() => link);
      const pages = paginate(api, '/shops/{shop}/orders', { path: { shop: 's' }, next: ({ body }) => body.next });
      await pages.next();
      expect(await failureOf(pages.next())).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'next' });
      expect(seen).toHaveLength(1);
    },
  );

  test('is refused for a parameter, an option, a `next` or a route that is not valid, and nothing is sent', async () => {
    const { api, seen } = list(String);
    const refusal = async (route: unknown, options: unknown) =>
      failureOf(paginate(route as typeof api, '/shops/{shop}/orders', options as never).next());
    const next = () => undefined;
    expect(await refusal(api, { path: { shop: '..' }, next })).toMatchObject({ field: 'path.shop' });
    expect(await refusal(api, { path, next, timout: 5 })).toMatchObject({ field: 'timout' });
    expect(await refusal(api, { path })).toMatchObject({ field: 'next' });
    expect(await refusal(api, { path, next: 'more' })).toMatchObject({ field: 'next' });
    expect(await refusal({}, { path, next })).toMatchObject({ field: 'route' });
    expect(await refusal(api, undefined)).toMatchObject({ field: 'options' });
    expect(seen).toEqual([]);
  });
});

describe('events of a typed route', () => {
  test('are opened again with the id of the last event, until a 204', async () => {
    const answers = ['retry: 0\n\nid: 1\ndata: a\n\n', 'id: 2\ndata: b\n\n'];
    const { api, seen } = service(() => {
      const text = answers.shift();
      return text === undefined ? new Response(null, { status: 204 }) : new Response(text);
    });
    const data: string[] = [];
    const stream = events(api, '/changes', {
      query: { since: 3 },
      headers: () => ({ 'X-Tenant': 'acme' }),
      retryMs: 0,
    });
    for await (const event of stream) data.push(event.data);
    expect(data).toEqual(['a', 'b']);
    expect(seen.map(({ call }) => call)).toEqual(Array.from({ length: 3 }, () => 'GET /changes?since=3'));
    const header = (name: string) => seen.map(({ headers }) => headers.get(name));
    expect(header('accept')).toEqual(Array.from({ length: 3 }, () => 'text/event-stream'));
    expect(header('x-tenant')).toEqual(['acme', 'acme', 'acme']);
    expect(header('last-event-id')).toEqual([null, '1', '2']);
  });

  test('end after the first stream with `resume: false`, and reject with the error of a refused stream', async () => {
    const { api } = service(() => new Response('data: a\n\n'));
    const data: string[] = [];
    for await (const event of events(api, '/changes', { resume: false })) data.push(event.data);
    expect(data).toEqual(['a']);
    const { api: down } = service(() => new Response(null, { status: 503 }));
    expect(await failureOf(events(down, '/changes', { resume: false }).next())).toMatchObject({ status: 503 });
    const { api: gone } = service(() => new Response(null, { status: 404 }));
    expect(await failureOf(events(gone, '/changes').next())).toMatchObject({ status: 404 });
  });

  test('are refused for options that are not valid, and nothing is sent', async () => {
    const { api, seen } = service(() => new Response('data: a\n\n'));
    const refusal = (options: unknown) => failureOf(events(api, '/changes', options as never).next());
    expect(await refusal({ timout: 5 })).toMatchObject({ field: 'timout' });
    expect(await refusal({ resume: 'no' })).toMatchObject({ field: 'resume' });
    expect(await refusal({ retryMs: -1 })).toMatchObject({ field: 'retryMs' });
    expect(await refusal({ headers: 7 })).toMatchObject({ field: 'headers' });
    expect(await failureOf(events({} as typeof api, '/changes').next())).toMatchObject({ field: 'route' });
    expect(seen).toEqual([]);
  });

  test('stop with the signal', async () => {
    const { api } = service(() => new Response(new ReadableStream()));
    const stop = new AbortController();
    const first = events(api, '/changes', { signal: stop.signal }).next();
    setTimeout(() => stop.abort(), 10);
    expect(await failureOf(first)).toMatchObject({ code: 'ABORTED' });
  });
});
