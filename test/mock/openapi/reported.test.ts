// Bugs that were reported for other packages that read OpenAPI documents; each row names the report.
import { describe, expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.ts';
import { openApiValidator } from '../../../src/mock/openapi/index.ts';

interface Sent {
  readonly method?: string;
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
}

/** The status of a mocked service's answer, and what its handler got. */
async function send(operation: object, url: string, { method = 'GET', ...sent }: Sent = {}, more: object = {}) {
  const [path = ''] = url.split('?');
  const template = path.replace(/^(\/\w+)\/.+$/, '$1/{ids}');
  const given = { responses: { 200: {} }, ...operation };
  const document = { openapi: '3.0.3', paths: { [template]: { [method.toLowerCase()]: given } }, ...more };
  const mock = await createMock();
  let seen: unknown;
  const handler = (request: { path: object; query: object; body: unknown }) => {
    seen = { ...request.path, ...request.query, ...(typeof request.body === 'object' ? request.body : {}) };
    return {};
  };
  const handlers = { [template]: { [method.toLowerCase()]: handler } };
  mock.service('a', handlers as never, { document, validate: openApiValidator(), authentication: 'optional' });
  const response = await mock.fetch(`${mock.connection.url}/_service/uds/_db/_system/a${url}`, { method, ...sent });
  return { status: response.status, seen };
}

const strings = { type: 'array', items: { type: 'string' } };
const query = (parameter: object) => ({ parameters: [{ name: 'ids', in: 'query', ...parameter }] });
const json = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } });
const postJson = (value: unknown): Sent => ({
  method: 'POST',
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
});

describe('the parameters of public bug reports are read', () => {
  const object = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
  test.each<[string, object, string, object]>([
    ['express-openapi-validator#27: a list of one', query({ schema: strings }), '/o?ids=a', { ids: ['a'] }],
    [
      'openapi-backend#82: a list with commas',
      query({ schema: strings, explode: false }),
      '/o?ids=3,4',
      { ids: ['3', '4'] },
    ],
    [
      'express-openapi-validator#917: encoded characters in items',
      query({ schema: { ...strings, items: { type: 'string', pattern: '^[a-z]+:(?:EQ|IN)' } }, explode: false }),
      '/o?ids=a%3AIN%3A%5B1%2C2%5D,b%3AEQ%3A2',
      { ids: ['a:IN:[1,2]', 'b:EQ:2'] },
    ],
    [
      'express-openapi-validator#1087: a * that is not encoded',
      query({ schema: { type: 'string' } }),
      '/o?ids=*',
      { ids: '*' },
    ],
    [
      'express-openapi-validator#734: a deep object that is not there',
      query({ style: 'deepObject', schema: object }),
      '/o',
      {},
    ],
    [
      'express-openapi-validator#305: a list in a path',
      { parameters: [{ name: 'ids', in: 'path', required: true, style: 'simple', schema: strings }] },
      '/o/a,b',
      { ids: ['a', 'b'] },
    ],
    [
      'fastify-openapi-glue#603: a content of JSON',
      query({ content: { 'application/json': { schema: object } } }),
      `/o?ids=${encodeURIComponent('{"a":"b"}')}`,
      { ids: { a: 'b' } },
    ],
  ])('%s', async (_, operation, url, values) => {
    expect(await send(operation, url)).toEqual({ status: 200, seen: values });
  });
});

