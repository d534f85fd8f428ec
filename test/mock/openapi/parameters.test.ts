import { describe, expect, test } from 'vitest';
import { createMock, type ServiceHandlers } from '../../../src/mock/index.ts';
import { openApiValidator } from '../../../src/mock/openapi/index.ts';

type Json = Readonly<Record<string, unknown>>;

/** A service with one operation, `POST /items/{id}`, and what its handler got. */
async function serve(operation: Json, path = '/items/{id}') {
  const seen: { path: unknown; query: unknown; body: unknown }[] = [];
  const mock = await createMock();
  const method = operation.requestBody === undefined ? 'get' : 'post';
  const handlers: ServiceHandlers = {
    [path]: {
      [method]: (request: { path: unknown; query: unknown; body: unknown }) => {
        seen.push({ path: request.path, query: request.query, body: request.body });
        return { body: { ok: true } };
      },
    },
  };
  const responses = { 200: { content: { 'application/json': {} } } };
  const document = { openapi: '3.1.0', paths: { [path]: { [method]: { responses, ...operation } } } };
  mock.service('shop', handlers, { document, validate: openApiValidator(), authentication: 'optional' });
  const send = async (target: string, init: RequestInit = {}) => {
    const response = await mock.fetch(`${mock.connection.url}/_service/uds/_db/_system/shop${target}`, {
      method,
      ...init,
    });
    const answer: unknown = await response.json();
    return response.status === 200 ? seen.at(-1) : answer;
  };
  return { send };
}

const query = (name: string, schema: Json, more: Json = {}) => ({ name, in: 'query', schema, ...more });
const integers = { type: 'array', items: { type: 'integer' } };

describe('names of any characters', () => {
  test.each(['filter[state]', 'ids[]', 'größe', '@type', 'a b', 'a&b'])('%s', async (name) => {
    const { send } = await serve({ parameters: [query(name, { type: 'integer' })] }, '/items');
    expect(await send(`/items?${encodeURIComponent(name)}=7`)).toMatchObject({ query: { [name]: 7 } });
    expect(await send(`/items?${encodeURIComponent(name)}=x`)).toMatchObject({ code: 400, message: /^query\./ });
    expect(await send('/items')).toMatchObject({ query: {} });
  });
});

describe('parameters reach the handler', () => {
  const at = (style: string, explode: boolean, schema: Json) => ({
    parameters: [{ name: 'id', in: 'path', required: true, style, explode, schema }],
  });
  const fields = { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: { type: 'string' } };
  test.each([
    ['simple', false, integers, '1,2', [1, 2]],
    ['simple', true, fields, 'a=1,b=2', { a: 1, b: '2' }],
    ['label', true, integers, '.1.2', [1, 2]],
    ['matrix', true, integers, ';id=1;id=2', [1, 2]],
    ['matrix', false, fields, ';id=a,1,b,2', { a: 1, b: '2' }],
    ['simple', false, { type: 'array', items: { type: 'string' } }, 'a%2Cb,c', ['a,b', 'c']],
  ])('of a path: %s %s %j', async (style, explode, schema, text, value) => {
    const { send } = await serve(at(style, explode, schema));
    expect(await send(`/items/${text}`)).toMatchObject({ path: { id: value } });
  });

  test('of a query: lists, objects, JSON and reserved characters', async () => {
    const { send } = await serve(
      {
        parameters: [
          query('ids', integers, { style: 'pipeDelimited', explode: false }),
          query('filter', { type: 'object', properties: { limit: { type: 'integer' } } }, { style: 'deepObject' }),
          {
            name: 'where',
            in: 'query',
            content: { 'application/json': { schema: { type: 'object', required: ['a'] } } },
          },
          query('url', { type: 'string' }, { allowReserved: true }),
        ],
      },
      '/items',
    );
    const where = encodeURIComponent('{"a":[1]}');
    expect(await send(`/items?ids=1|2&filter[limit]=5&where=${where}&url=http://a/?b`)).toMatchObject({
      query: { ids: [1, 2], filter: { limit: 5 }, where: { a: [1] }, url: 'http://a/?b' },
    });
    expect(await send('/items?where=%7B%7D')).toMatchObject({ message: 'query.where.a: Field required' });
    expect(await send('/items?where=%7B')).toMatchObject({ message: /^query\.where: / });
  });

  test('of headers, as fetch joins them, and of cookies', async () => {
    const header = { name: 'x-ids', in: 'header', required: true, schema: { ...integers, minItems: 3 } };
    const cookie = { name: 'session', in: 'cookie', required: true, schema: { type: 'string', minLength: 2 } };
    const { send } = await serve({ parameters: [header, cookie] }, '/items');
    const headers = new Headers([
      ['x-ids', '1'],
      ['x-ids', '2,3'],
      ['cookie', 'a=b; session=ab%20c'],
    ]);
    expect(await send('/items', { headers })).toMatchObject({ path: {} });
    headers.set('x-ids', '1, 2');
    expect(await send('/items', { headers })).toMatchObject({ code: 400, message: /^header\.x-ids: / });
    headers.set('x-ids', '1,2,3');
    headers.set('cookie', 'session=a');
    expect(await send('/items', { headers })).toMatchObject({ code: 400, message: /^cookie\.session: / });
  });

  test('by the alternative that the whole value fits', async () => {
    const either = {
      oneOf: [integers, { type: 'array', items: { type: 'string', pattern: '^x' } }, { type: 'boolean' }],
    };
    const { send } = await serve({ parameters: [query('v', either)] }, '/items');
    expect(await send('/items?v=1&v=2')).toMatchObject({ query: { v: [1, 2] } });
    expect(await send('/items?v=x1&v=x2')).toMatchObject({ query: { v: ['x1', 'x2'] } });
    expect(await send('/items?v=true')).toMatchObject({ query: { v: true } });
    expect(await send('/items?v=1&v=x2')).toMatchObject({ code: 400 });
  });

  test('of integers: one that JavaScript rounds is refused', async () => {
    const { send } = await serve({ parameters: [query('id', { type: 'integer', format: 'int64' })] }, '/items');
    expect(await send('/items?id=9007199254740991')).toMatchObject({ query: { id: 9007199254740991 } });
    expect(await send('/items?id=9007199254740993')).toMatchObject({
      message: 'query.id: JavaScript rounds integers beyond 2^53.',
    });
  });
});

