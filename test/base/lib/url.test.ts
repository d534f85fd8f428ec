import { describe, expect, test } from 'vitest';
import type { Client, Route } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOf, echoes, pathOf, routeOf } from '../../support/transports.ts';

type Row = readonly [row: string, call: (R: Route, client: Client) => Promise<unknown>, target: string];

/** Calls of `R`, and their targets below its path. */
const rows: readonly Row[] = [
  ['R.get()', (R) => R.get(), ''],
  ["R.get('u')", (R) => R.get('u'), '/u'],
  ["R.get('/u')", (R) => R.get('/u'), '/u'],
  ["R.route('a').route('/b').get('c')", (R) => R.route('a').route('/b').get('c'), '/a/b/c'],
  ['R.route() is the same route', (R) => R.route().get('u'), '/u'],
  ["R.route({h: '1'}) is a headers-only child", (R) => R.route({ h: '1' }).get('u'), '/u'],
  ["a trailing slash is kept: R.get('u/')", (R) => R.get('u/'), '/u/'],
  ["a trailing slash is kept: route('svc/').get()", (R) => R.route('a/').get(), '/a/'],
  ["R.get('/') is the route with a trailing slash", (R) => R.get('/'), '/'],
  ['joins never double a slash', (R) => R.route('a/').route('/b/').get('/c'), '/a/b/c'],
  ['joins never drop a slash', (R) => R.route('a').get('b/'), '/a/b/'],
  ['inner // is kept', (R) => R.get('a//b'), '/a//b'],
  ["an empty path adds nothing: R.get('')", (R) => R.get(''), ''],
  ['`日本 x` is UTF-8, percent-encoded', (R) => R.get('日本 x'), '/%E6%97%A5%E6%9C%AC%20x'],
  ['`50%`: a stray % is encoded', (R) => R.get('50%'), '/50%25'],
  ['`%zz`: a stray % is encoded', (R) => R.get('%zz%4'), '/%25zz%254'],
  ['`a%2Fb`: a valid escape is kept', (R) => R.get('a%2Fb'), '/a%2Fb'],
  ['`%25`: an escaped % is kept', (R) => R.get('%25%2525'), '/%25%2525'],
  ['`%5c` stays an escape', (R) => R.get('a%5cb'), '/a%5cb'],
  ['escapes and text that must be encoded together', (R) => R.get('a%2Fb ü%'), '/a%2Fb%20%C3%BC%25'],
  ['`a#b` is never cut', (R) => R.get('a#b'), '/a%23b'],
  ['`a?x=1` with {y: 2}', (R) => R.get('a?x=1', { y: 2 }), '/a?x=1&y=2'],
  ["a `#` in a path's own query is encoded", (R) => R.get('a?x=1#y'), '/a?x=1%23y'],
  ["a route's own query stays with it", (R) => R.route('a?x=1').get('b?y=2', { z: 3 }), '/a/b?x=1&y=2&z=3'],
  ['spaces at the ends are %20', (R) => R.get(' a '), '/%20a%20'],
  ['`items:batch` is a path', (R) => R.get('items:batch'), '/items:batch'],
  ['`.well-known` and `...` are names', (R) => R.get('.well-known/.../a..b'), '/.well-known/.../a..b'],
  ['a URL after a segment is text', (R) => R.get('a/http://b'), '/a/http://b'],
  ['absolutePath: false is below the route', (R) => R.request({ absolutePath: false, path: 'x' }), '/x'],
];

/** Calls whose targets do not depend on the kind of `R`. */
const wholeRows: readonly Row[] = [
  ["client.database('mydb').route().get()", (_, client) => client.database('mydb').route().get(), '/_db/mydb'],
  ['the default database is _system', (_, client) => client.route('svc').get(), '/_db/_system/svc'],
  [
    'database `my db/ü%`',
    (_, client) => client.database('my db/ü%').route('svc').get(),
    '/_db/my%20db%2F%C3%BC%25/svc',
  ],
  ['database `#?&;`', (_, client) => client.database('a#?&;').route().get(), '/_db/a%23%3F%26%3B'],
  [
    "absolutePath: true, path: '/_api/version'",
    (R) => R.request({ absolutePath: true, path: '/_api/version' }),
    '/_api/version',
  ],
  ['absolutePath without a leading slash', (R) => R.request({ absolutePath: true, path: 'x' }), '/x'],
  ['absolutePath without a path is the root', (R) => R.request({ absolutePath: true }), '/'],
];

