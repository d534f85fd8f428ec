import {
  type createClient,
  credentials,
  isCredentialsError,
  isHttpError,
  isPermissionDeniedError,
} from 'arango-services';
import { verifyToken } from 'arango-services/guard';
import { expect } from 'vitest';
import { clientOf, echoed, failure, type Smoke } from './check.ts';

const password = 'pässwort 🧀';
const question = { action: 'orders:read', resource: 'orders' };
const anything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

const tokens: readonly Smoke[] = [
  {
    name: 'a token is created and validated',
    async run(platform) {
      const { authentication } = clientOf(platform);
      const created = await authentication.createToken({ user: 'alice', groups: ['viewer'], lifetime: '10m' });
      expect([created.user, created.lifetimeMs]).toEqual(['alice', 600_000]);
      expect(await authentication.validate(created.token)).toMatchObject({ valid: true, user: 'alice' });
    },
  },
  {
    name: 'a login returns a token, a wrong password a 401',
    async run(platform) {
      const { authentication } = clientOf(platform);
      const { token } = await authentication.login({ username: 'alice', password });
      expect(await authentication.validate(token)).toMatchObject({ valid: true, user: 'alice' });
      const error = await failure(authentication.login({ username: 'alice', password: 'canary' }));
      expect(isHttpError(error) && error.status).toBe(401);
      expect(`${error.message}${JSON.stringify(error)}`).not.toContain('canary');
    },
  },
  {
    name: 'the service tells the owner of the credentials',
    async run(platform) {
      const { token } = await clientOf(platform).authentication.createToken({ user: 'alice' });
      const client = clientOf(platform, { credentials: credentials.bearer(token) });
      expect(await client.authentication.identity()).toMatchObject({ user: 'alice' });
    },
  },
  {
    name: 'published keys verify a token locally, and reject an altered one',
    async run(platform) {
      const client = clientOf(platform);
      const { token } = await client.authentication.createToken({ user: 'alice', groups: ['viewer'] });
      expect(await verifyToken(token, { client })).toMatchObject({ valid: true, user: 'alice', groups: ['viewer'] });
      const { keys } = await client.authentication.keys();
      expect(await verifyToken(token, { keys })).toMatchObject({ valid: true });
      const [head, , signature] = token.split('.');
      const forged = btoa(JSON.stringify({ preferred_username: 'root' })).replace(/=+$/, '');
      expect(await verifyToken(`${head}.${forged}.${signature}`, { client })).toMatchObject({ valid: false });
    },
  },
];

const callers: readonly Smoke[] = [
  {
    name: 'basic credentials beyond ASCII',
    async run(platform) {
      const client = clientOf(platform, { credentials: credentials.basic('alice', password) });
      expect((await client.route('_echo').get('x')).status).toBe(200);
      const wrong = clientOf(platform, { credentials: credentials.basic('alice', 'wrong') });
      expect(await failure(wrong.route('_echo').get('x'))).toMatchObject({ status: 401 });
    },
  },
  {
    name: 'a bearer token from a function',
    async run(platform) {
      let asked = 0;
      const bearer = credentials.bearer(async () => {
        asked += 1;
        return platform.token;
      });
      const route = clientOf(platform, { credentials: bearer }).route('_echo');
      expect(echoed(await route.get('x')).headers.authorization).toBeUndefined();
      await route.get('y');
      expect(asked).toBe(2);
    },
  },
  {
    name: 'a login renews itself when its token is refused',
    async run(platform) {
      const client = clientOf(platform, { credentials: credentials.login({ username: 'alice', password }) });
      expect((await client.route('_echo').get('x')).status).toBe(200);
      await platform.advance('2h');
      expect((await client.route('_echo').get('x')).status).toBe(200);
      const logins = (await platform.requests()).filter(({ path }) => path.endsWith('/login'));
      expect(logins).toHaveLength(2);
    },
  },
  {
    name: 'ten calls at once share one minted token',
    async run(platform) {
      const client = clientOf(platform, { credentials: credentials.minted({ user: 'alice', lifetime: '10m' }) });
      await Promise.all(Array.from({ length: 10 }, (_, i) => client.route('_echo').get(`x${i}`)));
      const minted = (await platform.requests()).filter(({ path }) => path.endsWith('/createToken'));
      expect(minted).toHaveLength(1);
    },
  },
  {
    name: 'a missing token is a CredentialsError with the reason',
    async run(platform) {
      const wrong = credentials.login({ username: 'alice', password: 'wrong' });
      const error = await failure(clientOf(platform, { credentials: wrong }).route('_echo').get('x'));
      expect(isCredentialsError(error) && error.cause).toMatchObject({ code: 'HTTP', status: 401 });
    },
  },
];

