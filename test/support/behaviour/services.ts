import { expect } from 'vitest';
import { authn, authz, type Check, fields, rbac, shop, tokenFor } from './check.ts';

const validate = `${authn}/validate`;
const evaluate = `${authz}/evaluate`;

const authentication: readonly Check[] = [
  {
    name: 'login returns a token, and validate tells its owner',
    async run(way) {
      const login = { credentials: { username: 'alice', password: 'pa ss"1&x' } };
      const { token } = fields(await way.call(`${authn}/login`, { body: login }));
      expect(await way.call(validate, { body: { token } })).toMatchObject({
        status: 200,
        body: { isValid: true, message: '', details: { lifetime: '3600s', user: 'alice', groups: [] } },
      });
    },
  },
  {
    name: 'a wrong password is 401 with its reason in a header',
    async run(way) {
      const answer = await way.call(`${authn}/login`, { body: { credentials: { username: 'alice', password: 'x' } } });
      expect(answer).toMatchObject({ status: 401, body: { code: 16, message: 'Invalid credentials', details: [] } });
      expect(answer.headers.get('www-authenticate')).toBe('Invalid credentials');
    },
  },
  {
    name: 'a login without credentials is 400',
    async run(way) {
      expect(await way.call(`${authn}/login`, { body: {} })).toMatchObject({
        status: 400,
        body: { code: 3, message: 'missing credentials' },
      });
    },
  },
  {
    name: 'createToken puts user, groups and lifetime into the token',
    async run(way) {
      const body = { user: 'svc', groups: ['viewer'], lifetime: '90s' };
      const answer = fields(await way.call(`${authn}/createToken`, { body }));
      expect(answer).toMatchObject({ lifetime: '90s', user: 'svc', groups: ['viewer'] });
      expect(fields(await way.call(validate, { body: { token: answer.token } })).details).toEqual({
        lifetime: '90s',
        user: 'svc',
        groups: ['viewer'],
      });
    },
  },
  {
    name: 'a lifetime is clamped, 1h is accepted, nonsense is 400',
    async run(way) {
      const create = (lifetime: unknown) => way.call(`${authn}/createToken`, { body: { user: 'svc', lifetime } });
      expect(fields(await create('1s')).lifetime).toBe('60s');
      expect(fields(await create('9000s')).lifetime).toBe('3600s');
      expect(fields(await create('1h')).lifetime).toBe('3600s');
      expect((await create('soon')).status).toBe(400);
    },
  },
  {
    name: 'identity uses the bearer token, and is 401 without one',
    async run(way) {
      const token = await tokenFor(way, 'alice');
      expect(await way.call(`${authn}/identity`, { token })).toMatchObject({ status: 200, body: { user: 'alice' } });
      expect(await way.call(`${authn}/identity`)).toMatchObject({ status: 401, body: { message: 'Unauthenticated' } });
    },
  },
  {
    name: 'the gateway has short names',
    async run(way) {
      const login = { credentials: { username: 'root', password: '' } };
      const { token } = fields(await way.call('/_login', { body: login }));
      expect((await way.call('/_identity', { token: String(token) })).body).toEqual({ user: 'root' });
      expect((await way.call('/_logout')).body).toEqual({});
    },
  },
  {
    name: 'validate says why a token is not valid',
    async run(way) {
      expect((await way.call(validate, { body: { token: 'nonsense' } })).body).toEqual({
        isValid: false,
        message: expect.stringContaining('token is malformed'),
      });
    },
  },
  {
    name: 'without authentication every caller is root',
    config: { authentication: { enabled: false } },
    async run(way) {
      expect((await way.call(`${authn}/identity`)).body).toEqual({ user: 'root' });
      expect(fields(await way.call(`${authn}/createToken`, { body: {} })).token).toBe('');
      expect((await way.call('/_api/version')).status).toBe(200);
    },
  },
  {
    name: 'a body that is not a JSON object is 400, and is not quoted',
    async run(way) {
      for (const body of ['{"token": "se', '[1]', '"text"', 'null', '{"token": 5}']) {
        const answer = await way.call(validate, { body });
        expect([body, answer.status, fields(answer).code]).toEqual([body, 400, 3]);
        expect(String(fields(answer).message)).not.toContain('se"');
      }
    },
  },
  {
    name: 'an unknown path is 404, another method 501',
    async run(way) {
      expect(await way.call(`${authn}/nothing`)).toMatchObject({
        status: 404,
        body: { code: 5, message: 'Not Found' },
      });
      expect(await way.call(validate)).toMatchObject({
        status: 501,
        body: { code: 12, message: 'Method Not Allowed' },
      });
    },
  },
  {
    name: 'a body over the limit is refused',
    config: { limits: { bodyBytes: 100 } },
    async run(way) {
      expect(await way.call(validate, { body: { token: 'x'.repeat(200) } })).toMatchObject({
        status: 429,
        body: { code: 8 },
      });
      expect(await way.call(validate, { body: { token: 'x' } })).toMatchObject({ status: 200 });
    },
  },
];

