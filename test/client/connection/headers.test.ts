import { describe, expect, test, vi } from 'vitest';
import type { HeadersInput, Route } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { type EchoServer, routeEchoes, routeOf } from '../../support/transports.ts';

const layered = (echo: EchoServer, headers: HeadersInput): Route => routeOf(echo, echo, { headers });

describe.each(routeEchoes)('Headers over $name', ({ open }) => {
  test('precedence: connection < route < child route < with < call, case-insensitively, one value', async () => {
    const echo = await open();
    const connection = layered(echo, { 'X-L': 'connection', 'x-only': 'connection' });
    const route = connection.route('a', { 'x-l': 'route', 'x-route': 'route' });
    const child = route.route({ 'X-l': 'child' });
    await connection.get();
    await route.get();
    await child.get();
    await child.with({ headers: { 'x-L': 'with' } }).get();
    await child.with({ headers: { 'x-L': 'with' } }).request({ headers: { 'X-L': 'call' } });
    expect(echo.seen.map(({ headers }) => headers.get('x-l'))).toEqual([
      ['connection'],
      ['route'],
      ['child'],
      ['with'],
      ['call'],
    ]);
    expect(echo.seen.map(({ headers }) => headers.get('x-only'))).toEqual(Array(5).fill(['connection']));
    expect(echo.seen.map(({ headers }) => headers.get('x-route')?.[0])).toEqual([undefined, ...Array(4).fill('route')]);
  });

  test('two spellings in one object: the last one wins, with one value', async () => {
    const echo = await open();
    await routeOf(echo, echo).request({ headers: { 'X-A': '1', 'x-a': '2' } });
    expect(echo.seen[0]?.headers.get('x-a')).toEqual(['2']);
  });

  test.each([undefined, null])('%s removes an inherited header, at any layer', async (nothing) => {
    const echo = await open();
    const R = layered(echo, { 'x-a': '1', 'x-b': '1' });
    await R.route({ 'X-A': nothing }).get();
    await R.with({ headers: { 'X-A': nothing } }).get();
    await R.request({ headers: { 'X-A': nothing } });
    expect(echo.seen.map(({ headers }) => [headers.has('x-a'), headers.get('x-b')])).toEqual(
      Array(3).fill([false, ['1']]),
    );
  });

  test('a removed header can be set again in a child', async () => {
    const echo = await open();
    await layered(echo, { 'x-a': '1' }).route({ 'x-a': null }).route({ 'x-a': '3' }).get();
    expect(echo.seen[0]?.headers.get('x-a')).toEqual(['3']);
  });

  test('with({ headers }) twice merges header by header', async () => {
    const echo = await open();
    await routeOf(echo, echo)
      .with({ headers: { 'x-a': '1', 'x-b': '1' } })
      .with({ headers: { 'x-b': '2' } })
      .get();
    const { headers } = echo.seen[0] ?? {};
    expect([headers?.get('x-a'), headers?.get('x-b')]).toEqual([['1'], ['2']]);
  });

  test("keeps the caller's content-type, exactly once", async () => {
    const echo = await open();
    const R = routeOf(echo, echo).route({ 'Content-Type': 'application/vnd.x+json' });
    await R.post({ a: 1 });
    await R.post('', 'text');
    await R.post('', new Blob(['x'], { type: 'image/png' }));
    await routeOf(echo, echo).request({
      method: 'PUT',
      body: {},
      headers: { 'CONTENT-type': 'application/vnd.x+json' },
    });
    expect(echo.seen.map(({ headers }) => headers.get('content-type'))).toEqual(
      Array(4).fill(['application/vnd.x+json']),
    );
    expect(echo.seen[0]?.body.toString()).toBe('{"a":1}');
  });

  test('accepts a Headers object, numbers and booleans; the object is not kept', async () => {
    const echo = await open();
    const headers = new Headers({ 'x-a': '1' });
    const plain = { 'x-n': 5, 'x-b': false, 'x-p': 'before' };
    const R = routeOf(echo, echo).route(headers).with({ headers: plain });
    headers.set('x-a', 'changed');
    plain['x-p'] = 'changed';
    await R.get();
    const sent = echo.seen[0]?.headers;
    expect(['x-a', 'x-n', 'x-b', 'x-p'].map((name) => sent?.get(name))).toEqual([['1'], ['5'], ['false'], ['before']]);
    expect([...headers]).toEqual([['x-a', 'changed']]);
  });

  test('sends Latin-1 and empty values', async () => {
    const echo = await open();
    await routeOf(echo, echo).request({ headers: { 'x-a': 'caf\xe9', 'x-e': '' } });
    const sent = echo.seen[0]?.headers;
    expect([sent?.get('x-a'), sent?.get('x-e')]).toEqual([['caf\xe9'], ['']]);
  });

  const values: readonly (readonly [what: string, value: unknown])[] = [
    ['CRLF inside', 'canary\r\nx-evil: 1'],
    ['NUL', 'canary\0'],
    ['beyond Latin-1', 'canary ☃'],
    ['an object', { canary: 1 }],
    ['a symbol', Symbol('canary')],
    ['an array', ['canary']],
  ];
  test.each(values)('rejects an invalid value (%s) without printing it', async (_what, value) => {
    const echo = await open();
    const R = routeOf(echo, echo);
    // The cast: a value that TypeScript would reject.
    const headers = { 'X-Secret': value } as HeadersInput;
    const error = await failureOf(R.request({ headers }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'headers.x-secret' });
    for (const make of [() => R.route(headers), () => R.with({ headers }), () => layered(echo, headers)]) {
      expect(make).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'headers.x-secret' }));
    }
    expect(error.message).not.toContain('canary');
    expect(echo.seen).toEqual([]);
  });

  test.each(['', 'a b', 'ü', 'a:b', 'a\n'])('rejects the name %j', async (name) => {
    const echo = await open();
    expect(await failureOf(routeOf(echo, echo).request({ headers: { [name]: '1' } }))).toMatchObject({
      field: 'headers',
    });
    expect(echo.seen).toEqual([]);
  });

  test.each(['content-length', 'Transfer-Encoding', 'connection', 'upgrade', '__proto__'])(
    'rejects %s',
    async (name) => {
      const echo = await open();
      const headers = JSON.parse(`{"${name}": "1"}`);
      const field = `headers.${name.toLowerCase()}`;
      expect(await failureOf(routeOf(echo, echo).request({ headers }))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        field,
      });
      expect(echo.seen).toEqual([]);
    },
  );

  test.each([[null], ['x: 1'], [[['x', '1']]], [new Map([['x', '1']])]])('rejects headers %j', async (input) => {
    const echo = await open();
    const headers = input as unknown as HeadersInput;
    expect(await failureOf(routeOf(echo, echo).request({ headers }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      field: 'headers',
    });
    expect(echo.seen).toEqual([]);
  });
});

describe.each(routeEchoes)('The content type of a form over $name', ({ open }) => {
  const form = () => {
    const one = new FormData();
    one.append('a', 'b');
    return one;
  };

  test.each(['application/json', 'multipart/form-data', 'multipart/form-data; boundary=x', 'text/plain'])(
    'of the client, %s, is refused by name before anything is sent',
    async (type) => {
      const echo = await open();
      const R = layered(echo, { 'content-type': type });
      for (const sent of [
        R.post('', form()),
        routeOf(echo, echo, { headers: () => ({ 'Content-Type': type }) }).post('', form()),
      ])
        expect(await failureOf(sent)).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'headers.content-type' });
      expect(echo.seen).toEqual([]);
      await R.request({ method: 'POST', body: form(), headers: { 'content-type': null } });
      expect(echo.seen[0]?.headers.get('content-type')?.[0]).toMatch(/^multipart\/form-data; ?boundary=/);
    },
  );
});

test('strips white space around a value, over any transport', async () => {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json({}));
  await routeOf({ url: 'http://host.test' }, { fetch }).request({ headers: { 'x-a': ' a b\t' } });
  expect(fetch.mock.calls[0]?.[1].headers).toEqual({ 'x-a': 'a b' });
});
