import { expect } from 'vitest';
import type { CustomResponse } from '../../../src/mock/index.ts';
import { type Check, fields, tokenFor } from './check.ts';

const open = { authentication: { mode: 'None' } } as const;

const database: readonly Check[] = [
  {
    name: 'the database requires credentials in its own error format',
    async run(way) {
      expect(await way.call('/_api/version')).toMatchObject({
        status: 401,
        body: { error: true, code: 401, errorNum: 11, errorMessage: 'not authorized to execute this request' },
      });
      const authorization = `Basic ${btoa('root:')}`;
      expect(fields(await way.call('/_api/version', { headers: { authorization } })).server).toBe('arango');
    },
  },
  {
    name: 'a login of a driver returns a token',
    async run(way) {
      const { jwt } = fields(await way.call('/_open/auth', { body: { username: 'root', password: '' } }));
      expect((await way.call('/_db/shop/_api/version', { token: String(jwt) })).status).toBe(200);
      expect((await way.call('/_open/auth', { body: { username: 'root', password: 'x' } })).status).toBe(401);
    },
  },
  {
    name: 'a driver’s initial requests are answered, with credentials',
    async run(way) {
      const { jwt } = fields(await way.call('/_open/auth', { body: { username: 'root', password: '' } }));
      const token = String(jwt);
      const ask = async (path: string) => (await way.call(path, { token })).body;
      const result = (value: unknown) => ({ error: false, code: 200, result: value });
      expect(await ask('/_db/shop/_api/database/current')).toEqual(
        result({ name: 'shop', id: '1', path: '', isSystem: false }),
      );
      expect(await ask('/_api/database/current')).toMatchObject({ result: { name: '_system', isSystem: true } });
      expect(await ask('/_api/database/user')).toEqual(result(['_system']));
      expect(await ask('/_db/shop/_api/collection')).toEqual(result([]));
      for (const yes of ['true', '1']) {
        const about = await ask(`/_api/version?details=${yes}`);
        expect(about).toMatchObject({ server: 'arango', details: { mode: 'server' } });
      }
      expect(await ask('/_api/version?details=false')).not.toHaveProperty('details');
      for (const path of ['/_db/shop/_api/database/current', '/_api/database/user', '/_db/shop/_api/collection']) {
        expect((await way.call(path)).status).toBe(401);
      }
    },
  },
  {
    name: 'a token of the database is renewed, and nothing else',
    async run(way) {
      const { jwt } = fields(await way.call('/_open/auth', { body: { username: 'root', password: '' } }));
      const renew = { method: 'POST', token: String(jwt) };
      const renewed = fields(await way.call('/_open/auth/renew', renew));
      const token = String(renewed.jwt);
      expect(fields(await way.call('/_integration/authn/v1/validate', { body: { token } })).isValid).toBe(true);
      for (const path of ['/_open/auth/renew', '/_db/shop/_open/auth/renew']) {
        expect((await way.call(path, { method: 'POST', token: 'no' })).status).toBe(404);
      }
    },
  },
  {
    name: 'the echo returns what arrived, without credentials',
    async run(way) {
      const token = await tokenFor(way, 'root');
      const answer = fields(
        await way.call('/_db/my%20db/_echo/a%2Fb/%C3%BC?x=1&x=2&y=%20', {
          method: 'PUT',
          token,
          headers: { 'X-Tenant': 'acme', 'content-type': 'application/json' },
          body: { text: 'Käse 🧀' },
        }),
      );
      expect(answer).toMatchObject({
        method: 'PUT',
        path: '/_db/my%20db/_echo/a%2Fb/%C3%BC',
        query: 'x=1&x=2&y=%20',
        headers: { 'x-tenant': 'acme', 'content-type': 'application/json' },
        body: { text: 'Käse 🧀' },
      });
      expect(Object.keys(answer.headers as object)).not.toContain('authorization'); // The cast: checked above.
    },
  },
  {
    name: 'an unknown path is a 404 in the format of the database',
    async run(way) {
      expect(await way.call('/nowhere')).toMatchObject({
        status: 404,
        body: {
          error: true,
          code: 404,
          errorNum: 404,
          errorMessage:
            "unknown path '/nowhere': this is a mock of services, not a database; add it by mock.route('GET', '/nowhere', () => ({ body: … }))",
        },
      });
    },
  },
  {
    name: 'HEAD has no body',
    config: open,
    async run(way) {
      const answer = await way.call('/_api/version', { method: 'HEAD' });
      expect([answer.status, answer.body]).toEqual([200, undefined]);
    },
  },
  {
    name: 'every method arrives unchanged',
    config: open,
    async run(way) {
      for (const method of ['DELETE', 'PATCH', 'PUT', 'OPTIONS', 'POST']) {
        expect(fields(await way.call('/_db/x/_echo/', { method })).method).toBe(method);
      }
    },
  },
];

