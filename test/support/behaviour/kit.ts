import { expect } from 'vitest';
import { authn, authz, type Check, fields, rbac, shop, tokenFor, type Way } from './check.ts';

const validate = `${authn}/validate`;
const evaluate = `${authz}/evaluate`;
const question = { user: 'alice', action: 'orders:read', resource: 'orders:1' };

const verdict = async (way: Way, token: unknown): Promise<Record<string, unknown>> =>
  fields(await way.call(validate, { body: { token } }));

const clock: readonly Check[] = [
  {
    name: 'a token expires when the clock is advanced, to the second',
    async run(way) {
      const token = await tokenFor(way, 'alice', { lifetime: '10m' });
      way.mock.clock.advance('9m59s');
      expect(await verdict(way, token)).toMatchObject({ isValid: true, details: { lifetime: '1s' } });
      way.mock.clock.advance('1s');
      expect(await verdict(way, token)).toEqual({ isValid: false, message: 'token is expired' });
    },
  },
  {
    name: 'a clock set back refuses tokens from the future',
    async run(way) {
      const token = await tokenFor(way, 'alice');
      way.mock.clock.set('2026-11-20T11:00:00Z');
      expect(await verdict(way, token)).toEqual({ isValid: false, message: 'token used before issued' });
    },
  },
  {
    name: 'a running clock continues after an advance',
    config: { ...shop, now: new Date() },
    async run(way) {
      way.mock.clock.set(new Date('2030-01-01T00:00:00Z'));
      way.mock.clock.advance('1h');
      const token = await tokenFor(way, 'alice');
      expect((await verdict(way, token)).isValid).toBe(true);
      expect(new Date(way.mock.clock.now()).toISOString()).toBe('2030-01-01T01:00:00.000Z');
    },
  },
];

const log: readonly Check[] = [
  {
    name: 'the log has every request in order, with user, status, decision and time',
    async run(way) {
      await way.call(`${evaluate}?x=1`, { body: question });
      await way.call(evaluate, { body: { ...question, action: 'orders:write' } });
      await way.call(`${rbac}/policy`);
      expect(
        way.mock.requests.map(({ method, path, query, user, status, decision }) => ({
          method,
          path,
          query,
          user,
          status,
          decision,
        })),
      ).toEqual([
        { method: 'POST', path: evaluate, query: 'x=1', user: 'alice', status: 200, decision: 'Allow' },
        { method: 'POST', path: evaluate, query: '', user: 'alice', status: 200, decision: 'Deny' },
        { method: 'GET', path: `${rbac}/policy`, query: '', user: undefined, status: 401, decision: undefined },
      ]);
      expect(way.mock.requests[0]).toMatchObject({ body: question, time: new Date('2026-11-20T12:00:00Z') });
    },
  },
  {
    name: 'the log contains no password, token, key or cookie',
    async run(way) {
      const { mock, call } = way;
      const token = await tokenFor(way, 'root');
      await call(`${authn}/login`, { body: { credentials: { username: 'alice', password: 'canary-1' } } });
      await call(`${authn}/login`, { body: '{"credentials": {"password": "canary 2\\" canary" ' });
      await call(`${authn}/login`, { body: 'username=alice&password=canary 3;canary' });
      await call(`${validate}?access_token=canary-4&pass%77ord=canary-5&x=${token}`, { body: { token } });
      await call('/_db/x/_echo/', {
        token,
        headers: { 'x-api-key': 'canary-6' },
        body: { secrets: { a: ['canary-7'] } },
      });
      await call(`/_db/x/_echo/${token}`, { token, body: `a text with ${token} in it` });
      const text = JSON.stringify(mock.requests);
      expect(text).not.toMatch(/canary|eyJ/);
      expect(text).toContain('"username":"alice","password":"<redacted>"');
    },
  },
  {
    name: 'find matches a method and the end of a path, a RegExp, or a predicate',
    async run(way) {
      const { requests } = way.mock;
      await way.call(validate, { body: { token: 'x' } });
      await way.call(evaluate, { body: question });
      expect(requests.find({ path: '/evaluate' })?.path).toBe(evaluate);
      expect(requests.find({ method: 'post' })?.path).toBe(validate);
      expect(requests.find({ path: /authz|authorization/g })?.path).toBe(evaluate);
      expect(requests.find(({ user }) => user === 'alice')?.path).toBe(evaluate);
      expect(requests.find({ method: 'GET', path: '/evaluate' })).toBeUndefined();
      requests.clear();
      expect([requests.length, way.mock.requests.length]).toEqual([0, 0]);
    },
  },
  {
    name: 'waitFor resolves with a past request, and with a future one',
    async run(way) {
      await way.call(validate, { body: { token: 'x' } });
      expect(await way.mock.waitFor({ path: '/validate' })).toMatchObject({ path: validate, status: 200 });
      const waiting = way.mock.waitFor({ method: 'POST', path: '/evaluate' });
      await way.call(evaluate, { body: question });
      expect(await waiting).toMatchObject({ path: evaluate, decision: 'Allow', user: 'alice' });
    },
  },
  {
    name: 'waitFor lists the requests that came instead',
    async run(way) {
      await way.call(validate, { body: { token: 'x' } });
      await expect(way.mock.waitFor({ path: '/evaluate' }, { timeout: 20 })).rejects.toThrow(
        `waitFor(any method /evaluate) saw no such request in 20 ms; arrived so far: POST ${validate} (200)`,
      );
    },
  },
  {
    name: 'the log keeps the last requests up to its limit',
    config: { ...shop, limits: { log: 2 } },
    async run(way) {
      for (const user of ['a', 'b', 'c']) await way.call(evaluate, { body: { ...question, user } });
      expect(way.mock.requests.map(({ user }) => user)).toEqual(['b', 'c']);
      await way.call(evaluate, { body: { ...question, user: 'd' } });
      expect(way.mock.requests.map(({ user }) => user)).toEqual(['c', 'd']);
    },
  },
];

