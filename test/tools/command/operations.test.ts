import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { typed } from '../../../src/client/openapi/index.ts';
import { playback } from '../../../src/console/mock/node.ts';
import { createGuard, operationGuards } from '../../../src/enforce/guard/index.ts';
import { createClient } from '../../../src/index.ts';
import { createDocumentCheck } from '../../../src/mock/adapters/node/playback/check-document.ts';
import { type CustomResponse, createMock } from '../../../src/mock/index.ts';
import { openApiValidator } from '../../../src/mock/openapi/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { refusalsFor } from '../../../src/tools/command/permissions/operations-command.ts';
import { folderOf } from './support/deployment.ts';
import { permissions } from './support/in-process.ts';

const problem = {
  description: 'a problem',
  content: { 'application/problem+json': { schema: { type: 'object', required: ['title'] } } },
};
const documentOf = (responses: object) => ({
  openapi: '3.1.0',
  info: { title: 'orders', version: '1' },
  paths: {
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        'x-permission': { action: 'orders:read', resource: 'order:{id}' },
        responses: { 200: { description: 'the order' }, ...responses },
      },
      put: { 'x-permission': 'public', responses: {} },
      delete: { responses: {} },
    },
  },
});

type Json = { readonly [name: string]: unknown };
/** A merge patch (RFC 7396), as `jq -s '.[0] * .[1]'` applies it. */
const merge = (document: Json, patch: Json): Json => ({
  ...document,
  ...Object.fromEntries(
    Object.entries(patch).map(([name, value]) => {
      const own = document[name];
      return [name, typeof own === 'object' && typeof value === 'object' ? merge(own as Json, value as Json) : value];
    }),
  ),
});

const print = async (document: object, ...flags: string[]) => {
  const file = join(folderOf({}), 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const { code, out, err } = await permissions(['operations', file, ...flags]);
  expect([code, err]).toEqual([0, '']);
  return out;
};
const declare = (document: Json) => merge(document, refusalsFor(document));

test('lists the permission of each operation', async () => {
  expect((await print(documentOf({}))).split('\n')).toEqual([
    '  GET /orders/{id}     orders:read on order:{id}',
    '  PUT /orders/{id}     public',
    '  DELETE /orders/{id}  denied: no x-permission',
    '',
  ]);
});

describe('--responses', () => {
  test('prints what the document lacks, and nothing once it has that', async () => {
    const { paths } = JSON.parse(await print(documentOf({ 403: problem }), '--responses'));
    expect(paths).toEqual({
      '/orders/{id}': {
        get: {
          responses: {
            401: { $ref: '#/components/responses/Unauthenticated' },
            503: { $ref: '#/components/responses/Unavailable' },
          },
        },
      },
    });
    expect(refusalsFor(declare(documentOf({})))).toEqual({});
    expect(refusalsFor(JSON.parse(await readFile(`${root}examples/contract/openapi.json`, 'utf8')))).toEqual({});
  });

  test('keeps a component of the same name, and follows the $ref of a path', async () => {
    const { paths } = documentOf({});
    const responses = { Unavailable: problem };
    const components = { responses, pathItems: { 'a/b': paths['/orders/{id}'] } };
    const document = { paths: { '/orders/{id}': { $ref: '#/components/pathItems/a~1b' } }, components };
    const patch = refusalsFor(document);
    expect(Object.keys(patch)).toEqual(['components']);
    const declared: Json = merge(document, patch);
    expect(declared).toMatchObject({ components: { responses } });
    expect(refusalsFor(declared)).toEqual({});
  });

  test.each(['{}', '[', 'null'])('refuses a document of %s', async (text) => {
    const file = join(folderOf({}), 'openapi.json');
    await writeFile(file, text);
    const { code, out } = await permissions(['operations', file, '--responses']);
    expect([code, out]).toEqual([64, '']);
  });
});

describe.each([
  ['that lacks them', () => documentOf({})],
  ['with another default', () => documentOf({ default: problem })],
  ['with other ranges', () => documentOf({ '4XX': problem, '5XX': problem })],
  ['with those that are printed', () => declare(documentOf({ default: problem }))],
] as const)('the refusals of a guard and a document %s', (name, open) => {
  const guard = createGuard(createEvaluator({ policies: {}, roles: {}, bindings: [] }), {
    authenticate: async (token) => {
      if (token === 'down') throw new Error('the keys cannot be loaded');
      return token === 'alice' ? { valid: true, user: 'alice', groups: [] } : { valid: false };
    },
  });

  test.each([
    [401, undefined],
    [401, 'bad'],
    [403, 'alice'],
    [503, 'down'],
  ])('agree on a %i in the validated mock, the recorder, the playback and a typed call', async (status, token) => {
    const used = open();
    const { check } = operationGuards(guard, used as object).for('GET /orders/{id}');
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const refuse = async () => {
      const access = await check({ headers }, { params: { id: 7 } });
      return access.response as Response;
    };
    const code = { 401: 16, 403: 7, 503: 14 }[status];
    const validate = openApiValidator();
    await using mock = await createMock();
    mock.service(
      'orders',
      { '/orders/{id}': { get: refuse } },
      { document: used, validate, authentication: 'optional' },
    );
    type Paths = {
      '/orders/{id}': { get: { parameters: { path: { id: number } }; responses: { 200: { content?: never } } } };
    };
    const client = createClient({ ...mock.connection, retry: 0 });
    const call = async (service: string) => {
      const orders = typed<Paths>(client.service(service));
      const answer = await orders.get('/orders/{id}', { path: { id: 7 }, allowStatus: [401, 403, 500, 503] });
      expect(answer).toMatchObject({ status, body: { code, details: [] } });
    };
    await call('orders');

    const body = await (await refuse()).json();
    const response: CustomResponse = { status, headers: { 'content-type': 'application/json' }, body };
    const request = { method: 'GET', path: '/orders/7', query: '', headers: new Headers(), body: Buffer.alloc(0) };
    expect(await createDocumentCheck(used, validate)({ ...request, response })).toMatchObject({ problems: [] });

    const folder = await mkdtemp(join(tmpdir(), 'arango-services-operations-'));
    const recorded = { method: 'GET', path: '/orders/7', response: { status, headers: response.headers, json: body } };
    await writeFile(join(folder, '0001-get-orders-id.json'), JSON.stringify(recorded));
    mock.service('played', {}, { authentication: 'optional' });
    using played = await playback(mock, 'played', folder, { document: used, validate });
    await call('played');
    expect(played.unplayed).toEqual([]);
  });

  test('leave another 403 of a handler to the document: it is a violation only if the document has a 403', async () => {
    await using mock = await createMock();
    const get = () => ({ status: 403, body: { title: 7, code: 7 } });
    mock.service(
      'orders',
      { '/orders/{id}': { get } },
      { document: open(), validate: openApiValidator(), authentication: 'optional' },
    );
    const answer = await createClient(mock.connection)
      .service('orders')
      .request({ path: 'orders/7', allowStatus: 'all' });
    expect(answer.status).toBe(name === 'that lacks them' ? 403 : 500);
  });
});
