import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGuard, type Guard, guardOperation } from '../../../src/enforce/guard/index.ts';
import { createClient, type InvalidArgumentError } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import document from '../../client/openapi/documents/orders.json' with { type: 'json' };
import { guardOf } from '../../support/guards.ts';
import { runsOf } from '../../support/thorough.ts';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const guard = guardOf(async () => ({ allowed: true, status: 200, token: 't' }));
const read = (permission: unknown) => ({ get: { 'x-permission': permission } });
const order = { action: 'orders:read', resource: 'order:{id}' };

/** The field of the error for a document with these paths. */
const refusedField = (paths: unknown): string => refusedPlace({ paths });

/** The field of the error for a document. */
function refusedPlace(given: object): string {
  try {
    guardOperation(guard, given);
  } catch (error) {
    return (error as InvalidArgumentError).field;
  }
  throw new Error('the document is accepted');
}

describe('a document is refused when the guard is made', () => {
  const place = 'document.paths["/orders/{id}"]';
  test.each([
    ['an unknown parameter', read({ ...order, resource: 'order:{key}' }), `${place}.get.x-permission.resource`],
    [
      'an unknown parameter with a *',
      read({ ...order, resource: 'order:{key*}' }),
      `${place}.get.x-permission.resource`,
    ],
    ['an empty name', read({ ...order, resource: 'order:{}' }), `${place}.get.x-permission.resource`],
    ['a stray brace', read({ ...order, resource: 'order:{id' }), `${place}.get.x-permission.resource`],
    ['an empty resource', read({ ...order, resource: '' }), `${place}.get.x-permission.resource`],
    ['no resource', read({ action: 'orders:read' }), `${place}.get.x-permission.resource`],
    ['no action', read({ resource: 'orders' }), `${place}.get.x-permission.action`],
    ['an action of one part', read({ ...order, action: 'read' }), `${place}.get.x-permission.action`],
    ['another text', read('everyone'), `${place}.get.x-permission`],
    ['null', read(null), `${place}.get.x-permission`],
    ['another field', read({ ...order, public: true }), `${place}.get.x-permission.public`],
    ['an operation that is not an object', { get: true }, `${place}.get`],
    ['a reference to elsewhere', { $ref: 'other.json#/paths' }, `${place}.$ref`],
  ])('%s', (_, item, field) => {
    expect(refusedField({ '/orders/{id}': item })).toBe(field);
  });

  test.each([
    ['without a slash in front', { 'orders/{id}': {} }, 'document.paths["orders/{id}"]'],
    ['with a name twice', { '/{id}/{id}': {} }, 'document.paths["/{id}/{id}"]'],
    ['with a stray brace', { '/orders/{id': {} }, 'document.paths["/orders/{id"]'],
    ['like another one', { '/orders/{id}': {}, '/orders/{key}': {} }, 'document.paths["/orders/{key}"]'],
    ['in no paths', undefined, 'document'],
  ])('a path %s', (_, paths, field) => {
    expect(refusedField(paths)).toBe(field);
  });

  test('a value that is not a guard or not a document', () => {
    expect(() => guardOperation({} as Guard, document)).toThrow(/guard: expected a guard/);
    expect(() => guardOperation(guard, null as unknown as object)).toThrow(/document: expected an OpenAPI document/);
  });
});

