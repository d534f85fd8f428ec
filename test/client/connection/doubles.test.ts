import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type ClientOptions, createClient, type Transport } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

const url = 'http://service.test';
const said = 'failed: fetch or transport: expected a new Response, not { ok, json }';

/** Doubles of `fetch`'s result that suites of public projects return. */
const doubles: readonly (readonly [what: string, result: unknown])[] = [
  ['{ ok, json }', { ok: true, json: async () => ({}) }],
  ['{ ok, status, json }', { ok: true, status: 200, json: async () => ({}) }],
  ['{ ok, status, headers, json }', { ok: true, status: 200, headers: new Headers(), json: async () => ({}) }],
  [
    'methods without headers',
    { status: 200, json: async () => 1, text: async () => '1', blob: async () => new Blob() },
  ],
  ['a frozen object', Object.freeze({ ok: true, json: async () => ({}) })],
  [
    'a class that is not a Response',
    new (class FakeResponse {
      status = 404;
    })(),
  ],
  ['a missing status', { headers: new Headers(), text: async () => '1', blob: async () => new Blob() }],
  ['a status that is text', { status: '404', headers: new Headers(), blob: async () => new Blob() }],
  [
    'a getter that throws',
    {
      get headers(): never {
        throw new Error('canary');
      },
    },
  ],
  ['undefined, as of a bare vi.fn()', undefined],
  ['null', null],
  ['a text', 'x'],
];

/** The ways to a double: ky's, `fetch` of the options, the global one, and a transport. */
const ways: Readonly<Record<string, (result: () => unknown) => Partial<ClientOptions>>> = {
  // The casts: doubles of tests in JavaScript.
  fetch: (result) => ({ fetch: async () => result() as Response }),
  transport: (result) => ({ transport: { send: async () => result() } as unknown as Transport }),
};

describe.each(Object.keys(ways))('a double of %s', (way) => {
  const counted = (result: () => unknown) => {
    let calls = 0;
    const options = ways[way]?.(() => {
      calls++;
      return result();
    });
    return { client: createClient({ url, ...options }), calls: () => calls };
  };

  test.each(doubles)('%s is an InvalidArgumentError, at once', async (_what, result) => {
    const { client, calls } = counted(() => result);
    const error = await failureOf(client.route('x').get());
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'fetch or transport', method: 'GET' });
    expect(error.message).toBe(`GET /_db/_system/x ${said}`);
    expect(calls()).toBe(1);
  });

  test('an invalid argument, also with a space in its name, is rejected without a call of the double', async () => {
    const { client, calls } = counted(() => Response.json({}));
    const error = await failureOf(client.route('x').post({ 'first name': Number.NaN }));
    expect(error.message).toContain('x was not sent: body["first name"]: ');
    expect(calls()).toBe(0);
  });

  test.each<[string, () => Response]>([
    ['JSON', () => Response.json({ a: 1 })],
    ['a failure', () => Response.json({ a: 1 }, { status: 500 })],
  ])('a Response that is returned twice, with %s, is an InvalidArgumentError the second time', async (_what, make) => {
    const only = make();
    const { client, calls } = counted(() => only);
    const route = client.route('x').with({ allowStatus: 'all', retry: 0 });
    expect((await route.get()).body).toEqual({ a: 1 });
    expect(await failureOf(route.get())).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(calls()).toBe(2);
  });

  test.each<[string, () => Response]>([
    ['frozen', () => Object.freeze(Response.json({ a: 1 }))],
    [
      'a subclass with bytes() of its own',
      () => {
        const bytes = () => async () => new TextEncoder().encode('{"a":1}');
        return Object.defineProperty(Response.json({ a: 1 }), 'bytes', { get: bytes });
      },
    ],
  ])('a Response that is %s is read', async (_what, make) => {
    for (const responseType of ['auto', 'bytes', 'text', 'blob', 'stream'] as const) {
      const { client, calls } = counted(make);
      const { body } = await client.route('x').with({ responseType }).get();
      if (responseType === 'auto') expect(body).toEqual({ a: 1 });
      else expect(await new Response(body as BodyInit).text()).toBe('{"a":1}');
      expect(calls()).toBe(1);
    }
  });

  test("node-fetch's Response, whose body is a stream of Node, is read, failures too", async () => {
    const text = '{"error":true,"errorNum":1202,"errorMessage":"gone"}';
    const nodeFetch = (status: number) => {
      const whole = new Response(text, { status, headers: { 'content-type': 'application/json' } });
      const methods = Object.fromEntries(
        (['text', 'json', 'blob', 'arrayBuffer', 'bytes'] as const).map((name) => [name, () => whole[name]()]),
      );
      const { headers, ok } = whole;
      return { status, ok, statusText: '', headers, url: '', bodyUsed: false, body: Readable.from([text]), ...methods };
    };
    expect(
      (
        await counted(() => nodeFetch(200))
          .client.route('x')
          .get()
      ).body,
    ).toEqual(JSON.parse(text));
    const { client, calls } = counted(() => nodeFetch(404));
    expect(await failureOf(client.route('x').get())).toMatchObject({ status: 404, errorNum: 1202, reason: 'gone' });
    expect(calls()).toBe(1);
  });

  test.each([
    ['a stream of Node', { body: Readable.from(['{"a":1}']) }],
    ['not known, as in React Native', {}],
  ])('with an idle timeout, a Response whose body is %s is read whole', async (_what, fields) => {
    const whole = Response.json({ a: 1 });
    const { client } = counted(() => ({
      status: 200,
      headers: whole.headers,
      text: () => whole.text(),
      blob: () => whole.blob(),
      ...fields,
    }));
    expect((await client.route('x').with({ idleTimeoutMs: 60_000 }).get()).body).toEqual({ a: 1 });
  });

  test('a Response of another class or realm is accepted', async () => {
    class Response2 extends Response {}
    const { client } = counted(() => new Response2('{"a":1}', { headers: { 'content-type': 'application/json' } }));
    expect((await client.route('x').get()).body).toEqual({ a: 1 });
  });
});

test('a global fetch that returns no Response is named in the error, too', async () => {
  const real = globalThis.fetch;
  globalThis.fetch = (async () => ({ ok: true, json: async () => ({}) })) as unknown as typeof fetch;
  try {
    const error = await failureOf(createClient({ url }).route('x').post({}));
    expect(error.message).toBe(`POST /_db/_system/x ${said}`);
  } finally {
    globalThis.fetch = real;
  }
});