describe('properties that only answers have, from public bug reports', () => {
  const id = { type: 'string', readOnly: true };
  const name = { type: 'string' };
  const to = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });
  const components = {
    schemas: {
      Id: id,
      Plain: { type: 'string' },
      Part: { type: 'object', properties: { id, name } },
      Needs: { required: ['id', 'name'] },
      Both: { allOf: [to('Part'), to('Needs')] },
    },
  };
  test.each<[string, object]>([
    ['express-openapi-validator#883', { required: ['id', 'name'], allOf: [to('Part')] }],
    ['express-openapi-validator#733', { required: ['id', 'name'], properties: { id: to('Id'), name } }],
    ['kin-openapi#925', { allOf: [to('Part'), { required: ['id', 'name'] }] }],
    ['a reference to what is required', { allOf: [to('Part'), to('Needs')] }],
    ['parts of parts', { allOf: [to('Both')] }],
    [
      'openapi-psr7-validator#176',
      { required: ['id', 'name'], properties: { id: { allOf: [to('Plain'), { readOnly: true }] }, name } },
    ],
    ['a choice of what is required', { ...components.schemas.Part, anyOf: [{ required: ['id', 'name'] }] }],
  ])('%s', async (_, schema) => {
    const statusOf = async (value: unknown) => (await send(json(schema), '/o', postJson(value), { components })).status;
    expect([await statusOf({ name: 'n' }), await statusOf({ id: '7', name: 'n' }), await statusOf({})]).toEqual([
      200, 200, 400,
    ]);
  });

  test('the same schema elsewhere still requires the properties, and `readOnly` beside a reference counts in 3.1', async () => {
    const part = {
      type: 'object',
      required: ['one', 'id'],
      properties: { one: to('Needs'), id: { ...to('Plain'), readOnly: true } },
    };
    const statusOf = async (openapi: string, value: unknown) =>
      (await send(json(part), '/o', postJson(value), { components, openapi })).status;
    expect(await statusOf('3.1.0', { one: { id: '7', name: 'n' } })).toBe(200);
    expect(await statusOf('3.0.3', { one: { id: '7', name: 'n' } })).toBe(400);
    expect(await statusOf('3.1.0', { one: { name: 'n' } })).toBe(400);
    const both = { allOf: [to('Part'), to('Needs')], properties: { one: to('Needs') } };
    const statusOfBoth = async (one: object) =>
      (await send(json(both), '/o', postJson({ name: 'n', one }), { components })).status;
    expect([await statusOfBoth({ id: '7', name: 'n' }), await statusOfBoth({ name: 'n' })]).toEqual([200, 400]);
  });
});

describe('the bodies of public bug reports are read', () => {
  const object = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
  const form = (schema: object, more: object = {}) => ({
    requestBody: { content: { 'multipart/form-data': { schema, ...more } } },
  });
  const formOf = (...pairs: (readonly [string, string | Blob])[]): Sent => {
    const body = new FormData();
    for (const [name, value] of pairs) body.append(name, value);
    return { method: 'POST', body };
  };
  const asJson = (value: unknown) => new Blob([JSON.stringify(value)], { type: 'application/json' });
  const parts = { type: 'object', required: ['json'], properties: { json: object } };

  test('express-openapi-validator#710, openapi-psr7-validator#234: a part of JSON', async () => {
    for (const more of [{}, { encoding: { json: { contentType: 'application/json' } } }]) {
      expect((await send(form(parts, more), '/o', formOf(['json', asJson({ a: 'b' })]))).status).toBe(200);
      expect((await send(form(parts, more), '/o', formOf(['json', asJson({ a: 7 })]))).status).toBe(400);
    }
  });

  test('openapi-psr7-validator#134: several content types of a part', async () => {
    const more = { encoding: { json: { contentType: 'text/xml, application/json' } } };
    expect((await send(form(parts, more), '/o', formOf(['json', asJson({ a: 'b' })]))).status).toBe(200);
  });

  test('membrane#2980: parts of one name', async () => {
    const list = { type: 'object', properties: { all: { ...strings, maxItems: 2 } } };
    const three = ['1', '2', '3'].map((one) => ['all', one] as const);
    expect((await send(form(list), '/o', formOf(...three.slice(1)))).status).toBe(200);
    expect((await send(form(list), '/o', formOf(...three))).status).toBe(400);
  });

  test('prism#2591: a form with a dot in a name, which is checked', async () => {
    const schema = { type: 'object', properties: { 'Binding.Address': { type: 'string', minLength: 2 } } };
    const operation = { requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } } };
    const statusOf = async (value: string) =>
      (await send(operation, '/o', { method: 'POST', body: new URLSearchParams({ 'Binding.Address': value }) })).status;
    expect([await statusOf('ab'), await statusOf('a')]).toEqual([200, 400]);
  });

  test('express-openapi-validator#124, vertx-openapi#61: a content type with a charset, in either form', async () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8']) {
      const operation = { requestBody: { content: { [type]: { schema: object } } } };
      for (const sent of ['application/json', 'application/json;charset=utf-8']) {
        const of = (value: unknown) => ({ ...postJson(value), headers: { 'content-type': sent } });
        expect((await send(operation, '/o', of({ a: 'b' }))).status).toBe(200);
        expect((await send(operation, '/o', of({ a: 7 }))).status).toBe(400);
      }
    }
  });

  test('prism#2575: rules in parts of allOf', async () => {
    const schema = { allOf: [object, { properties: { a: { minLength: 2 } } }] };
    expect((await send(json(schema), '/o', postJson({ a: 'b' }))).status).toBe(400);
  });
});