const decisions: readonly Smoke[] = [
  {
    name: 'a decision allows',
    async run(platform) {
      const decision = await clientOf(platform).authorization.evaluate({ user: 'alice', ...question });
      expect(decision).toMatchObject({ effect: 'Allow', allowed: true });
    },
  },
  {
    name: 'a decision denies',
    async run(platform) {
      const { authorization } = clientOf(platform);
      expect(await authorization.isAllowed({ user: 'alice', action: 'orders:write', resource: 'orders' })).toBe(false);
      expect(await authorization.isAllowed({ user: 'nobody', ...question })).toBe(false);
    },
  },
  {
    name: 'a decision for a token',
    async run(platform) {
      const client = clientOf(platform);
      const { token } = await client.authentication.createToken({ user: 'alice' });
      expect(await client.authorization.isAllowed({ token, ...question })).toBe(true);
    },
  },
  {
    name: 'many decisions in one request',
    async run(platform) {
      const items = [question, { action: 'orders:write', resource: 'orders' }];
      const decided = await clientOf(platform).authorization.evaluateMany({ user: 'alice', items });
      expect(decided.items.map(({ effect }) => effect)).toEqual(['Allow', 'Deny']);
      expect(await platform.requests()).toHaveLength(1);
    },
  },
  {
    name: 'the decisions of one tick are batched',
    async run(platform) {
      const { authorization } = clientOf(platform, { batch: true });
      const asked = ['a', 'b', 'c'].map((resource) =>
        authorization.isAllowed({ user: 'alice', ...question, resource }),
      );
      expect(await Promise.all(asked)).toEqual([true, true, true]);
      expect(await platform.requests()).toHaveLength(1);
    },
  },
  {
    name: 'assertAllowed throws a PermissionDeniedError',
    async run(platform) {
      const { authorization } = clientOf(platform);
      await authorization.assertAllowed({ user: 'alice', ...question });
      const denied = authorization.assertAllowed({ user: 'alice', action: 'orders:write', resource: 'orders' });
      const error = await failure(denied);
      expect(isPermissionDeniedError(error) && [error.action, error.resource]).toEqual(['orders:write', 'orders']);
    },
  },
  {
    name: 'a failed decision is an error, not a decision',
    async run(platform) {
      await platform.fail({ evaluation: true });
      const error = await failure(clientOf(platform).authorization.isAllowed({ user: 'alice', ...question }));
      expect(error).toMatchObject({ code: 'HTTP', status: 500, grpcCode: 13 });
    },
  },
];

const management: readonly Smoke[] = [
  {
    name: 'policies are created, read, listed page by page, changed and deleted',
    async run(platform) {
      const { policies } = clientOf(platform).authorization;
      await policies.create('p ü', anything);
      expect((await policies.get('p ü')).item).toMatchObject(anything);
      const names: string[] = [];
      for await (const name of policies.list({ pageSize: 1 })) names.push(name);
      expect(names.sort()).toEqual(['p ü', 'read-only']);
      await policies.update('p ü', { statements: [] });
      expect((await policies.get('p ü')).item).toMatchObject({ statements: [] });
      await policies.delete('p ü');
      expect(await failure(policies.get('p ü'))).toMatchObject({ status: 404, grpcCode: 5 });
    },
  },
  {
    name: 'an existing name is a 409',
    async run(platform) {
      const { policies } = clientOf(platform).authorization;
      expect(await failure(policies.create('read-only', anything))).toMatchObject({ status: 409 });
    },
  },
  {
    name: 'a role and a binding change a decision, and removing them changes it back',
    async run(platform) {
      const { policies, roles, bindings, isAllowed } = bound(clientOf(platform).authorization);
      const ask = () => isAllowed({ user: 'bob', action: 'orders:write', resource: 'orders' });
      await policies.create('all', anything);
      await roles.create('admin', { policies: ['all'] });
      expect(await ask()).toBe(false);
      await bindings.assign({ user: 'bob', role: 'admin', scope: anything });
      expect(await ask()).toBe(true);
      await bindings.replaceScope({ user: 'bob', role: 'admin', scope: { statements: [] } });
      expect(await ask()).toBe(false);
      await bindings.remove({ user: 'bob', role: 'admin' });
      expect(await ask()).toBe(false);
    },
  },
  {
    name: 'management requires a token with permission',
    async run(platform) {
      const { token } = await clientOf(platform).authentication.createToken({ user: 'alice' });
      const { roles } = clientOf(platform, { credentials: credentials.bearer(token) }).authorization;
      expect(await failure(roles.create('x', { policies: [] }))).toMatchObject({ status: 403, grpcCode: 7 });
    },
  },
];

type Authorization = ReturnType<typeof createClient>['authorization'];

function bound(authorization: Authorization) {
  const { policies, roles, bindings } = authorization;
  return { policies, roles, bindings, isAllowed: authorization.isAllowed.bind(authorization) };
}

export const serviceChecks: readonly Smoke[] = [...tokens, ...callers, ...decisions, ...management];
