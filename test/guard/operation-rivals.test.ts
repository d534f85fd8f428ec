import { describe, expect, test } from 'vitest';
import { type Guard, guardOperation } from '../../src/guard/index.ts';
import { isInvalidArgumentError } from '../../src/index.ts';
import { allowedOperations } from '../../src/openapi/index.ts';

const needs = (resource: string, action = 'a:read') => ({ 'x-permission': { action, resource } });

/** The resource that a request needs; `public`, or `denied`. */
async function resourceOf(paths: object, url: string, method = 'GET', more: object = {}): Promise<string> {
  const asked: string[] = [];
  const check: Guard['check'] = async (_, { resource }) => {
    asked.push(resource);
    return { allowed: true, status: 200, token: 't' };
  };
  const operation = guardOperation({ check } as Guard, { paths, ...more });
  const access = await operation({ headers: {}, method, url });
  return access.allowed ? (asked[0] ?? 'public') : 'denied';
}

const orders = {
  '/{any}': { get: needs('any:{any}') },
  '/orders/export': { get: needs('export') },
  '/orders/{id}': { get: needs('order:{id}') },
};

describe('a request that servers read in different ways is denied', () => {
  test.each([
    ['a ; ends the path for Fastify 4', '/orders/7;x'],
    ['a ; before an empty value', '/orders/;x'],
    ['the value of the style matrix', '/orders/;id=7'],
    ['a host that is empty', 'http:///orders/7'],
    ['a backslash in the host', 'http://a\\orders/7'],
    ['a user in the URL', 'http://u:p@service.test/orders/7'],
    ['a control character in the host', 'http://\t/orders/7'],
    ['a letter that is only compatible', '/orders/%EF%BD%85xport'],
    ['another form of a letter', '/orders/expo%E2%93%A1t'],
  ])('%s: %s', async (_, url) => {
    expect(await resourceOf(orders, url)).toBe('denied');
  });

  test.each([
    ['http://[::1]:8529/orders/7', 'order:7'],
    ['http://my_host.test/orders/7', 'order:7'],
    ['/orders/7%3Bx', 'order:7;x'],
  ])('%s is not', async (url, resource) => {
    expect(await resourceOf(orders, url)).toBe(resource);
  });
});

describe('paths of which neither is more specific', () => {
  const crossing = { '/orders/{id}': { get: needs('order:{id}') }, '/{kind}/export': { get: needs('export:{kind}') } };
  const slash = (other: object) => ({ '/orders': { get: needs('orders') }, '/orders/': other });
  const inCase = (resource: string) => ({
    '/Orders/{id}': { get: needs(resource) },
    '/orders/{id}': { get: needs('order:{id}') },
  });

  test.each([
    ['a parameter each', crossing, '/orders/export', 'denied'],
    ['a parameter each', crossing, '/orders/7', 'order:7'],
    ['a parameter each', crossing, '/items/export', 'export:items'],
    ['a slash at the end', slash({ get: needs('everything') }), '/orders', 'denied'],
    ['a slash at the end', slash({ get: needs('everything') }), '/orders/', 'denied'],
    ['a slash at the end, without x-permission', slash({ get: {} }), '/orders', 'denied'],
    ['a slash at the end, the same permission', slash({ get: needs('orders') }), '/orders', 'orders'],
    ['a slash at the end, the same permission', slash({ get: needs('orders') }), '/orders/', 'orders'],
    ['a slash at the end, another method', slash({ post: needs('everything') }), '/orders', 'orders'],
    ['case', inCase('all:{id}'), '/Orders/7', 'denied'],
    ['case, the same permission', inCase('order:{id}'), '/Orders/7', 'order:7'],
  ])('%s: %#: %o %s needs %s', async (_, paths, url, resource) => {
    expect(await resourceOf(paths, url)).toBe(resource);
  });

  test('a parameter that only matches more is not a conflict', async () => {
    const paths = {
      '/{a}/{b}': { get: needs('any:{a}:{b}') },
      '/r/{id}': { get: needs('r:{id}') },
      '/r/{id}.json': { get: needs('json:{id}') },
      '/r/{id}.tar.json': { get: needs('tar:{id}') },
      '/r/x.json': { get: needs('x') },
      '/r/{a}-{b}/z': { get: needs('z:{a}:{b}') },
      '/r/{a}-{b}/{c}': { get: needs('c:{a}:{b}:{c}') },
    };
    const urls = ['/r/x.json', '/r/y.json', '/r/y.tar.json', '/r/y', '/q/y', '/r/1-2/z', '/r/1-2/y'];
    const resources = await Promise.all(urls.map((url) => resourceOf(paths, url)));
    expect(resources).toEqual(['x', 'json:y', 'tar:y', 'r:y', 'any:q:y', 'z:1:2', 'c:1:2:y']);
  });

  test('HEAD is denied if it has another permission than GET', async () => {
    expect(await resourceOf({ '/a': { get: needs('a'), head: needs('secret') } }, '/a', 'HEAD')).toBe('denied');
    expect(await resourceOf({ '/a': { get: needs('a'), head: needs('a') } }, '/a', 'HEAD')).toBe('a');
    expect(await resourceOf({ '/a': { get: needs('a'), head: {} } }, '/a', 'HEAD')).toBe('a');
  });
});

