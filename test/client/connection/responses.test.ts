import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { failureOf } from '../../support/failure.ts';
import { json, type Responder, serve } from '../../support/server.ts';
import { pathOf, routeOf, routeWays } from '../../support/transports.ts';

const reply =
  (status: number, contentType: string | undefined, body?: string | Uint8Array): Responder =>
  (_wire, response) =>
    void response.writeHead(status, contentType === undefined ? {} : { 'content-type': contentType }).end(body);
const latin1 = Buffer.from('caf\xe9', 'latin1');

const read: readonly (readonly [
  row: string,
  contentType: string | undefined,
  sent: string | Uint8Array,
  body: unknown,
])[] = [
  ['application/json', 'application/json', '{"a":1}', { a: 1 }],
  ['with charset', 'application/json; charset=utf-8', '"ü"', 'ü'],
  ['any case', 'Application/JSON;Charset=UTF-8', '[1]', [1]],
  ['+json', 'application/problem+json', 'null', null],
  ['JSON with a BOM', 'application/json', '\ufeff{"a":1}', { a: 1 }],
  ['JSON is UTF-8 whatever its charset says', 'application/json; charset=latin1', '"é"', 'é'],
  ['a text type', 'text/plain', 'a ü', 'a ü'],
  ['text/html', 'text/html; charset=utf-8', '<p>', '<p>'],
  ['application/xml', 'application/xml', '<a/>', '<a/>'],
  ['text in latin1', 'text/plain; charset=latin1', latin1, 'café'],
  ['text in latin1, without a space', 'text/plain;charset=latin1', latin1, 'café'],
  ['text in a quoted charset', 'text/plain; charset="iso-8859-1"', latin1, 'café'],
  ['text in an unknown charset is UTF-8', 'text/plain; charset=nonsense', 'ü', 'ü'],
  ['anything else is bytes', 'application/octet-stream', Buffer.from([0, 255]), new Uint8Array([0, 255])],
  ['no content type is bytes', undefined, 'x', new Uint8Array([120])],
  ['a type that only looks like JSON is bytes', 'application/jsonx', '{}', new Uint8Array([123, 125])],
  ['an empty body, JSON', 'application/json', '', undefined],
  ['line ends only, JSON', 'application/json', '\r\n \t\n', undefined],
  ['an empty body, text', 'text/plain', '', undefined],
  ['an empty body, bytes', undefined, '', undefined],
];

