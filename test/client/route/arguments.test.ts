import { describe, expect, test } from 'vitest';
import type { Route } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { pathOf, routeEchoes, routeOf } from '../../support/transports.ts';

const text = 'text/plain;charset=UTF-8';
const jsonType = 'application/json';

type Sent = readonly [method: string, target: string, contentType: string | undefined, body: string];
type Row = readonly [row: string, call: (R: Route) => Promise<unknown>, sent: Sent];

const rows: readonly Row[] = [
  ['R.get({a: 1}) is a query', (R) => R.get({ a: 1 }), ['GET', '?a=1', undefined, '']],
  ['R.get(URLSearchParams)', (R) => R.get(new URLSearchParams('a=1')), ['GET', '?a=1', undefined, '']],
  ['R.delete({a: 1})', (R) => R.delete({ a: 1 }), ['DELETE', '?a=1', undefined, '']],
  ["R.delete('u', {a: 1})", (R) => R.delete('u', { a: 1 }), ['DELETE', '/u?a=1', undefined, '']],
  ["R.head('u', {a: 1})", (R) => R.head('u', { a: 1 }), ['HEAD', '/u?a=1', undefined, '']],
  ['R.get(undefined, {a: 1})', (R) => R.get(undefined, { a: 1 }), ['GET', '?a=1', undefined, '']],
  ['R.post({a: 1}) is a body', (R) => R.post({ a: 1 }), ['POST', '', jsonType, '{"a":1}']],
  ['R.post({a: 1}, {q: 1}): body and qs', (R) => R.post({ a: 1 }, { q: 1 }), ['POST', '?q=1', jsonType, '{"a":1}']],
  [
    "R.post('u', {a: 1}, {q: 1}): path, body, qs",
    (R) => R.post('u', { a: 1 }, { q: 1 }),
    ['POST', '/u?q=1', jsonType, '{"a":1}'],
  ],
  ["R.put('u', {a: 1}, 'q=1')", (R) => R.put('u', { a: 1 }, 'q=1'), ['PUT', '/u?q=1', jsonType, '{"a":1}']],
  ['R.patch([{}], {q: 1})', (R) => R.patch([{}], { q: 1 }), ['PATCH', '?q=1', jsonType, '[{}]']],
  ["R.post('str'): a lone string is the path", (R) => R.post('str'), ['POST', '/str', undefined, '']],
  ["R.post('', 'str') sends a string", (R) => R.post('', 'str'), ['POST', '', text, 'str']],
  ['request({body}) sends a string', (R) => R.request({ method: 'POST', body: 'str' }), ['POST', '', text, 'str']],
  ["R.post('', '') sends an empty string", (R) => R.post('', ''), ['POST', '', text, '']],
  ['R.post(undefined, {a: 1}): no path, body', (R) => R.post(undefined, { a: 1 }), ['POST', '', jsonType, '{"a":1}']],
  ['[] is JSON', (R) => R.post([]), ['POST', '', jsonType, '[]']],
  ['{} is JSON', (R) => R.post({}), ['POST', '', jsonType, '{}']],
  ['R.post(0) and R.post(false) are JSON', (R) => R.post(false), ['POST', '', jsonType, 'false']],
  ['R.post() sends no body', (R) => R.post(), ['POST', '', undefined, '']],
  ["request({method: 'patch'}) is upper-cased", (R) => R.request({ method: 'patch' }), ['PATCH', '', undefined, '']],
  ['request() is a GET', (R) => R.request(), ['GET', '', undefined, '']],
  [
    'request with every part',
    (R) => R.request({ method: 'DELETE', path: 'u', body: { a: 1 }, qs: { q: 1 } }),
    ['DELETE', '/u?q=1', jsonType, '{"a":1}'],
  ],
  ['OPTIONS', (R) => R.request({ method: 'options', path: 'u' }), ['OPTIONS', '/u', undefined, '']],
  ['a token of RFC 9110', (R) => R.request({ method: 'propfind' }), ['PROPFIND', '', undefined, '']],
];

// The casts of this table: values that TypeScript would reject.
const refused: readonly (readonly [what: string, call: (R: Route) => Promise<unknown>, field: string])[] = [
  ['a body with GET', (R) => R.request({ method: 'get', body: {} }), 'body'],
  ['a body with HEAD', (R) => R.request({ method: 'HEAD', body: 'x' }), 'body'],
  [
    'a third argument of get',
    (R) => (R.get as (...args: unknown[]) => Promise<unknown>).call(R, 'u', {}, {}),
    'arguments',
  ],
  [
    'a fourth argument of post',
    (R) => (R.post as (...args: unknown[]) => Promise<unknown>).call(R, 'u', {}, {}, { timeout: 1 }),
    'arguments',
  ],
  ['an unknown option', (R) => R.request({ pth: 'u' } as object), 'pth'],
  ['options that are not an object', (R) => R.request('u' as unknown as object), 'options'],
  ['options that are null', (R) => R.request(null as unknown as object), 'options'],
  ['CONNECT', (R) => R.request({ method: 'CONNECT' }), 'method'],
  ['TRACE', (R) => R.request({ method: 'trace' }), 'method'],
  ['a method with a space', (R) => R.request({ method: 'GET /x' }), 'method'],
  ['a method with CRLF', (R) => R.request({ method: 'GET\r\n' }), 'method'],
  ['an empty method', (R) => R.request({ method: '' }), 'method'],
  ['a method that is not a string', (R) => R.request({ method: 5 as unknown as string }), 'method'],
  [
    'absolutePath that is not a boolean',
    (R) => R.request({ absolutePath: 'yes' as unknown as boolean }),
    'absolutePath',
  ],
  ['a path that is a number', (R) => R.request({ path: 5 as unknown as string }), 'path'],
  ['a null path', (R) => R.request({ path: null as unknown as string }), 'path'],
  ['get(null)', (R) => R.get(null as unknown as string), 'path'],
  ['head(5)', (R) => R.head(5 as unknown as string), 'path'],
];

