import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { type Client, createClient, type HeadersSource, type Route, type ServiceOptions } from '../../src/index.ts';
import { failureOf } from '../support/failure.ts';

/** A client whose fetch records paths and headers. */
function recording(url = 'http://service.test') {
  const seen: { path: string; headers: Headers }[] = [];
  const client = createClient({
    url,
    database: 'shop',
    fetch: async (asked, init) => {
      seen.push({ path: asked.slice('http://service.test'.length), headers: new Headers(init.headers) });
      return Response.json({ id: 1 });
    },
  });
  return { client, seen, paths: () => seen.map(({ path }) => path) };
}

const refusal = (field: string) => expect.objectContaining({ code: 'INVALID_ARGUMENT', field });

describe('client.service', () => {
  test('is below the gateway: of the database, or of the deployment', async () => {
    const { client, paths } = recording();
    await client.service('orders').get();
    await client.service('orders').get('/');
    await client.service('orders').post('open', { id: 1 }, { dry: true });
    await client.service('orders', { global: false }).get('open');
    await client.service('orders', { global: true }).get('open');
    expect(paths()).toEqual([
      '/_service/uds/_db/shop/orders',
      '/_service/uds/_db/shop/orders/',
      '/_service/uds/_db/shop/orders/open?dry=true',
      '/_service/uds/_db/shop/orders/open',
      '/_service/uds/_global/orders/open',
    ]);
  });

  test('database() and with() apply as to any route; a global service is the same in each', async () => {
    const { client, seen, paths } = recording();
    const other = client.database('a b/ü');
    await other.service('orders').get();
    await client
      .with({ database: 'archive', headers: { 'x-a': '1' } })
      .service('orders')
      .get();
    await other.service('orders', { global: true }).get();
    expect(paths()).toEqual([
      '/_service/uds/_db/a%20b%2F%C3%BC/orders',
      '/_service/uds/_db/archive/orders',
      '/_service/uds/_global/orders',
    ]);
    expect(seen.map(({ headers }) => headers.get('x-a'))).toEqual([null, '1', null]);
  });

  test.each([
    ['a/b?c#d%2F', 'a%2Fb%3Fc%23d%252F'],
    ['日本 ü', '%E6%97%A5%E6%9C%AC%20%C3%BC'],
    ['_db', '_db'],
    ['..x', '..x'],
    ['%2e%2e', '%252e%252e'],
    ['http://evil', 'http%3A%2F%2Fevil'],
  ])('the name %s is data: one segment, encoded as a whole', async (name, segment) => {
    const { client, paths } = recording();
    await client.service(name).get();
    await client.service(name, { global: true }).get();
    expect(paths()).toEqual([`/_service/uds/_db/shop/${segment}`, `/_service/uds/_global/${segment}`]);
  });

  test.each(['', '.', '..', 'a/../b', 'a\\..', '\0', '\ud800', undefined, null, 7, ['a']])(
    'the name %j is refused',
    (name) => {
      const { client, paths } = recording();
      // The cast: values that TypeScript would not accept.
      expect(() => client.service(name as string)).toThrow(refusal('name'));
      expect(() => client.service(name as string, { global: true })).toThrow(refusal('name'));
      expect(paths()).toEqual([]);
    },
  );

  test.each([
    [{ global: 'yes' }, 'global'],
    [{ globl: true }, 'globl'],
    [null, 'options'],
    ['x', 'options'],
  ])('options %j are refused', (options, field) => {
    // The cast: values that TypeScript would not accept.
    expect(() => recording().client.service('orders', options as ServiceOptions)).toThrow(refusal(field));
  });
});

describe('client.absoluteRoute', () => {
  test('is below the URL of the connection, with its prefix and query', async () => {
    const { client, seen, paths } = recording('http://service.test/prefix/?key=1');
    const files = client.absoluteRoute('/_platform/filemanager', { 'x-a': '1' });
    await files.get('list', { limit: 5 });
    await client.database('other').absoluteRoute('graphrag').get();
    await client.absoluteRoute(['_platform', 'a/b']).get();
    await client.absoluteRoute('a/?x=1').get('b');
    expect(paths()).toEqual([
      '/prefix/_platform/filemanager/list?key=1&limit=5',
      '/prefix/graphrag?key=1',
      '/prefix/_platform/a%2Fb?key=1',
      '/prefix/a/b?key=1&x=1',
    ]);
    expect(seen.map(({ headers }) => headers.get('x-a'))).toEqual(['1', null, null, null]);
  });

  test.each([undefined, null, '', '?x=1', {}, { 'x-a': '1' }, [], [''], 5])('the path %j is refused', (path) => {
    // The cast: values that TypeScript would not accept.
    expect(() => recording().client.absoluteRoute(path as string)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', field: expect.stringMatching(/^path/) }),
    );
  });

  test('invalid headers are refused', () => {
    const headers = { 'x-a': 'canary\n\0' };
    expect(() => recording().client.absoluteRoute('a', headers)).toThrow(refusal('headers.x-a'));
    expect(() => recording().client.absoluteRoute('a', null as unknown as HeadersSource)).toThrow(refusal('headers'));
  });
});

type Make = (client: Client) => Route;
describe.each<readonly [kind: string, make: Make, path: string]>([
  ['route', (client) => client.route('orders'), '/_db/shop/orders'],
  ['service', (client) => client.service('orders'), '/_service/uds/_db/shop/orders'],
  ['a global service', (client) => client.service('orders', { global: true }), '/_service/uds/_global/orders'],
  ['absoluteRoute', (client) => client.absoluteRoute('/_platform/orders'), '/_platform/orders'],
])('a route made by %s', (_kind, make, path) => {
  test('shows its path and nothing else', () => {
    const { client } = recording('http://service.test/prefix?key=canary');
    const headers = { authorization: 'Bearer canary' };
    const child = make(client).with({ headers, retry: 3 }).route('ü?x=canary', { 'x-a': 'canary' });
    expect(make(client).path).toBe(`/prefix${path}`);
    expect(inspect(make(client))).toBe(`Route /prefix${path}`);
    expect(inspect({ child })).toBe(`{ child: Route /prefix${path}/%C3%BC }`);
    expect(JSON.stringify(child)).toBe('{}');
  });

  test('has children, options and a schema; containment counts from its own path on', async () => {
    const { client, paths } = recording();
    const route = make(client).with({ schema: z.object({ id: z.number() }), retry: 0 });
    const { body } = await route.route('open').get(['a/b'], { q: 1 });
    expectTypeOf(body).toEqualTypeOf<{ id: number }>();
    await route.request({ path: '/_api/version', absolutePath: true });
    expect(paths()).toEqual([`${path}/open/a%2Fb?q=1`, '/_api/version']);
    for (const climbing of ['..', '../x', 'a/../../x', '%2e%2e', 'http://evil/x', '//evil/x']) {
      expect(await failureOf(route.get(climbing))).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'path', path });
      expect(() => route.route(climbing)).toThrow(refusal('path'));
    }
    expect(paths()).toHaveLength(2);
  });

  test('an error names the path', async () => {
    const fetch = async () => new Response(null, { status: 404 });
    const client = createClient({ url: 'http://service.test', database: 'shop', fetch });
    const error = await failureOf(make(client).delete('7', { q: 1 }));
    expect(error.message).toBe(`DELETE ${path}/7 failed: 404`);
    expect(await failureOf(make(client).request({ timeout: -1 }))).toMatchObject({ method: 'GET', path });
  });
});