const authorization: readonly Check[] = [
  {
    name: 'a binding allows inside its role',
    async run(way) {
      const ask = (action: string) =>
        way.call(evaluate, { body: { user: 'alice', roles: [], action, resource: 'orders:1' } });
      expect((await ask('orders:read')).body).toEqual({ message: 'Access Granted', effect: 'Allow' });
      expect((await ask('orders:write')).body).toEqual({ message: 'Permission denied', effect: 'Deny' });
    },
  },
  {
    name: 'an explicit Deny wins over an Allow of the same binding',
    async run(way) {
      const body = { user: 'alice', action: 'orders:read', resource: 'orders:secret' };
      expect(fields(await way.call(evaluate, { body })).effect).toBe('Deny');
    },
  },
  {
    name: 'the roles of a request count',
    async run(way) {
      const body = { user: 'nobody', roles: ['viewer'], action: 'orders:read', resource: 'orders:1' };
      expect(fields(await way.call(evaluate, { body })).effect).toBe('Allow');
    },
  },
  {
    name: 'evaluate-many answers each item in order, and all of them together',
    async run(way) {
      const item = (action: string) => ({ action, resource: 'orders:1' });
      const body = { user: 'alice', items: [item('orders:read'), item('orders:write'), item('orders:read')] };
      const answer = fields(await way.call(`${authz}/evaluate-many`, { body }));
      expect(answer).toMatchObject({ effect: 'Deny', message: 'One of the requests has been denied' });
      expect(answer.items).toMatchObject([{ effect: 'Allow' }, { effect: 'Deny' }, { effect: 'Allow' }]);
    },
  },
  {
    name: 'an empty list of items is a Deny',
    async run(way) {
      expect((await way.call(`${authz}/evaluate-many`, { body: { user: 'alice', items: [] } })).body).toEqual({
        message: 'Missing permission evaluation items',
        effect: 'Deny',
        items: [],
      });
    },
  },
  {
    name: 'evaluate-token decides for the owner of the token',
    async run(way) {
      const token = await tokenFor(way, 'alice');
      const body = { token, action: 'orders:read', resource: 'orders:1' };
      expect(fields(await way.call(`${authz}/evaluate-token`, { body })).effect).toBe('Allow');
    },
  },
  {
    name: 'evaluate-token refuses an invalid token',
    async run(way) {
      const body = { token: 'nonsense', action: 'orders:read', resource: 'orders:1' };
      expect(await way.call(`${authz}/evaluate-token`, { body })).toMatchObject({
        status: 400,
        body: { code: 9, message: 'JWT Token is invalid' },
      });
    },
  },
  {
    name: 'type never answers each request with its own text',
    config: { authorization: { type: 'never' } },
    async run(way) {
      expect((await way.call(evaluate, { body: { action: 'a:b', resource: 'c' } })).body).toEqual({
        message: 'Denied by never plugin',
        effect: 'Deny',
      });
    },
  },
];

const management: readonly Check[] = [
  {
    name: 'management requires a token',
    async run(way) {
      expect(await way.call(`${rbac}/policy`)).toMatchObject({
        status: 401,
        body: { code: 16, message: 'Unauthorized' },
      });
    },
  },
  {
    name: 'management requires a permission',
    async run(way) {
      const token = await tokenFor(way, 'alice');
      expect(await way.call(`${rbac}/policy/x`, { token, body: { item: { statements: [] } } })).toMatchObject({
        status: 403,
        body: { code: 7, message: 'Permission denied' },
      });
    },
  },
  {
    name: 'a policy is created, read, replaced and deleted',
    async run(way) {
      const token = await tokenFor(way, 'root');
      const at = `${rbac}/policy/p%20%C3%BC`;
      const item = { statements: [{ effect: 'Allow', actions: ['a:b'], resources: ['r'] }] };
      expect(await way.call(at, { token, body: { item } })).toMatchObject({ status: 200, body: { name: 'p ü' } });
      expect(await way.call(at, { token, body: { item } })).toMatchObject({ status: 409, body: { code: 6 } });
      expect((await way.call(at, { method: 'PUT', token, body: { item: { statements: [] } } })).status).toBe(200);
      expect(fields(await way.call(at, { token })).item).toEqual({ statements: [], description: '' });
      expect(fields(await way.call(at, { method: 'DELETE', token })).item).toBeNull();
      expect(await way.call(at, { token })).toMatchObject({ status: 404, body: { message: 'Policy not found' } });
    },
  },
  {
    name: 'names are listed in pages',
    async run(way) {
      const token = await tokenFor(way, 'root');
      expect((await way.call(`${rbac}/policy?page=2&itemsPerPage=2`, { token })).body).toEqual({
        names: ['read-only'],
        page: { items: 3, page: 2 },
      });
    },
  },
  {
    name: 'a binding applies to the next decision, until it is removed',
    async run(way) {
      const token = await tokenFor(way, 'root');
      const at = `${rbac}/user/bob/role/viewer`;
      const effect = async () =>
        fields(await way.call(evaluate, { body: { user: 'bob', action: 'orders:read', resource: 'orders:1' } })).effect;
      const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
      expect(await effect()).toBe('Deny');
      await way.call(at, { token, body: { scope } });
      expect(await effect()).toBe('Allow');
      await way.call(at, { method: 'DELETE', token });
      expect(await effect()).toBe('Deny');
    },
  },
];

export const serviceChecks: readonly Check[] = [...authentication, ...authorization, ...management].map((check) => ({
  config: shop,
  ...check,
}));