const state: readonly Check[] = [
  {
    name: 'restore brings back policies, bindings and counters, any number of times',
    async run(way) {
      const { mock } = way;
      const token = await tokenFor(way, 'root');
      const effect = async () => fields(await way.call(evaluate, { body: question })).effect;
      const snapshot = mock.snapshot();
      for (let round = 0; round < 2; round += 1) {
        const removed = await way.call(`${rbac}/user/alice/role/viewer`, { method: 'DELETE', token });
        expect([removed.status, fields(removed).index]).toEqual([200, 3]);
        expect(await effect()).toBe('Deny');
        mock.restore(snapshot);
        expect(await effect()).toBe('Allow');
      }
    },
  },
  {
    name: 'restore brings back the clock, the keys and revoked tokens',
    async run(way) {
      const { mock } = way;
      const token = await tokenFor(way, 'alice');
      const snapshot = mock.snapshot();
      mock.clock.advance('2h');
      mock.tokens.revoke(token);
      await mock.keys.rotate();
      const later = await tokenFor(way, 'alice');
      mock.restore(snapshot);
      expect(mock.clock.now()).toBe(Date.parse('2026-11-20T12:00:00Z'));
      expect((await verdict(way, token)).isValid).toBe(true);
      expect(await verdict(way, later)).toEqual({ isValid: false, message: 'signature is invalid' });
    },
  },
  {
    name: 'restore brings back the log, the faults and the routes',
    async run(way) {
      const { mock } = way;
      const undo = mock.route('GET', '/mine', () => ({ body: 'first' }));
      mock.fail({ path: '/mine', status: 500 });
      const snapshot = mock.snapshot();
      undo();
      mock.route('GET', '/mine', () => ({ body: 'second' }));
      expect((await way.call('/mine')).status).toBe(500);
      mock.fail({ path: '/mine', status: 502 });
      expect((await way.call('/mine')).status).toBe(502);
      mock.restore(snapshot);
      expect(mock.requests).toHaveLength(0);
      expect((await way.call('/mine')).status).toBe(500);
      expect((await way.call('/mine')).body).toBe('first');
      undo();
      expect((await way.call('/mine')).status).toBe(404);
    },
  },
  {
    name: 'reset restores the initial state',
    async run(way) {
      const { mock } = way;
      const token = await tokenFor(way, 'root');
      await way.call(`${rbac}/role/viewer`, { method: 'DELETE', token });
      mock.route('GET', '/mine', () => ({}));
      mock.fail({ status: 500, times: Number.POSITIVE_INFINITY });
      mock.clock.advance('5h');
      mock.reset();
      expect(mock.requests).toHaveLength(0);
      mock.assertFaultsUsed();
      expect(fields(await way.call(evaluate, { body: question })).effect).toBe('Allow');
      expect((await way.call('/mine')).status).toBe(404);
      expect((await verdict(way, token)).isValid).toBe(true);
    },
  },
  {
    name: 'a handler that resets the mock gets its response, other requests in flight are cut off',
    async run({ mock, call }) {
      const reached = Promise.withResolvers<void>();
      mock.route('GET', '/waiting', () => {
        reached.resolve();
        return new Promise(() => {});
      });
      mock.route('POST', '/reset', () => {
        mock.reset();
        return { body: 'done' };
      });
      const waiting = expect(call('/waiting')).rejects.toThrow(TypeError);
      await reached.promise;
      expect((await call('/reset', { body: {} })).body).toBe('done');
      await waiting;
      expect(mock.requests).toHaveLength(0);
    },
  },
];

