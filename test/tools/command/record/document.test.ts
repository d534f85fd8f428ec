import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { playback } from '../../../../src/console/mock/node.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { openApiValidator } from '../../../../src/mock/openapi/index.ts';
import { inProcess } from '../support/in-process.ts';
import { makeFolder, readFiles, record, serve } from './support.ts';

const order = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, total: { type: 'number' } } };
const content = { 'application/json': { schema: order } };
const document = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { responses: { 200: { description: 'ok', content }, 404: { description: 'none' } } },
    },
    '/reset/{token}': {
      parameters: [{ name: 'token', in: 'path', required: true, schema: { type: 'string' } }],
      post: { responses: { 204: { description: 'ok' } } },
    },
    '/orders': {
      post: {
        requestBody: { required: true, content },
        responses: { 201: { description: 'ok', content }, 400: { description: 'wrong' } },
      },
    },
  },
};

async function openService() {
  return serve((request, response, body) => {
    const { url = '', method } = request;
    const empty = (status: number) => response.writeHead(status).end();
    if (url.startsWith('/reset')) return empty(204);
    if (url === '/orders/none') return empty(404);
    if (method === 'POST' && !body.includes('"id"')) return empty(400);
    response.setHeader('content-type', 'application/json');
    if (url === '/orders/wrong') return response.end('{"id": 7, "canary-name": "canary-value"}');
    return response.writeHead(method === 'POST' ? 201 : 200).end('{"id": "1", "total": 2}');
  });
}

async function run(...flags: string[]) {
  const folder = await makeFolder();
  const file = join(await makeFolder(), 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const running = await record(await openService(), folder, '--document', file, ...flags);
  const post = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const call = async (path: string, init?: RequestInit) => (await fetch(`${running.url}${path}`, init)).text();
  await call('/orders/1');
  await call('/orders/2');
  await call('/orders/wrong');
  await call('/orders/none');
  await call('/reset/short-1', { method: 'POST' });
  await call('/orders', post({ id: 'a' }));
  await call('/orders', post({ total: 'refused by the service, too' }));
  await call('/orders', post({ id: 5 }));
  await call('/nowhere/canary4Path1f0e9d8C7b6a5948ZqXw2Lk9Vt3Rb7Nm1Pp');
  return { ...(await running.stop()), folder, files: await readFiles(folder) };
}

test('files have the template of the operation, and warnings say what does not fit, without values', async () => {
  const { code, err, files, folder } = await run();
  expect(code).toBe(0);
  expect(err.trimEnd().split('\n')).toEqual([
    expect.stringContaining('GET /orders/{id}: the answer 200 of GET /orders/{id} does not fit the document: body.id'),
    expect.stringContaining('POST /orders: the request does not fit the document: body.id'),
    'arango-services: GET /nowhere/<token:2>: no path of the document matches',
  ]);
  expect(err).not.toContain('canary');
  expect(Object.keys(files)).toHaveLength(9);
  expect(Object.keys(files).slice(0, 2)).toEqual(['0001-get-orders-id.json', '0002-get-orders-id.json']);
  const parsed = Object.values(files).map((text) => JSON.parse(text));
  expect(parsed[0]).toMatchObject({ template: '/orders/{id}', path: '/orders/1' });
  // The name of a parameter tells a secret.
  expect(parsed[4]).toMatchObject({ template: '/reset/{token}', path: '/reset/<token:1>' });
  const mock = await createMock();
  const check = playback(mock, 'orders', folder, { document, validate: openApiValidator() });
  await expect(check).rejects.toThrow(/^0003-get-orders-id\.json: the answer 200 of GET/);
});

test('--strict leaves out what does not fit, and exits with 2', async () => {
  const { code, out, folder, files } = await run('--strict');
  expect(code).toBe(2);
  expect(out).toContain('6 new, 0 changed, 0 unchanged\n  3 left out: they do not fit the document');
  expect(Object.keys(files)).toHaveLength(6);
  await using mock = await createMock();
  const played = await playback(mock, 'orders', folder, { document, validate: openApiValidator() });
  expect(played.unplayed).toHaveLength(6);
});

test('a secret of an exchange that is left out is a secret in the others', async () => {
  const folder = await makeFolder();
  const file = join(await makeFolder(), 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const service = await serve((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(request.url === '/orders/1' ? '{"id":"is canary-4711"}' : '{}');
  });
  const running = await record(service, folder, '--document', file, '--strict');
  await (await fetch(`${running.url}/orders/1`)).text();
  await (await fetch(`${running.url}/login?password=canary-4711`)).text();
  const { code } = await running.stop();
  const files = Object.values(await readFiles(folder));
  expect([code, files.length]).toEqual([2, 1]);
  expect(JSON.parse(files[0] ?? '').response.json).toEqual({ id: 'is <token:1>' });
});

test.each([
  ['openapi: 3.1.0', 'is not valid JSON; YAML is converted by: npx yaml --json --single < '],
  ['{"openapi":"3.1.0"}', 'expected an OpenAPI document'],
  ['{"openapi":"2.0","paths":{}}', 'expected a version 3.0 or 3.1'],
])('refuses the document %s', async (text, message) => {
  const file = join(await makeFolder(), 'openapi.json');
  await writeFile(file, text);
  const flags = ['--url', 'http://127.0.0.1:1', '--out', await makeFolder(), '--document', file];
  const { code, err } = await inProcess(['record', ...flags]);
  expect([code, err]).toEqual([64, expect.stringContaining(message)]);
});