describe.each(routeEchoes)('Arguments over $name', ({ open }) => {
  test.each(rows)('become the expected request: %s', async (_row, call, sent) => {
    const echo = await open();
    const base = pathOf(echo);
    await call(routeOf(echo, echo));
    const [wire] = echo.seen;
    const contentTypes = wire?.headers.get('content-type');
    expect([wire?.method, wire?.target, contentTypes, wire?.body.toString()]).toEqual([
      sent[0],
      base + sent[1],
      sent[2] && [sent[2]],
      sent[3],
    ]);
    expect(echo.seen).toHaveLength(1);
  });

  test.each(refused)('rejects %s, sends nothing', async (_what, call, field) => {
    const echo = await open();
    const base = pathOf(echo);
    const error = await failureOf(call(routeOf(echo, echo)));
    expect(error).toMatchObject({ name: 'InvalidArgumentError', code: 'INVALID_ARGUMENT', field, path: base });
    expect(error.message).toMatch(new RegExp(`^\\w+ ${base} was not sent: \\w+: `));
    expect(echo.seen).toEqual([]);
  });

  const unreadable = () => {
    throw new Error('canary');
  };
  test.each<readonly [what: string, options: unknown, named: string]>([
    ['a wrong path', { method: 'post', path: '..' }, 'POST'],
    ['a wrong timeout', { method: 'Delete', timeout: -1 }, 'DELETE'],
    ['an unknown option', { method: 'PUT', methd: 1 }, 'PUT'],
    ['no method', { path: 5 }, 'GET'],
    ['a method that is not text', { method: 5, path: '..' }, 'request'],
    ['a method that cannot be sent', { method: 'TRACE' }, 'request'],
    ['options that are not an object', 'u', 'request'],
    ['a method that throws', Object.defineProperty({}, 'method', { get: unreadable, enumerable: true }), 'request'],
  ])('request() with %s names the method if it can be read', async (_what, options, named) => {
    const echo = await open();
    const base = pathOf(echo);
    const error = await failureOf(routeOf(echo, echo).request(options as object));
    expect(error.message).toMatch(new RegExp(`^${named} ${base} was not sent: `));
    expect([error.code, error.method, error.message.includes('canary')]).toEqual(['INVALID_ARGUMENT', named, false]);
    expect(echo.seen).toEqual([]);
  });

  test('an unknown option is rejected with the accepted ones, in request() and with()', async () => {
    const echo = await open();
    const R = routeOf(echo, echo);
    expect((await failureOf(R.request({ time: 1 } as object))).message).toMatch(
      /time: unknown \(did you mean "timeout"\?\); accepted are .*timeout/,
    );
    expect(() => R.with({ shema: 1 } as object)).toThrow(
      /shema: unknown \(did you mean "schema"\?\); accepted are .*schema/,
    );
    // Inherited names are not options, either.
    expect(() => R.with(JSON.parse('{"__proto__": 1}'))).toThrow(/unknown; accepted are/);
    expect(() => R.with({ constructor: 1 } as object)).toThrow(/unknown; accepted are/);
  });

  test('verbs and request() reject and never throw', async () => {
    const echo = await open();
    const R = routeOf(echo, echo);
    const calls = [
      R.get('..'),
      R.post('..', {}),
      R.put('..'),
      R.patch('..'),
      R.delete('..'),
      R.head('..'),
      R.request({ path: '..' }),
    ];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
  });

  test('rejects null as a body with a hint', async () => {
    const echo = await open();
    const R = routeOf(echo, echo);
    const calls = [R.post('u', null), R.request({ method: 'POST', body: null })];
    for (const { message } of await Promise.all(calls.map(failureOf))) {
      expect(message).toMatch(/body: null is not a body: omit it, or send 'null'/);
    }
    await R.post('u', 'null');
    expect(echo.seen.map(({ body }) => body.toString())).toEqual(['null']);
  });

  test('a route is immutable: children and with() do not change it', async () => {
    const echo = await open();
    const base = pathOf(echo);
    const R = routeOf(echo, echo);
    R.route('child', { 'x-child': '1' });
    R.with({ headers: { 'x-with': '1' }, timeout: 1 });
    await R.get();
    const [wire] = echo.seen;
    expect([wire?.target, wire?.headers.has('x-child'), wire?.headers.has('x-with')]).toEqual([base, false, false]);
  });
});