describe.each(routeWays)('Responses over $name', (transport) => {
  test.each(read)('2xx: %s', async (_row, contentType, sent, body) => {
    const server = await serve(reply(200, contentType, sent));
    expect((await routeOf(server, transport).get()).body).toEqual(body);
  });

  test('the result: body, status, statusText, ok, headers, url, redirected', async () => {
    const server = await serve(
      (_wire, response) => void response.writeHead(201, 'Made', { 'x-h': '1', 'content-type': 'text/plain' }).end('b'),
    );
    const response = await routeOf(server, transport).post('u', {});
    expect({ ...response, headers: response.headers.get('x-h') }).toEqual({
      body: 'b',
      status: 201,
      statusText: 'Made',
      ok: true,
      headers: '1',
      url: `${server.url}${pathOf(transport)}/u`,
      redirected: false,
    });
  });

  test.each([204, 205, 304])('%d has no body and is a result', async (status) => {
    const server = await serve(reply(status, 'application/json'));
    const response = await routeOf(server, transport).get();
    expect([response.status, response.ok, response.body]).toEqual([status, status < 300, undefined]);
  });

  test('HEAD has no body, whatever its headers', async () => {
    const server = await serve(reply(200, 'application/json', '{"a":1}'));
    const R = routeOf(server, transport).with({ schema: z.object({}) });
    const { status, body, headers } = await R.head('u');
    expect([status, body, headers.get('content-type'), server.seen[0]?.method]).toEqual([
      200,
      undefined,
      'application/json',
      'HEAD',
    ]);
  });

  test.each([
    ['json', { a: 1 }],
    ['text', '{"a":1}'],
    ['bytes', new TextEncoder().encode('{"a":1}')],
    ['auto', new TextEncoder().encode('{"a":1}')],
  ] as const)('responseType %s overrides the content type', async (responseType, body) => {
    const server = await serve(reply(200, 'application/octet-stream', '{"a":1}'));
    const R = routeOf(server, transport);
    expect((await R.with({ responseType }).get()).body).toEqual(body);
    expect((await R.request({ responseType })).body).toEqual(body);
  });

  test("responseType 'blob' and 'stream'", async () => {
    const server = await serve(reply(200, 'image/x-test', 'abc'));
    const R = routeOf(server, transport);
    const { body: blob } = await R.with({ responseType: 'blob' }).get();
    expect([blob?.type, await blob?.text()]).toEqual(['image/x-test', 'abc']);
    const { body: stream } = await R.with({ responseType: 'stream' }).get();
    expect(stream).toBeInstanceOf(ReadableStream);
    expect(await new Response(stream).text()).toBe('abc');
  });

  test.each(['json', 'text', 'bytes', 'blob', 'stream'] as const)(
    'responseType %s of an empty response',
    async (responseType) => {
      const server = await serve(reply(204, undefined));
      const { body } = await routeOf(server, transport).with({ responseType }).get();
      expect(body).toBe(responseType === 'text' ? '' : undefined);
    },
  );

  test('invalid JSON with a JSON type: ParseError with status and the start of the text', async () => {
    const text = `<html>${'x'.repeat(300)}`;
    const server = await serve(reply(200, 'application/json', text));
    const error = await failureOf(routeOf(server, transport).get('u'));
    expect(error).toMatchObject({
      name: 'ParseError',
      code: 'PARSE',
      status: 200,
      text: text.slice(0, 200),
      path: `${pathOf(transport)}/u`,
    });
    expect(error.message).toBe(`GET ${pathOf(transport)}/u answered 200 with a body that is not valid JSON`);
  });

  test('a schema validates the body and returns its output', async () => {
    const server = await serve(json({ a: '5', extra: true }));
    const schema = z.object({ a: z.pipe(z.string(), z.transform(Number)) });
    expect((await routeOf(server, transport).with({ schema }).get()).body).toEqual({ a: 5 });
    expect((await routeOf(server, transport).request({ schema })).body).toEqual({ a: 5 });
  });

  test('schema mismatch: SchemaError with the issues and their paths', async () => {
    const server = await serve(json({ list: [{ id: 1 }], b: 'x' }));
    const schema = z.object({ list: z.array(z.object({ id: z.string() })), b: z.number() });
    const error = await failureOf(routeOf(server, transport).with({ schema }).get('u'));
    expect(error).toMatchObject({
      name: 'SchemaError',
      code: 'SCHEMA',
      method: 'GET',
      issues: [{ path: ['list', 0, 'id'] }, { path: ['b'] }],
    });
    expect(error.message).toMatch(
      new RegExp(`^GET ${pathOf(transport)}/u answered with an unexpected body: list.*0.*id: .+ \\(and 1 more\\)$`),
    );
  });

  test('awaits an asynchronous schema; one that throws is a SchemaError without its message', async () => {
    const server = await serve(json({ a: 1 }));
    const standard = (validate: (value: unknown) => unknown) =>
      ({ '~standard': { version: 1, vendor: 'test', validate } }) as Parameters<typeof R.with>[0]['schema'] & object;
    const R = routeOf(server, transport);
    expect((await R.with({ schema: standard(async () => ({ value: 'made' })) }).get()).body).toBe('made');
    const error = await failureOf(
      R.with({
        schema: standard(() => {
          throw new Error('canary');
        }),
      }).get(),
    );
    expect(error.code).toBe('SCHEMA');
    expect(JSON.stringify(error) + error.stack).not.toContain('canary');
  });

  test('rejects a schema with a stream, sends nothing', async () => {
    const server = await serve();
    const R = routeOf(server, transport).with({ responseType: 'stream', schema: z.string() });
    expect(await failureOf(R.get())).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'schema', method: 'GET' });
    expect(server.seen).toEqual([]);
  });

  test('children inherit with(); `undefined` removes; a call overrides', async () => {
    const server = await serve(json({ a: 1 }));
    const R = routeOf(server, transport).with({ schema: z.string(), responseType: 'text' });
    expect((await R.route('child').get()).body).toBe('{"a":1}');
    expect((await R.with({ schema: undefined, responseType: undefined }).get()).body).toEqual({ a: 1 });
    expect((await R.request({ schema: z.any(), responseType: 'json' })).body).toEqual({ a: 1 });
  });
});