const refused: readonly (readonly [what: string, path: string])[] = [
  ['`..`', '..'],
  ['`a/../b`', 'a/../b'],
  ['`/..`', '/..'],
  ['`a/..`', 'a/..'],
  ['`%2e%2e`', '%2e%2e'],
  ['`.%2E`', '.%2E'],
  ['`%2E.`', 'a/%2E./b'],
  ['`..%2fx`', '..%2fx'],
  ['`x%2F..`', 'x%2F..'],
  ['`x%5c..`', 'x%5c..'],
  ['`..\\x`', '..\\x'],
  ['`\\`', '\\'],
  ['`.`', '.'],
  ['`a/./b`', 'a/./b'],
  ['`%2e`', '%2e'],
  ['CR', 'a\rb'],
  ['LF', 'a\nb'],
  ['TAB', 'a\tb'],
  ['NUL', 'a\0b'],
  ['CR in the query of a path', 'a?x=\r'],
  ['`http://evil/x`', 'http://evil/x'],
  ['`HTTPS://evil`', 'HTTPS://evil'],
  ['`//evil/x`', '//evil/x'],
  ['`/\\evil`', '/\\evil'],
  ['`https:x`', 'https:x'],
  ['`javascript://x`', 'javascript://x'],
  ['a lone surrogate', 'a\ud800b'],
  ['a lone surrogate in the query of a path', 'a?\udc00'],
];

describe.each(echoes)('URL over $name', ({ open }) => {
  test.each(rows)('sends the expected target: %s', async (_row, call, target) => {
    const echo = await open();
    await call(routeOf(echo, echo), clientOf(echo, echo));
    expect(echo.seen.map((wire) => wire.target)).toEqual([pathOf(echo) + target]);
  });

  test.each(wholeRows)('sends the expected target: %s', async (_row, call, target) => {
    const echo = await open();
    await call(routeOf(echo, echo), clientOf(echo, echo));
    expect(echo.seen.map((wire) => wire.target)).toEqual([target]);
  });

  test.each(refused)('rejects a path with %s, sends nothing', async (_what, path) => {
    const echo = await open();
    const R = routeOf(echo, echo);
    const calls = [R.get(path), R.post(path, {}), R.request({ path }), R.request({ path, absolutePath: true })];
    for (const call of calls) {
      expect(await failureOf(call)).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'path', path: pathOf(echo) });
    }
    expect(() => R.route(path)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'path' }));
    expect(echo.seen).toEqual([]);
  });

  test.each(['', '.', '..', '../x', 'a/..', '..\\x'])('rejects the database %j', async (name) => {
    const echo = await open();
    const client = clientOf(echo, echo);
    const refusal = expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'database' });
    expect(() => client.database(name)).toThrow(refusal);
    expect(() => clientOf(echo, echo, { database: name })).toThrow(refusal);
  });

  test('rejects an undefined database: an unset variable never means _system', async () => {
    const client = clientOf(await open(), {});
    // The cast: a value that TypeScript would reject.
    expect(() => client.database(undefined as unknown as string)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'database' }),
    );
  });

  test('connection url `https://host/prefix/`: keeps the prefix and its query', async () => {
    const echo = await open();
    const prefixed = { url: `${echo.url}/prefix/?key=1` };
    const R = routeOf(prefixed, echo);
    await R.get('u', { a: 2 });
    await R.get('u?b=3');
    await R.request({ absolutePath: true, path: '/_api/version' });
    await R.request({ absolutePath: true });
    expect(echo.seen.map(({ target }) => target)).toEqual([
      `/prefix${pathOf(echo)}/u?key=1&a=2`,
      `/prefix${pathOf(echo)}/u?key=1&b=3`,
      '/prefix/_api/version?key=1',
      '/prefix?key=1',
    ]);
  });

  test('accepts a prefix with and without a trailing slash, and a URL object', async () => {
    const echo = await open();
    await routeOf({ url: `${echo.url}/p` }, echo).get();
    await routeOf(echo, echo, { url: new URL('/p/', echo.url) }).get();
    const path = `/p${pathOf(echo)}`;
    expect(echo.seen.map(({ target }) => target)).toEqual([path, path]);
  });

  test('a response has its final URL', async () => {
    const echo = await open();
    const { url, redirected } = await routeOf(echo, echo).get('ü', { a: 1 });
    expect({ url, redirected }).toEqual({ url: `${echo.url}${pathOf(echo)}/%C3%BC?a=1`, redirected: false });
  });

  test('an error has method and path with the prefix, without the query', async () => {
    const echo = await open();
    const way = { kind: echo.kind, fetch: async () => new Response(null, { status: 404 }) };
    const R = routeOf({ url: `${echo.url}/p?key=secret` }, way);
    const path = `/p${pathOf(echo)}/u`;
    const error = await failureOf(R.delete('u?x=secret', { y: 'secret' }));
    expect(error).toMatchObject({ code: 'HTTP', method: 'DELETE', path });
    expect(error.message).toBe(`DELETE ${path} failed: 404`);
  });
});