const routes: readonly Check[] = [
  {
    name: 'a route of a test receives parameters, query, headers, body and user',
    async run(way) {
      way.mock.route('POST', '/_db/:db/my-service/*', ({ params, query, headers, body, user }) => ({
        body: { params, q: query.get('q'), tenant: headers.get('x-tenant'), body, user },
      }));
      const token = await tokenFor(way, 'alice');
      const at = '/_db/my%20db%2F/my-service/a/b?q=1';
      const headers = { 'x-tenant': 'acme', 'content-type': 'application/json' };
      expect((await way.call(at, { token, headers, body: { a: [1] } })).body).toEqual({
        params: { db: 'my db/', '*': 'a/b' },
        q: '1',
        tenant: 'acme',
        body: { a: [1] },
        user: 'alice',
      });
      expect((await way.call(at, { body: {} })).status).toBe(401);
    },
  },
  {
    name: 'a route answers with status, headers and JSON, text, bytes or a Response',
    config: open,
    async run(way) {
      const answers = new Map<string, CustomResponse>([
        ['json', { status: 201, headers: { 'x-a': 'b' }, body: { deep: [null] } }],
        ['text', { body: 'Käse' }],
        ['bytes', { body: new Uint8Array([104, 105]) }],
        ['response', new Response('{"ok":true}', { status: 202, headers: { 'content-type': 'application/json' } })],
        ['empty', { status: 204 }],
      ]);
      way.mock.route('GET', '/_db/:db/:what', ({ params }) => answers.get(params.what ?? '') ?? { status: 404 });
      const json = await way.call('/_db/x/json');
      expect([json.status, json.headers.get('x-a'), json.body]).toEqual([201, 'b', { deep: [null] }]);
      expect(await way.call('/_db/x/text')).toMatchObject({ status: 200, body: 'Käse' });
      expect(await way.call('/_db/x/bytes')).toMatchObject({ status: 200, body: 'hi' });
      expect(await way.call('/_db/x/response')).toMatchObject({ status: 202, body: { ok: true } });
      expect(await way.call('/_db/x/empty')).toMatchObject({ status: 204, body: undefined });
    },
  },
  {
    name: 'a redirect inside the deployment is followed',
    config: open,
    async run(way) {
      way.mock.route('GET', '/_db/:db/old', () => ({ status: 302, headers: { location: '/_db/x/new' } }));
      way.mock.route('GET', '/_db/:db/new', () => ({ body: 'here' }));
      expect(await way.call('/_db/x/old')).toMatchObject({ status: 200, body: 'here' });
    },
  },
  {
    name: 'an error of a route is opaque outside and in the log',
    config: open,
    async run(way) {
      const thrown = new Error('an inner matter');
      way.mock.route('GET', '/_db/:db/broken', () => {
        throw thrown;
      });
      const answer = await way.call('/_db/x/broken');
      expect(answer).toMatchObject({ status: 500, body: { error: true, errorMessage: 'internal error' } });
      expect(way.mock.requests.find({ path: '/broken' })?.thrown).toBe(thrown);
    },
  },
  {
    name: 'the last route of a path wins, until it is removed',
    config: open,
    async run(way) {
      way.mock.route('GET', '/_db/:db/x', () => ({ body: 'first' }));
      const undo = way.mock.route('get', '/_db/:db/x', () => ({ body: 'second' }));
      expect((await way.call('/_db/y/x')).body).toBe('second');
      undo();
      undo();
      expect((await way.call('/_db/y/x')).body).toBe('first');
    },
  },
];

export const databaseChecks: readonly Check[] = [...database, ...routes];