describe('a style that is not supported is refused by its name', () => {
  test.each([
    [
      'a style of another place',
      query('q', { type: 'string' }, { style: 'simple' }),
      'the query parameter q has a style',
    ],
    [
      'deepObject of a list',
      query('expand', integers, { style: 'deepObject' }),
      'the query parameter expand has a type',
    ],
    [
      'pipes that are exploded',
      query('q', integers, { style: 'pipeDelimited', explode: true }),
      'the query parameter q',
    ],
    ['objects in a list', query('q', { type: 'array', items: { type: 'object' } }), 'the query parameter q has a type'],
    ['a list of cookies', { ...query('q', integers), in: 'cookie' }, 'the cookie parameter q has a type'],
  ])('%s', async (_, parameter, message) => {
    await expect(serve({ parameters: [parameter] }, '/items')).rejects.toThrow(`document: GET /items: ${message}`);
  });
});

describe('forms', () => {
  const schema = {
    type: 'object',
    required: ['tags'],
    properties: {
      tags: { type: 'array', items: { type: 'string' } },
      ids: integers,
      meta: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } },
      file: { type: 'string', format: 'binary' },
    },
  };
  const form = (type: string, encoding?: Json) => ({
    requestBody: { required: true, content: { [type]: { schema, ...(encoding && { encoding }) } } },
  });

  test('that are urlencoded have lists, JSON and the styles of their encoding', async () => {
    const type = 'application/x-www-form-urlencoded';
    const { send } = await serve(form(type, { ids: { style: 'form', explode: false } }), '/items');
    const headers = { 'content-type': type };
    const body = `tags=a&tags=b+c&ids=1,2&meta=${encodeURIComponent('{"a":1}')}&other=x`;
    expect(await send('/items', { headers, body })).toMatchObject({
      body: { tags: ['a', 'b c'], ids: [1, 2], meta: { a: 1 }, other: 'x' },
    });
    expect(await send('/items', { headers, body: 'tags=a' })).toMatchObject({ body: { tags: ['a'] } });
    expect(await send('/items', { headers, body: 'ids=1' })).toMatchObject({ message: 'body.tags: Field required' });
    expect(await send('/items', { headers, body: 'tags=a&ids=x' })).toMatchObject({ message: /^body\.ids\[0\]: / });
    expect(await send('/items', { headers, body: 'tags=a&meta={' })).toMatchObject({ message: /^body\.meta: / });
  });

  test('of several parts have files and JSON', async () => {
    const { send } = await serve(form('multipart/form-data'), '/items');
    const body = new FormData();
    for (const tag of ['a', 'b']) body.append('tags', tag);
    body.append('meta', new Blob(['{"a":1}'], { type: 'application/json' }));
    body.append('file', new Blob([Uint8Array.of(0, 255)]), 'x.bin');
    expect(await send('/items', { body })).toMatchObject({ path: {} });
    body.set('meta', '{"a":"x"}');
    expect(await send('/items', { body })).toMatchObject({ message: /^body\.meta\.a: / });
    body.set('meta', '{"a":2}');
    body.delete('tags');
    expect(await send('/items', { body })).toMatchObject({ message: 'body.tags: Field required' });
    const broken = { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: 'text' };
    expect(await send('/items', broken)).toMatchObject({ message: /^body: The body is not a form/ });
  });
});