describe('a schema that cannot be followed is refused when the guard is made', () => {
  const place = 'document.paths["/orders/{id}"].get.parameters[0].schema';
  const withSchema = (schema: unknown, more: object = {}) => ({
    paths: { '/orders/{id}': { get: { ...read(order).get, parameters: [{ name: 'id', in: 'path', schema }] } } },
    ...more,
  });
  const components = {
    schemas: {
      Id: { type: 'integer' },
      Anchored: { $anchor: 'id', type: 'integer' },
      Loop: { $ref: '#/components/schemas/Back' },
      Back: { $ref: '#/components/schemas/Loop' },
      Self: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Self' }] },
      Deep: { anyOf: [{ type: 'string' }, { $ref: 'other.json#/Id' }] },
      Bare: { enum: ['a'] },
    },
  };
  const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const withPath = (schema: unknown) => withSchema(schema, { openapi: '3.1.0', components });

  test.each([
    ['an external reference', { $ref: 'other.json#/Id' }, `${place}.$ref`],
    ['an external reference to a file', { $ref: './id.json' }, `${place}.$ref`],
    ['a missing reference', to('None'), `${place}.$ref`],
    ['a reference that is not text', { $ref: 7 }, `${place}.$ref`],
    ['references in a circle', to('Loop'), 'document.components.schemas.Loop.$ref'],
    ['a schema that holds itself', to('Self'), 'document.components.schemas.Self'],
    ['an external reference inside', to('Deep'), 'document.components.schemas.Deep.anyOf[1].$ref'],
    ['a reference to an anchor', { $ref: '#id' }, `${place}.$ref`],
    ['an anchor', to('Anchored'), 'document.components.schemas.Anchored.$anchor'],
    ['a type that JSON Schema does not have', { type: 'int' }, `${place}.type`],
    ['a type in another case, in a list', { type: ['string', 'Integer'] }, `${place}.type`],
    ['a type that is not text', { anyOf: [{ type: 7 }] }, `${place}.anyOf[0].type`],
    ['a dynamic reference', { $dynamicRef: '#id' }, `${place}.$dynamicRef`],
    ['another base', { $id: 'https://a.test/id', type: 'string' }, `${place}.$id`],
    ['a type beside a reference', { ...to('Id'), type: 'string' }, `${place}.type`],
    ['a format beside a reference', { ...to('Id'), format: 'uuid' }, `${place}.format`],
    ['a choice beside a reference', { ...to('Id'), anyOf: [{ type: 'integer' }] }, `${place}.anyOf`],
    ['an exclusion', { type: 'string', not: { enum: ['a'] } }, `${place}.not`],
    ['a keyword of ajv that changes the value', { allOf: [{ transform: [] }] }, `${place}.allOf[0].transform`],
    ['an enum without a type', { enum: [1, 2] }, `${place}.enum`],
    ['a const without a type', { const: 1 }, `${place}.const`],
    ['a format without a type', { format: 'uuid' }, `${place}.format`],
    ['an enum without a type in a choice', { oneOf: [to('Id'), { enum: ['a'] }] }, `${place}.oneOf[1].enum`],
    ['an enum without a type behind a reference', to('Bare'), 'document.components.schemas.Bare.enum'],
    ['a part that is not a schema', { allOf: [7] }, `${place}.allOf[0]`],
    ['a condition', { type: 'string', if: {}, else: { format: 'uuid' } }, `${place}.else`],
    ['an encoding', { type: 'string', contentEncoding: 'base64' }, `${place}.contentEncoding`],
    ['text', 'integer', place],
    ['null', null, place],
  ])('%s', (_, schema, field) => {
    expect(refusedPlace(withPath(schema))).toBe(field);
  });

  test.each([
    ['a reference', to('Id')],
    ['a reference with notes', { ...to('Id'), title: 'Id', description: 'x', examples: [7], deprecated: true }],
    ['a reference that may be null', { ...to('Id'), nullable: true }],
    ['a type that a part repeats', { type: 'string', allOf: [{ type: 'string', minLength: 1 }, { minLength: 2 }] }],
    ['an enum with a type', { type: 'string', enum: ['a', 'b'], $comment: 'x' }],
    ['a format whose type is outside of it', { type: 'string', anyOf: [{ format: 'uuid' }] }],
    ['a schema twice', { oneOf: [to('Id'), to('Id')] }],
    ['definitions', { type: 'string', $defs: { A: {} }, $schema: 'https://json-schema.org/draft/2020-12/schema' }],
  ])('but not %s', (_, schema) => {
    guardOperation(guard, withPath(schema));
  });

  test('also that of a parameter', () => {
    const parameters = 'document.paths["/orders/{id}"].get.parameters';
    const withParameters = (given: unknown) => ({
      paths: { '/orders/{id}': { get: { ...read(order).get, parameters: given } } },
    });
    expect(refusedPlace(withParameters([{ $ref: 'other.json#/id' }]))).toBe(`${parameters}[0].$ref`);
    expect(refusedPlace(withParameters([{ name: 'q', in: 'query' }, { $ref: '#/x' }]))).toBe(`${parameters}[1].$ref`);
    expect(refusedPlace(withParameters({ name: 'id' }))).toBe(parameters);
    expect(refusedPlace(withParameters(['id']))).toBe(`${parameters}[0]`);
  });

  test('unless no resource names its parameter, or one takes its text', () => {
    const parameters = [{ name: 'id', in: 'path', schema: { $ref: 'other.json' } }];
    for (const permission of ['public', { ...order, resource: 'order:{id:text}' }]) {
      guardOperation(guard, { paths: { '/orders/{id}': { get: { 'x-permission': permission, parameters } } } });
    }
  });
});

