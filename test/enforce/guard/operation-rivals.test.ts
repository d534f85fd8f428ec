import { describe, expect, test } from 'vitest';
import { allowedOperations } from '../../../src/client/openapi/index.ts';
import { type Access, type Guard, guardOperation } from '../../../src/enforce/guard/index.ts';
import { isInvalidArgumentError } from '../../../src/index.ts';
import { guardOf } from '../../support/guards.ts';

const open = { 'x-permission': 'public' };
const needs = (resource: string, action = 'a:read') => ({ 'x-permission': { action, resource } });

/** The resources that a request needs; `public`, or `denied`. */
async function resourceOf(paths: object, url: string, method = 'GET', more: object = {}): Promise<string> {
  const asked: string[] = [];
  const check: Guard['check'] = async (_, { resource }) => {
    asked.push(resource);
    return { allowed: true, status: 200, token: 't' };
  };
  const operation = guardOperation(guardOf(check), { paths, ...more });
  const access = await operation({ headers: {}, method, url });
  return access.allowed ? asked.join(' ') || 'public' : 'denied';
}

const orders = {
  '/{any}': { get: needs('any:{any:text}') },
  '/orders/export': { get: needs('export') },
  '/orders/{id}': { get: needs('order:{id:text}') },
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
  ])('%s is not denied', async (url, resource) => {
    expect(await resourceOf(orders, url)).toBe(resource);
  });
});

describe('paths of which neither is more specific', () => {
  const crossing = {
    '/orders/{id}': { get: needs('order:{id:text}') },
    '/{kind}/export': { get: needs('export:{kind:text}') },
  };
  const slash = (other: object) => ({ '/orders': { get: needs('orders') }, '/orders/': other });
  const inCase = (resource: string) => ({
    '/Orders/{id}': { get: needs(resource) },
    '/orders/{id}': { get: needs('order:{id:text}') },
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
    ['case', inCase('all:{id:text}'), '/Orders/7', 'denied'],
    ['case, the same permission', inCase('order:{id:text}'), '/Orders/7', 'order:7'],
  ])('%s: %#: %o %s needs %s', async (_, paths, url, resource) => {
    expect(await resourceOf(paths, url)).toBe(resource);
  });

  test('a parameter that only matches more is not a conflict', async () => {
    const paths = {
      '/{a}/{b}': { get: needs('any:{a:text}:{b:text}') },
      '/r/{id}': { get: needs('r:{id:text}') },
      '/r/{id}.json': { get: needs('json:{id:text}') },
      '/r/{id}.tar.json': { get: needs('tar:{id:text}') },
      '/r/x.json': { get: needs('x') },
      '/r/{a}-{b}/z': { get: needs('z:{a:text}:{b:text}') },
      '/r/{a}-{b}/{c}': { get: needs('c:{a:text}:{b:text}:{c:text}') },
    };
    const urls = ['/r/x.json', '/r/y.json', '/r/y.tar.json', '/r/y', '/q/y', '/r/1-2/z', '/r/1-2/y'];
    const resources = await Promise.all(urls.map((url) => resourceOf(paths, url)));
    expect(resources).toEqual(['x', 'json:y', 'tar:y', 'r:y', 'any:q:y', 'z:1:2', 'c:1:2:y']);
  });

  test.each([
    ['its own and that of GET', { '/a': { get: needs('a'), head: needs('b') } }, 'a b'],
    ['the same one once', { '/a': { get: needs('a'), head: needs('a') } }, 'a'],
    ['that of GET, if its own is public', { '/a': { get: needs('a'), head: open } }, 'a'],
    ['its own, if GET is public', { '/a': { get: open, head: needs('a') } }, 'a'],
    ['none, if both are public', { '/a': { get: open, head: open } }, 'public'],
    [
      'that of a wider path, whose GET Hono runs',
      { '/a': { head: open }, '/{id}': { get: needs('x:{id:text}') } },
      'x:a',
    ],
    [
      'that of a wider path in any case',
      { '/a': { get: needs('a') }, '/{id}': { get: needs('x:{id:text}') } },
      'a x:a',
    ],
    ['more than anybody has, if one has no x-permission', { '/a': { get: needs('a'), head: {} } }, 'denied'],
    ['more than anybody has, if GET has none', { '/a': { get: {}, head: open } }, 'denied'],
    ['nothing that a longer path needs', { '/a': { get: needs('a') }, '/a/b': { get: needs('b') } }, 'a'],
  ])('HEAD needs %s', async (_, paths, resources) => {
    expect(await resourceOf(paths, '/a', 'HEAD')).toBe(resources);
  });

  test('HEAD is denied if one of two permissions is', async () => {
    const check: Guard['check'] = async (_, { resource }) =>
      resource === 'a' ? { allowed: true, status: 200, token: 't' } : ({ allowed: false, status: 403 } as Access);
    const operation = guardOperation(guardOf(check), { paths: { '/a': { get: needs('a'), head: needs('b') } } });
    expect((await operation({ headers: {}, method: 'HEAD', url: '/a' })).allowed).toBe(false);
    expect((await operation({ headers: {}, method: 'GET', url: '/a' })).allowed).toBe(true);
  });
});

