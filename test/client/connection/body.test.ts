import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { addOwn, readOwn } from '../../../src/client/services/authorization/self.ts';
import { createClient, type Route } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { routeEchoes, routeOf } from '../../support/transports.ts';

const bytes = new Uint8Array([0, 1, 250, 255]);
const streamOf = (...chunks: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });

const rows: readonly (readonly [
  row: string,
  body: () => unknown,
  contentType: string | undefined,
  wire: Uint8Array | string,
])[] = [
  ['a plain object', () => ({ a: 'ü', b: null }), 'application/json', '{"a":"ü","b":null}'],
  ['an array', () => [1, [2], {}], 'application/json', '[1,[2],{}]'],
  [
    'a class instance by its properties',
    () =>
      new (class {
        a = 1;
      })(),
    'application/json',
    '{"a":1}',
  ],
  [
    'an object with methods like those of a form or a file',
    () =>
      new (class {
        a = 1;
        append() {}
        slice() {}
        sort() {}
      })(),
    'application/json',
    '{"a":1}',
  ],
  ['an object without a prototype', () => Object.assign(Object.create(null), { a: 1 }), 'application/json', '{"a":1}'],
  ['a Date inside JSON', () => ({ at: new Date(0) }), 'application/json', '{"at":"1970-01-01T00:00:00.000Z"}'],
  ['undefined members are left out', () => ({ a: undefined, b: 1 }), 'application/json', '{"b":1}'],
  [
    'an object twice, not cyclic',
    () => {
      const o = {};
      return { a: o, b: o };
    },
    'application/json',
    '{"a":{},"b":{}}',
  ],
  ['names like __proto__', () => JSON.parse('{"__proto__":{"a":1}}'), 'application/json', '{"__proto__":{"a":1}}'],
  ['toJSON', () => ({ toJSON: () => ({ a: 1 }) }), 'application/json', '{"a":1}'],
  ['a string is sent unchanged', () => '{"a": ü', 'text/plain;charset=UTF-8', '{"a": ü'],
  ['an ArrayBuffer', () => bytes.slice().buffer, undefined, bytes],
  ['a typed array', () => bytes, undefined, bytes],
  ['a part of a typed array', () => new Uint8Array([9, ...bytes, 9]).subarray(1, 5), undefined, bytes],
  ['a DataView', () => new DataView(bytes.slice().buffer), undefined, bytes],
  ['a Buffer', () => Buffer.from(bytes), undefined, bytes],
  ['a Blob with its own type', () => new Blob([bytes], { type: 'image/x-test' }), 'image/x-test', bytes],
  ['a Blob without a type', () => new Blob([bytes]), undefined, bytes],
  [
    'URLSearchParams',
    () => new URLSearchParams({ a: 'ü &' }),
    'application/x-www-form-urlencoded;charset=UTF-8',
    'a=%C3%BC+%26',
  ],
  ['a ReadableStream', () => streamOf('ab', 'cd'), undefined, 'abcd'],
];

const cyclic: Record<string, unknown> = { deep: {} };
cyclic.deep = { again: [cyclic] };
let nested: unknown = 1;
for (let i = 0; i < 50_000; i++) nested = [nested];

const refused: readonly (readonly [what: string, body: unknown, field: string])[] = [
  ['a Map', new Map([['a', 1]]), 'body'],
  ['a Set', new Set([1]), 'body'],
  ['a symbol', Symbol('s'), 'body'],
  ['a bigint', 1n, 'body'],
  ['NaN', Number.NaN, 'body'],
  ['a Map inside JSON', { a: [new Map()] }, 'body.a[0]'],
  ['a Set inside JSON', { a: new Set() }, 'body.a'],
  ['a function inside JSON', { a: () => 1 }, 'body.a'],
  ['a symbol inside JSON', [Symbol('s')], 'body[0]'],
  ['a bigint inside JSON', { a: { b: 1n } }, 'body.a.b'],
  ['undefined inside an array', [undefined], 'body[0]'],
  ['Infinity inside JSON', { a: Number.POSITIVE_INFINITY }, 'body.a'],
  ['an invalid Date inside JSON', { a: new Date(Number.NaN) }, 'body.a'],
  ['a promise inside JSON', { a: Promise.resolve(1) }, 'body.a'],
  ['a RegExp inside JSON', { a: /x/ }, 'body.a'],
  ['bytes inside JSON', { a: new Uint8Array(1) }, 'body.a'],
  ['a toJSON that returns undefined', { toJSON: () => undefined }, 'body'],
  ['a toJSON that returns a Map', { a: { toJSON: () => new Map() } }, 'body.a'],
  ['a cyclic value', cyclic, 'body.deep.again[0]'],
  ['a value that is nested too deeply', nested, 'body'],
  [
    'a getter that throws',
    {
      get a() {
        throw new Error('canary');
      },
    },
    'body',
  ],
];