describe('a parameter of which a value may have several texts is refused', () => {
  const withSchema = (schema: unknown, resource: string) => {
    const parameters = [
      { name: 'id', in: 'query', schema: { type: 'string' } },
      { name: 'key', in: 'header', schema: { type: 'string' } },
      { name: 'id', in: 'path', schema },
    ];
    return { paths: { '/orders/{id}': { get: { ...read({ ...order, resource }).get, parameters } } } };
  };
  const integer = { type: 'integer' };
  const string = { type: 'string' };

  test.each<[string, unknown]>([
    ['no schema', undefined],
    ['a schema of anything', true],
    ['a schema of nothing', false],
    ['no keyword', {}],
    ['notes alone', { description: 'x', minLength: 1 }],
    ['null alone', { type: 'null' }],
    ...['duration', 'path', 'email', 'uri', 'hostname', 'int128', 'constructor', ''].map(
      (format): [string, unknown] => [`the format "${format}"`, { type: 'string', format }],
    ),
    ['a format of another type that is not known', { type: 'integer', format: 'unix-time' }],
    ['a format that is the name of a type', { type: 'integer', format: 'string' }],
    ['a format that is not text', { type: 'string', format: ['date'] }],
    ['a number or text', { type: ['integer', 'string'] }],
    ['one or the other', { oneOf: [integer, string] }],
    ['two formats', { type: 'string', anyOf: [{ format: 'uuid' }, { format: 'date' }] }],
    ['two types', { anyOf: [integer, { type: 'boolean' }] }],
    ['an integer or any number', { anyOf: [integer, { type: 'number' }] }],
    ['one of some texts, or any', { anyOf: [{ type: 'string', enum: ['a'] }, string] }],
    ['a part without a type', { anyOf: [integer, {}] }],
    ['text in one part, and a date in the other', { allOf: [string, { type: 'string', format: 'date' }] }],
  ])('with %s', (_, schema) => {
    for (const resource of ['order:{id}', 'order:{id*}']) {
      const place = 'document.paths["/orders/{id}"].get.x-permission.resource';
      expect(refusedPlace(withSchema(schema, resource))).toBe(place);
    }
    guardOperation(guard, withSchema(schema, 'order:{id:text}'));
    guardOperation(guard, withSchema(schema, 'order:{id:text*}'));
  });

  test('one that the document does not have', () => {
    expect(() => guardOperation(guard, { paths: { '/orders/{id}': read(order) } })).toThrow(/\{id:text\}/);
    guardOperation(guard, { paths: { '/orders/{id}': read({ ...order, resource: 'order:{id:text}' }) } });
  });

  test.each(['{key}', '{key:text}', '{id:texts}', '{id:integer}', '{id*:text}', '{id:text:text}', '{:text}'])(
    'the resource %s, whatever else the request has',
    (resource) => {
      const place = 'document.paths["/orders/{id}"].get.x-permission.resource';
      expect(refusedPlace(withSchema(string, resource))).toBe(place);
    },
  );
});

