import { expect, test } from 'vitest';
import { createClient, type HttpError, isHttpError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

/** The error of a client for a 409 with this body. */
async function conflict(body: unknown, type = 'application/json'): Promise<HttpError> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const fetch = async () =>
    new Response(text, { status: 409, statusText: 'Conflict', headers: { 'content-type': type } });
  const client = createClient({ url: 'http://a.test', database: 'shop', fetch });
  const error = await failureOf(client.route('svc').get('x'));
  if (!isHttpError(error)) throw error;
  return error;
}

test.each([
  ["the services'", { code: 6, message: 'already there', details: [] }, 'already there'],
  ["the database's", { error: true, code: 409, errorNum: 1207, errorMessage: 'duplicate name' }, 'duplicate name'],
  [
    'problem details, title and detail',
    { title: 'Conflict of orders', detail: 'order 7 is sent' },
    'Conflict of orders: order 7 is sent',
  ],
  [
    'problem details, title alone',
    { type: 'about:blank', title: 'Conflict of orders', status: 409 },
    'Conflict of orders',
  ],
  ['problem details, with an empty title', { title: '', detail: 'order 7 is sent' }, 'order 7 is sent'],
  ["FastAPI's", { detail: 'order 7 is sent' }, 'order 7 is sent'],
  ["FastAPI's list of errors", { detail: [{ loc: ['body'], msg: 'field required' }] }, 'body: field required'],
  ["an empty list of FastAPI's", { detail: [] }, 'Conflict'],
  ['error as text', { error: 'order 7 is sent' }, 'order 7 is sent'],
  ['error as a flag', { error: false }, 'Conflict'],
  ['a message that is not text', { message: 7, detail: 'order 7 is sent' }, 'order 7 is sent'],
  ['an empty message', { message: '' }, 'Conflict'],
  ['a list', [1], 'Conflict'],
  ['null', null, 'Conflict'],
  ['truncated JSON', '{"message":', 'Conflict'],
])('%s: the reason is the server’s text, the message adds method and path', async (_form, body, reason) => {
  const error = await conflict(body);
  expect(error.reason).toBe(reason);
  expect(error.message).toBe(`GET /_db/shop/svc/x failed: 409 ${reason}`);
});

test('problem details have a content type of their own', async () => {
  const { reason, body } = await conflict({ title: 'Out of stock' }, 'application/problem+json; charset=utf-8');
  expect([reason, body]).toEqual(['Out of stock', { title: 'Out of stock' }]);
});

test.each([
  ['a flag', { error: true, code: 6, errorMessage: 'duplicate name', message: 'of a service' }],
  ['a number', { errorNum: 1210, code: 6, errorMessage: 'duplicate name', message: 'of a service' }],
])("recognizes the database's format by %s alone; its code is not a gRPC code", async (_by, body) => {
  const { reason, grpcCode } = await conflict(body);
  expect([reason, grpcCode]).toEqual(['duplicate name', undefined]);
});