describe.each(routeEchoes)('Body over $name', ({ open }) => {
  test.each(rows)('is sent with its type and its bytes: %s', async (_row, body, contentType, wire) => {
    const echo = await open();
    await routeOf(echo, echo).post('u', body());
    const [seen] = echo.seen;
    expect(seen?.body).toEqual(Buffer.from(wire as string));
    expect(seen?.headers.get('content-type')).toEqual(contentType && [contentType]);
  });

  test('sends FormData as multipart, with its files', async () => {
    const echo = await open();
    const form = new FormData();
    form.append('a', 'ü');
    form.append('f', new File(['content'], 'name.txt', { type: 'text/x-test' }));
    const call = routeOf(echo, echo).post('u', form);
    form.append('late', 'changed after the call');
    await call;
    const [seen] = echo.seen;
    const type = seen?.headers.get('content-type')?.[0] ?? '';
    expect(type).toMatch(/^multipart\/form-data; ?boundary=/);
    const back = await new Response(new Uint8Array(seen?.body ?? []), { headers: { 'content-type': type } }).formData();
    const file = back.get('f') as File;
    expect([back.get('a'), file.name, file.type, await file.text(), back.has('late')]).toEqual([
      'ü',
      'name.txt',
      'text/x-test',
      'content',
      false,
    ]);
  });

  test.each(refused)('rejects %s before anything is sent', async (_what, body, field) => {
    const echo = await open();
    const R = routeOf(echo, echo);
    const post = R.post as (...args: unknown[]) => Promise<unknown>;
    for (const error of [
      await failureOf(post.call(R, 'u', body)),
      await failureOf(R.request({ method: 'PUT', body })),
    ]) {
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field });
      expect(error.message).not.toContain('canary');
    }
    expect(echo.seen).toEqual([]);
  });

  test('rejects a locked stream', async () => {
    const echo = await open();
    const stream = streamOf('x');
    stream.getReader();
    expect(await failureOf(routeOf(echo, echo).post('u', stream))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      field: 'body',
    });
    expect(echo.seen).toEqual([]);
  });

  test("neither keeps nor changes the caller's objects", async () => {
    const echo = await open();
    const R: Route = routeOf(echo, echo);
    const object = { a: [1] };
    const buffer = bytes.slice();
    const params = new URLSearchParams('a=1');
    const calls = [R.post('1', object), R.post('2', buffer), R.post('3', buffer.buffer), R.post('4', params)];
    object.a.push(2);
    buffer.fill(7);
    params.append('b', '2');
    await Promise.all(calls);
    const sent = new Map(echo.seen.map(({ target, body }) => [target.at(-1), body]));
    expect(['1', '2', '3', '4'].map((name) => sent.get(name))).toEqual([
      Buffer.from('{"a":[1]}'),
      Buffer.from(bytes),
      Buffer.from(bytes),
      Buffer.from('a=1'),
    ]);
    expect(object).toEqual({ a: [1, 2] });
  });
});

describe('a runtime that cannot send streams', () => {
  // Like Firefox, which treats a stream as text and does not know `duplex`.
  class OldRequest extends Request {
    constructor(url: string, init: RequestInit) {
      super(url, { method: 'POST', body: String(init.body) });
    }
  }
  /** Ignores the stream. */
  class OlderRequest extends Request {
    constructor(url: string) {
      super(url, { method: 'POST' });
    }
  }

  test.each([OldRequest, OlderRequest])('rejects a stream before anything is sent: %o', async (Known) => {
    const fetch = vi.fn(async () => Response.json({}));
    vi.stubGlobal('Request', Known);
    vi.stubGlobal('fetch', fetch);
    onTestFinished(() => void vi.unstubAllGlobals());
    const error = await failureOf(createClient({ url: 'http://a.test' }).route('x').post('u', streamOf('a')));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'body' });
    expect(error.message).toContain('see uploadWithProgress');
    expect(fetch).not.toHaveBeenCalled();
  });

  test('leaves streams to the caller’s fetch', async () => {
    const fetch = vi.fn(async () => Response.json({}));
    const route = createClient({ url: 'http://a.test', fetch }).route('x');
    vi.stubGlobal('Request', OldRequest);
    onTestFinished(() => void vi.unstubAllGlobals());
    await route.post('u', streamOf('a')).catch(() => {});
    expect(fetch).toHaveBeenCalledOnce();
  });
});

test('mentions HTTP/2 if the runtime fails to send a stream without a code', async () => {
  const fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  const route = createClient({ url: 'http://a.test', fetch, retry: 0 }).route('x');
  expect((await failureOf(route.post('u', streamOf('a')))).message).toContain('HTTP/2');
  expect((await failureOf(route.post('u', 'a'))).message).not.toContain('HTTP/2');
  const reset = () => Promise.reject(Object.assign(new Error(), { code: 'ECONNRESET' }));
  const known = createClient({ url: 'http://a.test', fetch: reset, retry: 0 }).route('x');
  expect((await failureOf(known.post('u', streamOf('a')))).message).not.toContain('HTTP/2');
});

describe('the client’s own token in a JSON body', () => {
  const site = { method: 'POST', path: '/x' };
  const add = async (authorization: string) => addOwn(await readOwn(authorization, site), '{"a":1}');

  test.each(['Bearer t', 'bearer   t'])('is sent in %j', async (authorization) => {
    expect(await add(authorization)).toBe('{"token":"t","a":1}');
  });

  test.each(['Basic t', 'Custom bearer t', 'Bearer t u', 't'])('is absent from %j', async (authorization) => {
    await expect(add(authorization)).rejects.toEqual(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'self', ...site }),
    );
  });
});