const explanations: readonly Check[] = [
  {
    name: 'explain names the statement, policy, role and scope behind an Allow, and the reason of a Deny',
    async run(way) {
      const allow = way.mock.explain(question);
      expect(allow).toMatchObject({
        decision: { effect: 'Allow' },
        reason: 'allowed',
        by: { role: 'viewer', statement: { policy: 'read-only', index: 0 }, scopeStatement: { index: 0 } },
      });
      const secret = { ...question, resource: 'orders:secret' };
      const deny = way.mock.explain(secret);
      expect(deny).toMatchObject({
        reason: 'explicit-deny',
        considered: [{ outcome: 'denied', statement: { policy: 'no-secrets' } }],
      });
      expect(deny.text).toContain('policy "no-secrets" statement 1: Deny * on orders:secret');
      for (const [asked, { decision }] of [[question, allow] as const, [secret, deny] as const]) {
        expect(fields(await way.call(evaluate, { body: asked })).effect).toBe(decision.effect);
      }
    },
  },
  {
    name: 'explain uses the current state',
    async run(way) {
      const token = await tokenFor(way, 'root');
      await way.call(`${rbac}/role/viewer`, { method: 'DELETE', token });
      expect(way.mock.explain(question)).toMatchObject({ considered: [{ outcome: 'missing-role' }] });
      way.mock.reset();
      expect(way.mock.explain(question).reason).toBe('allowed');
      expect(way.mock.explain({ superuser: true, action: 'a:b', resource: 'r' }).reason).toBe('superuser');
    },
  },
];

const tokens: readonly Check[] = [
  {
    name: 'an issued token has its user, groups and lifetime',
    async run(way) {
      const token = await way.mock.tokens.issue({ user: 'bob', groups: ['viewer'], lifetime: '5h' });
      expect((await verdict(way, token)).details).toEqual({ lifetime: '18000s', user: 'bob', groups: ['viewer'] });
      const body = { token, action: 'orders:read', resource: 'orders:1' };
      expect(fields(await way.call(`${authz}/evaluate-token`, { body })).effect).toBe('Allow');
    },
  },
  {
    name: 'a token without a user is the superuser',
    async run(way) {
      const token = await way.mock.tokens.issue({ user: null });
      expect((await way.call(`${rbac}/policy/none`, { token })).status).toBe(404);
      const body = { token, action: 'any:thing', resource: 'x' };
      expect(fields(await way.call(`${authz}/evaluate-token`, { body })).message).toBe('Superuser Allowed');
    },
  },
  {
    name: 'forged tokens are refused, each for its own reason',
    async run(way) {
      const { tokens } = way.mock;
      const reason = async (token: Promise<string>) => (await verdict(way, await token)).message;
      expect(await reason(tokens.forge({ expired: true }))).toBe('token is expired');
      expect(await reason(tokens.forge({ notYetValid: true }))).toBe('token is not valid yet');
      expect(await reason(tokens.forge({ wrongKey: true }))).toBe('signature is invalid');
      expect(await reason(tokens.forge({ none: true }))).toBe('signature is invalid');
      expect(await reason(tokens.forge({ algorithm: 'HS512' }))).toBe('signature is invalid');
      expect(await reason(tokens.forge({ algorithm: 'ES256' }))).toBe('signature is invalid');
      expect(await reason(tokens.forge({ claims: { exp: 'soon' } }))).toBe('exp is invalid');
    },
  },
  {
    name: 'claims of a forged token are used unchanged',
    async run(way) {
      const token = await way.mock.tokens.forge({ user: 'eve', claims: { groups: 'admin', exp: undefined } });
      expect(await verdict(way, token)).toMatchObject({
        isValid: true,
        details: { user: 'eve', groups: [], lifetime: '3600s' },
      });
    },
  },
  {
    name: 'a revoked token is refused everywhere, other tokens are not',
    async run(way) {
      const [token, other] = [await tokenFor(way, 'root'), await tokenFor(way, 'root', { lifetime: '30m' })];
      way.mock.tokens.revoke(token);
      expect(await verdict(way, token)).toEqual({ isValid: false, message: 'token is revoked' });
      expect((await way.call('/_api/version', { token })).status).toBe(401);
      expect((await way.call(`${rbac}/policy`, { token })).status).toBe(401);
      expect((await way.call('/_api/version', { token: other })).status).toBe(200);
    },
  },
  {
    name: 'after a rotation the old key still verifies, the new one signs',
    async run(way) {
      const before = await tokenFor(way, 'alice');
      await way.mock.keys.rotate();
      const after = await tokenFor(way, 'alice', { lifetime: '30m' });
      expect((await verdict(way, before)).isValid).toBe(true);
      expect((await verdict(way, after)).isValid).toBe(true);
    },
  },
];

export const kitChecks: readonly Check[] = [...clock, ...log, ...state, ...explanations, ...tokens].map((check) => ({
  config: shop,
  ...check,
}));