describe('a document that means something else is refused', () => {
  test('OpenAPI 2', () => {
    expect(refusedPlace({ swagger: '2.0', paths: {} })).toBe('document.swagger');
  });

  test.each([
    ...['x-permissions', 'x-perm', 'x-perms', 'X-Permission', 'x_permission', 'x-permision', 'x-premission'],
    ...['xpermission', 'permission', 'x-permit', 'x-permission-resource', 'x-persmission'],
    ...['x-permisson', 'x-permssion', 'x-permissoin'],
  ])('the name %s', (name) => {
    const operation = { 'x-permission': order, [name]: 'public' };
    const field = `document.paths["/orders/{id}"].get.${name}`;
    expect(refusedPlace({ paths: { '/orders/{id}': { get: operation } } })).toBe(field);
    expect(refusedPlace({ paths: { '/orders/{id}': { get: { [name]: 'public' } } } })).toBe(field);
  });

  test('x-permission of a path, which no operation would have', () => {
    const item = { 'x-permission': 'public', get: {} };
    expect(refusedPlace({ paths: { '/a': item } })).toBe('document.paths["/a"].x-permission');
  });

  test.each(['x-internal', 'x-promise', 'x-premise', 'x-permanent', 'x-permalink', 'parameters', 'x-required-scopes'])(
    'but not for %s',
    (name) => {
      guardOperation(guard, { paths: { '/a': { get: { 'x-permission': 'public', [name]: [] } } } });
    },
  );
});

test('a path item may be a reference inside the document', async () => {
  const check = guardOperation(guard, {
    paths: { '/orders/{id}': { $ref: '#/components/pathItems/order' } },
    components: { pathItems: { order: read({ ...order, resource: 'order:{id:text}' }) } },
  });
  expect((await check({ headers: {}, method: 'GET', url: '/orders/7' })).allowed).toBe(true);
});

test('the most specific path counts, in whatever order the document has the paths', async () => {
  const paths = {
    '/orders/{id}': read({ ...order, resource: 'id' }),
    '/orders': read({ ...order, resource: 'list' }),
    '/orders/export': read({ ...order, resource: 'export' }),
    '/{any}/export': read({ ...order, resource: 'any' }),
    '/orders/{id}.json': read({ ...order, resource: 'json' }),
    '/': read({ ...order, resource: 'root' }),
  };
  const asked: string[] = [];
  const check: Guard['check'] = async (_, { resource }) => {
    asked.push(resource);
    return { allowed: true, status: 200, token: 't' };
  };
  const indexes = fc.shuffledSubarray(Object.entries(paths), { minLength: 6 });
  await fc.assert(
    fc.asyncProperty(indexes, async (entries) => {
      asked.length = 0;
      const operation = guardOperation(guardOf(check), { paths: Object.fromEntries(entries) });
      for (const url of ['/orders/export', '/orders/7', '/orders/7.json', '/orders', '/items/export', '/']) {
        await operation({ headers: {}, method: 'GET', url });
      }
      expect(asked).toEqual(['export', 'id', 'json', 'list', 'any', 'root']);
    }),
    runsOf(720),
  );
});

describe('over a mock', () => {
  test('answers 401, 403 and 200 as the guard does', async () => {
    const mock = await createMock({
      users: [{ name: 'alice' }],
      policies: { readers: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:7'] }] } },
      roles: { reader: { policies: ['readers'] } },
      bindings: [{ user: 'alice', role: 'reader', scope: everything }],
    });
    const client = createClient(mock.connection);
    const check = guardOperation(createGuard(client, { identify: true }), document);
    const { token } = await client.authentication.createToken({ user: 'alice' });
    const ask = async (url: string, headers: Record<string, string>) =>
      (await check(new Request(`http://service.test${url}`, { headers }))).status;
    const authorization = `Bearer ${token}`;
    expect(await ask('/orders/7', {})).toBe(401);
    expect(await ask('/orders/7', { authorization })).toBe(200);
    expect(await ask('/orders/8', { authorization })).toBe(403);
    expect(await ask('/orders/7:secret', { authorization })).toBe(403);
    expect(await ask('/health', {})).toBe(200);
    const access = await check(new Request('http://service.test/orders/7', { headers: { authorization } }));
    expect([access.user, access.token, JSON.stringify(access).includes(token)]).toEqual(['alice', token, false]);
  });

  test('a denied request has the reason in its cause only', async () => {
    const access = await guardOperation(guard, document)({ headers: {}, method: 'GET', url: '/tenants' });
    if (access.allowed) throw new Error('allowed');
    expect(String(access.cause)).toBe('TypeError: denied: the operation has no x-permission');
    expect(access.body.message).toBe('Permission denied');
  });
});