describe('values that would reach another resource', () => {
  const two = (resource: string) => ({ '/t/{a}/{b}': { get: needs(resource) } });
  test.each([
    ['x:{a:text}-{b:text}', '/t/1-2/3', 'denied'],
    ['x:{a:text}-{b:text}', '/t/1/2-3', 'x:1-2-3'],
    ['x:{a:text}--{b:text}', '/t/1-/2', 'denied'],
    ['x:{a:text}-{b:text}:y', '/t/1-2/3', 'denied'],
    ['x:{a:text*}:{b:text}', '/t/1:2/3', 'x:1:2:3'],
    ['x:{a:text*}:{b:text*}', '/t/1:2/3', 'denied'],
    ['x:{a:text*}-{b:text}', '/t/1-2/3', 'denied'],
    ['x:{a:text}:{b:text}', '/t/1-2/3', 'x:1-2:3'],
  ])('%s with %s: %s', async (resource, url, expected) => {
    expect(await resourceOf(two(resource), url)).toBe(expected);
  });

  test('parameters without text between them are refused', async () => {
    await expect(resourceOf(two('x:{a:text}{b:text}'), '/t/1/2')).rejects.toThrow(
      /two parameters without text between them/,
    );
  });

  const typedBy = (parameter: object, inPath = true) => {
    const parameters = [{ name: 'id', in: 'path', required: true, ...parameter }];
    return {
      '/o/{id}': { ...(inPath && { parameters }), get: { ...needs('o:{id}'), ...(!inPath && { parameters }) } },
    };
  };
  const integer = { schema: { anyOf: [{ $ref: '#/components/schemas/Id' }] } };
  const number = { schema: { type: 'number' } };
  const text = { schema: { type: 'string' } };
  const more = { components: { schemas: { Id: { type: 'integer' } } } };
  const uuid = '123e4567-e89b-12d3-a456-426614174000';

  const most = String(Number.MAX_SAFE_INTEGER);

  test.each(['7', '0', '-7', most, `-${most}`])('an integer that is %s', async (value) => {
    for (const schema of [integer, number, text]) {
      expect(await resourceOf(typedBy(schema), `/o/${value}`, 'GET', more)).toBe(`o:${value}`);
    }
  });

  test.each([
    ...['07', '+7', '%207', '7.0', '7e0', '0x7', '7_0', '7abc', '-0', '%D9%A7', '7%20', '.7'],
    ...['9007199254740992', '9007199254740993', '-9007199254740993', '90071992547409931', '1e21', '1e+21'],
    ...['Infinity', '-Infinity', 'inf', 'NaN', '%20nan', '%EF%BC%97', '%C2%BD', '%20', '%C2%A0', '-', '+'],
    ...['x', '*', 'info', 'nano', 'latest'],
  ])('an integer or a number that is written as %s', async (value) => {
    for (const inPath of [true, false]) {
      for (const schema of [integer, number]) {
        expect(await resourceOf(typedBy(schema, inPath), `/o/${value}`, 'GET', more)).toBe('denied');
      }
    }
    const decoded = decodeURIComponent(value);
    const isTrimmed = decoded === decoded.trim();
    expect(await resourceOf(typedBy(text), `/o/${value}`)).toBe(isTrimmed ? `o:${decoded}` : 'denied');
  });

  test.each([
    ['1.5', true],
    ['0.1', true],
    ['-0.30000000000000004', true],
    ['1e-7', true],
    ['0.0000001', false],
    ['1.50', false],
    ['0.10000000000000000001', false],
    ['3.141592653589793238', false],
  ])('a number that is %s: %s', async (value, isPlain) => {
    expect(await resourceOf(typedBy(number), `/o/${value}`)).toBe(isPlain ? `o:${value}` : 'denied');
    expect(await resourceOf(typedBy(integer), `/o/${value}`, 'GET', more)).toBe('denied');
    expect(await resourceOf(typedBy(text), `/o/${value}`)).toBe(`o:${value}`);
  });

  test('a UUID has only one accepted form', async () => {
    const paths = typedBy({ schema: { type: 'string', format: 'uuid' } });
    expect(await resourceOf(paths, `/o/${uuid}`)).toBe(`o:${uuid}`);
    const shifted = `123e-4567e89b-12d3a456-4266-14174000`;
    const full = uuid.replace('1', String.fromCodePoint(0xff11));
    const others = [
      uuid.toUpperCase(),
      uuid.replaceAll('-', ''),
      `{${uuid}}`,
      `(${uuid})`,
      ` ${uuid}`,
      `${uuid} `,
      uuid.replaceAll('-', ' '),
      shifted,
      '123e4567-e89b-12d3-a456-26614174000',
      '1-1-1-1-1',
      '{0x123e4567,0xe89b,0x12d3,{0xa4,0x56,0x42,0x66,0x14,0x17,0x40,0x00}}',
      full,
    ];
    for (const other of others) expect(await resourceOf(paths, `/o/${encodeURIComponent(other)}`)).toBe('denied');
    for (const other of [`urn:uuid:${uuid}`, `UUID:${uuid}`, 'me', 'a:b']) {
      const id = typedBy({ schema: { type: 'string', format: 'uuid' } });
      id['/o/{id}'].get = { ...id['/o/{id}'].get, ...needs('o:{id*}') };
      expect(await resourceOf(id, `/o/${encodeURIComponent(other)}`)).toBe('denied');
    }
  });

  test.each([
    ['a list of anything', { schema: { type: 'array' } }],
    ['a list of lists', { schema: { type: 'array', items: { type: 'array' } } }],
    ['a list of numbers or texts', { schema: { type: 'array', items: { type: ['integer', 'string'] } } }],
    ['a list or a text', { schema: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] } }],
    ['an object', { schema: { type: ['object', 'null'] } }],
    ['an object in the style label', { style: 'label', schema: { type: 'object' } }],
    ['the style matrix', { style: 'matrix', schema: { type: 'string' } }],
    ['a style of the query', { style: 'form', schema: { type: 'string' } }],
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