describe('values that would reach another resource', () => {
  const two = (resource: string) => ({ '/t/{a}/{b}': { get: needs(resource) } });
  test.each([
    ['x:{a}-{b}', '/t/1-2/3', 'denied'],
    ['x:{a}-{b}', '/t/1/2-3', 'x:1-2-3'],
    ['x:{a}--{b}', '/t/1-/2', 'denied'],
    ['x:{a}-{b}:y', '/t/1-2/3', 'denied'],
    ['x:{a*}:{b}', '/t/1:2/3', 'x:1:2:3'],
    ['x:{a*}:{b*}', '/t/1:2/3', 'denied'],
    ['x:{a*}-{b}', '/t/1-2/3', 'denied'],
    ['x:{a}:{b}', '/t/1-2/3', 'x:1-2:3'],
  ])('%s with %s: %s', async (resource, url, expected) => {
    expect(await resourceOf(two(resource), url)).toBe(expected);
  });

  test('parameters without text between them are refused', async () => {
    await expect(resourceOf(two('x:{a}{b}'), '/t/1/2')).rejects.toThrow(/two parameters without text between them/);
  });

  const typedBy = (parameter: object, inPath = true) => {
    const parameters = [{ name: 'id', in: 'path', required: true, ...parameter }];
    return {
      '/o/{id}': { ...(inPath && { parameters }), get: { ...needs('o:{id}'), ...(!inPath && { parameters }) } },
    };
  };
  const integer = { schema: { anyOf: [{ $ref: '#/components/schemas/Id' }] } };
  const more = { components: { schemas: { Id: { type: 'integer' } } } };
  const uuid = '123e4567-e89b-12d3-a456-426614174000';

  test.each(['7', '0', '-7', '90071992547409931', '1.5', 'x', '*'])('a number that is %s', async (text) => {
    expect(await resourceOf(typedBy(integer), `/o/${text}`, 'GET', more)).toBe(`o:${text}`);
  });

  test.each(['07', '+7', '%207', '7.0', '7e0', '0x7', '7_0', '7abc', '-0', '%D9%A7', '7%20', '.7'])(
    'a number that is written as %s',
    async (text) => {
      for (const inPath of [true, false]) {
        expect(await resourceOf(typedBy(integer, inPath), `/o/${text}`, 'GET', more)).toBe('denied');
      }
    },
  );

  test('a UUID has only one accepted form', async () => {
    const paths = typedBy({ schema: { type: 'string', format: 'uuid' } });
    expect(await resourceOf(paths, `/o/${uuid}`)).toBe(`o:${uuid}`);
    for (const other of [uuid.toUpperCase(), uuid.replaceAll('-', ''), `%7B${uuid}%7D`]) {
      expect(await resourceOf(paths, `/o/${other}`)).toBe('denied');
    }
  });

  test.each([
    ['a list', { schema: { type: 'array' } }],
    ['an object', { schema: { type: ['object', 'null'] } }],
    ['the style label', { style: 'label', schema: { type: 'string' } }],
    ['the style matrix', { style: 'matrix' }],
    ['a content', { content: { 'application/json': {} } }],
  ])('a document is refused if a resource names %s', async (_, parameter) => {
    const error: unknown = await resourceOf(typedBy(parameter), '/o/7').catch((thrown: unknown) => thrown);
    expect(isInvalidArgumentError(error) && error.field).toBe('document.paths["/o/{id}"].get.x-permission.resource');
  });
});

test('allowedOperations leaves out paths that a guard would match to another operation', async () => {
  const items: unknown[] = [];
  const evaluateMany = async (query: { readonly items: readonly object[] }) => {
    items.push(...query.items);
    return { allowed: true, items: query.items.map(() => ({ allowed: true })) };
  };
  const client = { authorization: { evaluateMany: evaluateMany as never } };
  const pathsFor = async (id: string) =>
    (await allowedOperations(client, { paths: orders }, { path: { id } })).map(({ path }) => path);
  expect(await pathsFor('7')).toEqual(['/orders/export', '/orders/{id}']);
  for (const id of ['export', 'EXPORT', '', '..', '\ud800']) expect(await pathsFor(id)).toEqual(['/orders/export']);
  expect(items).not.toContainEqual({ action: 'a:read', resource: 'order:export' });
});
