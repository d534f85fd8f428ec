import { describe, expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.ts';
import { openApiValidator } from '../../../src/mock/openapi/index.ts';

const schema = {
  type: 'object',
  required: ['at'],
  additionalProperties: false,
  properties: { at: { type: 'string', format: 'date-time' }, note: { type: 'string' }, count: { type: 'integer' } },
};

/** The message of a mocked service that answers with a body, or what it sends. */
async function send(body: unknown, headers?: Record<string, string>, of: object = schema) {
  const mock = await createMock();
  const document = {
    openapi: '3.1.0',
    paths: { '/a': { get: { responses: { 200: { content: { 'application/json': { schema: of } } } } } } },
  };
  const reply = headers === undefined ? { body } : { body, headers };
  mock.service(
    'a',
    { '/a': { get: () => reply } },
    { document, validate: openApiValidator(), authentication: 'optional' },
  );
  const response = await mock.fetch(`${mock.connection.url}/_service/uds/_db/_system/a/a`);
  const answer = (await response.json()) as { message?: string };
  return response.status === 200 ? answer : `${response.status} ${answer.message}`;
}

const at = '2026-01-01T00:00:00.000Z';
const wrong = '500 the answer 200 of GET /a does not fit the document: ';

test('a header that is undefined is left out, with and without a validator, and in a fault', async () => {
  const mock = await createMock();
  const headers = { 'x-a': undefined, 'x-b': ['1', '2'] };
  const document = { openapi: '3.1.0', paths: { '/a': { get: { responses: { 200: {} } } } } };
  const options = { document, validate: openApiValidator(), authentication: 'optional' } as const;
  mock.service('a', { '/a': { get: () => ({ headers }) } }, options);
  mock.route('GET', '/b', () => ({ headers }));
  mock.route('GET', '/c', () => ({}));
  mock.fail({ path: '/c', status: 429, headers });
  for (const path of ['/_service/uds/_db/_system/a/a', '/b', '/c']) {
    const response = await mock.fetch(`${mock.connection.url}${path}`);
    expect([response.headers.get('x-a'), response.headers.get('x-b')]).toEqual([null, '1, 2']);
  }
});

describe('an answer is checked as it is sent', () => {
  test.each([
    ['undefined is left out', { at, note: undefined }, { at }],
    ['an undocumented field that is undefined', { at, other: undefined }, { at }],
    ['a Date', { at: new Date(at) }, { at }],
    ['toJSON', { toJSON: () => ({ at }) }, { at }],
  ])('%s', async (_, body, sent) => {
    expect(await send(body)).toEqual(sent);
  });

  test('JSON text and bytes with a JSON type', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await send(`{"at":"${at}"}`, headers)).toEqual({ at });
    expect(await send(new TextEncoder().encode(`{"at":"${at}"}`), headers)).toEqual({ at });
    expect(await send('{"at":7}', headers)).toContain(`${wrong}body.at: `);
    expect(await send(new TextEncoder().encode('{"at":7}'), headers)).toContain(`${wrong}body.at: `);
    expect(await send('{', headers)).toBe(`${wrong}body: not JSON`);
  });

  test.each([
    ['NaN, which is null', { at, count: Number.NaN }, 'body.count: '],
    ['a bigint', { at, count: 1n }, 'body: not JSON'],
    ['an integer beyond 2^53', { at, count: 2 ** 53 }, 'body.count: JavaScript rounds integers beyond 2^53.'],
    ['an invalid Date', { at: new Date(Number.NaN) }, 'body.at: '],
    ['a function', () => 7, 'body: '],
  ])('%s', async (_, body, place) => {
    expect(await send(body)).toContain(wrong + place);
  });

  test('a document that cannot be checked is named', async () => {
    expect(await send({ at }, undefined, { properties: { at: { pattern: '(?P<name>x)' } } })).toBe(
      `${wrong}body: The document holds a pattern that is not a regular expression of JavaScript.`,
    );
  });
});

test('a request whose JSON is an empty text fits a schema of texts', async () => {
  const mock = await createMock();
  const content = { 'application/json': { schema: { type: 'string' } } };
  const document = {
    openapi: '3.1.0',
    paths: { '/a': { post: { requestBody: { content }, responses: { 200: { description: 'ok' } } } } },
  };
  const options = { document, validate: openApiValidator(), authentication: 'optional' } as const;
  mock.service('a', { '/a': { post: () => ({ status: 200 }) } }, options);
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: '""' };
  expect((await mock.fetch(`${mock.connection.url}/_service/uds/_db/_system/a/a`, init)).status).toBe(200);
});
