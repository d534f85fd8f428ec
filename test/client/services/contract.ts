import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, type ClientOptions, createClient, credentials, type Policy } from '../../../src/index.ts';

/** A deployment that the suite runs against. */
export interface Target {
  readonly options: ClientOptions;
  /** A token that may do everything. */
  readonly superuser: string;
  /** A user that may log in. */
  readonly user: { readonly username: string; readonly password: string };
}

const allow = (...actions: string[]): Policy => ({ statements: [{ effect: 'Allow', actions, resources: ['*'] }] });
const stored = (...actions: string[]) => ({
  statements: [{ effect: 'Allow', actions, resources: ['*'], description: '' }],
  description: '',
});

/**
 * The contract of the clients, over a mock in memory, a mock on a port, or a real deployment. It creates objects with
 * unique names and deletes them, and asserts only behaviour that the two fidelities share.
 */
export function contract(name: string, open: () => Promise<Target>): void {
  describe(name, () => {
    const mark = `contract-${crypto.randomUUID().slice(0, 8)}`;
    let target: Target;
    let anonymous: Client;
    let admin: Client;
    beforeAll(async () => {
      target = await open();
      anonymous = createClient(target.options);
      admin = createClient({ ...target.options, credentials: credentials.bearer(target.superuser) });
    });

    describe('authentication', () => {
      test('createToken and validate agree on user, groups and lifetime', async () => {
        const created = await anonymous.authentication.createToken({ user: mark, lifetime: '5m', groups: ['a', 'b'] });
        expect(created).toMatchObject({ user: mark, groups: ['a', 'b'], lifetimeMs: 300_000 });
        expect(created.expiresAt).toBeInstanceOf(Date);
        const validation = await anonymous.authentication.validate(created.token);
        expect(validation).toMatchObject({ valid: true, user: mark, groups: ['a', 'b'] });
        expect(validation.valid && validation.lifetimeMs <= 300_000 && validation.lifetimeMs > 290_000).toBe(true);
      });

      test('lifetimes: milliseconds, compound durations, the default, the limits of the service', async () => {
        const create = async (lifetime: object) =>
          (await anonymous.authentication.createToken({ user: mark, ...lifetime })).lifetimeMs;
        expect(await create({ lifetimeMs: 90_500 })).toBe(90_500);
        expect(await create({ lifetime: '1m30s' })).toBe(90_000);
        expect(await create({})).toBe(3_600_000);
        expect(await create({ lifetime: '1ms' })).toBe(60_000);
        expect(await create({ lifetime: '1000h' })).toBe(3_600_000);
      });

      test('an invalid token is a result, not an error', async () => {
        const validation = await anonymous.authentication.validate('not.a.token');
        expect(validation).toEqual({ valid: false, reason: expect.stringMatching(/./) });
      });

      test('login, and identity with its token', async () => {
        const { token, lifetimeMs, expiresAt } = await anonymous.authentication.login(target.user);
        expect(lifetimeMs).toBeGreaterThan(0);
        expect(expiresAt).toBeInstanceOf(Date);
        const own = createClient({ ...target.options, credentials: credentials.bearer(token) });
        expect(await own.authentication.identity()).toEqual({ user: target.user.username });
      });

      test('login with a wrong password, identity without a token: 401', async () => {
        const wrong = anonymous.authentication.login({ ...target.user, password: `${mark} wrong` });
        await expect(wrong).rejects.toMatchObject({ code: 'HTTP', status: 401, grpcCode: 16 });
        await expect(anonymous.authentication.identity()).rejects.toMatchObject({ code: 'HTTP', status: 401 });
      });

      test('login and minted credentials', async () => {
        const one = createClient({ ...target.options, credentials: credentials.login(target.user) });
        expect(await one.authentication.identity()).toEqual({ user: target.user.username });
        const two = createClient({
          ...target.options,
          credentials: credentials.minted({ user: mark, lifetime: '1m' }),
        });
        expect(await two.authentication.identity()).toEqual({ user: mark });
      });

      test('logout, with and without a location', async () => {
        const { token } = await anonymous.authentication.createToken({ user: mark, lifetime: '7m' });
        const own = createClient({ ...target.options, credentials: credentials.bearer(token) });
        await own.authentication.logout({ location: 'https://example.com/bye' });
        await own.authentication.logout();
        await anonymous.authentication.logout({ location: '/bye' });
      });

      test('keys: none for a symmetric key, a checksum', async () => {
        const { keys, checksum } = await admin.authentication.keys();
        expect(checksum).toMatch(/./);
        for (const key of keys) expect(key).toContain('BEGIN PUBLIC KEY');
        await expect(anonymous.authentication.keys()).rejects.toMatchObject({ code: 'HTTP', status: 401 });
      });
    });

    describe('management and decisions', () => {
      test('a policy from create to delete', async () => {
        const { policies } = admin.authorization;
        const name = `${mark}:p ü`;
        const created = await policies.create(name, allow('orders:write', 'orders:read', 'orders:read'));
        const version = { index: expect.any(Number), revision: expect.any(String) };
        expect(created).toEqual({ name, ...version, item: stored('orders:read', 'orders:write') });
        expect(await policies.get(name)).toEqual(created);
        await expect(policies.create(name, allow('a:b'))).rejects.toMatchObject({ status: 409 });
        const updated = await policies.update(name, { statements: [], description: 'd' });
        expect(updated.item).toEqual({ statements: [], description: 'd' });
        expect(updated.index).toBeGreaterThan(created.index);
        expect((await policies.upsert(name, allow('a:b'))).item).toEqual(stored('a:b'));
        expect(await policies.delete(name)).toMatchObject({ name });
        await expect(policies.get(name)).rejects.toMatchObject({ code: 'HTTP', status: 404, grpcCode: 5 });
        await expect(policies.update(name, allow('a:b'))).rejects.toMatchObject({ status: 404 });
        expect((await policies.upsert(name, allow('a:b'))).item).toEqual(stored('a:b'));
        await policies.delete(name);
      });

      test('list goes through all pages, and stops when its loop is left', async () => {
        const { roles } = admin.authorization;
        const names = ['r1', 'r2', 'r3', 'r4', 'r5'].map((one) => `${mark}-${one}`);
        for (const name of names) await roles.create(name, { policies: [] });
        const listed: string[] = [];
        for await (const name of roles.list({ pageSize: 2 })) if (name.startsWith(mark)) listed.push(name);
        expect(listed).toEqual(names);
        for await (const name of roles.list({ pageSize: 1 })) {
          expect(name).toMatch(/./);
          break;
        }
        const role = { policies: ['x'], scope: stored('a:b'), description: '' };
        expect((await roles.update(`${mark}-r1`, { policies: ['x', 'x'], scope: allow('a:b') })).item).toEqual(role);
        for (const name of names) await roles.delete(name);
        const stopped = roles.list({ signal: AbortSignal.abort() });
        await expect(stopped.next()).rejects.toMatchObject({ code: 'ABORTED' });
      });

      test('a binding from assign to remove, and the decisions that it makes', async () => {
        const { authorization } = admin;
        const [user, role, policy] = [`${mark} user`, `${mark}-role`, `${mark}-policy`];
        const ask = { user, action: 'orders:read', resource: 'o1' };
        await authorization.policies.create(policy, allow('orders:read'));
        await authorization.roles.create(role, { policies: [policy] });
        expect(await authorization.bindings.list(user)).toEqual([]);
        await expect.poll(() => authorization.isAllowed(ask), { timeout: 8_000 }).toBe(false);

        const bound = await authorization.bindings.assign({ user, role, scope: allow('*') });
        const version = { index: expect.any(Number), revision: expect.any(String) };
        expect(bound).toEqual({ user, role, scope: stored('*'), ...version });
        await expect.poll(() => authorization.isAllowed(ask), { timeout: 8_000 }).toBe(true);
        expect(await authorization.evaluate(ask)).toEqual({
          effect: 'Allow',
          allowed: true,
          message: 'Access Granted',
        });
        expect(await authorization.evaluate({ ...ask, action: 'orders:write' })).toMatchObject({
          effect: 'Deny',
          allowed: false,
        });
        await authorization.assertAllowed(ask);
        const denied = authorization.assertAllowed({ ...ask, action: 'orders:write' });
        await expect(denied).rejects.toMatchObject({
          code: 'PERMISSION_DENIED',
          action: 'orders:write',
          resource: 'o1',
        });

        const items = [
          { action: 'orders:read', resource: 'a' },
          { action: 'orders:write', resource: 'a' },
          { action: 'orders:read', resource: 'b', context: { parameters: { ip: { values: ['1.2.3.4'] } } } },
        ];
        const many = await authorization.evaluateMany({ user, items });
        expect(many).toMatchObject({ effect: 'Deny', allowed: false });
        expect(many.items.map(({ allowed }) => allowed)).toEqual([true, false, true]);
        const { token } = await anonymous.authentication.createToken({ user });
        expect(await authorization.isAllowed({ token, action: 'orders:read', resource: '' })).toBe(true);
        expect(
          (
            await authorization.evaluateMany({
              token,
              items: [ask, ask].map(({ action, resource }) => ({ action, resource })),
            })
          ).allowed,
        ).toBe(true);
        expect(await authorization.evaluateMany({ user, items: [] })).toMatchObject({ allowed: false, items: [] });

        const batching = createClient({ ...target.options, batch: true }).authorization;
        const batched = items.map((item) => batching.isAllowed({ user, ...item }));
        expect(await Promise.all(batched)).toEqual([true, false, true]);

        expect(await authorization.bindings.list(user)).toEqual([{ role, scope: stored('*') }]);
        await expect(authorization.bindings.assign({ user, role, scope: allow('*') })).rejects.toMatchObject({
          status: 409,
        });
        expect((await authorization.bindings.replaceScope({ user, role, scope: allow('a:b') })).scope).toEqual(
          stored('a:b'),
        );
        await expect.poll(() => authorization.isAllowed(ask), { timeout: 8_000 }).toBe(false);
        expect(await authorization.bindings.remove({ user, role })).toMatchObject({ user, role, scope: null });
        expect(await authorization.bindings.list(user)).toEqual([]);
        await authorization.roles.delete(role);
        await authorization.policies.delete(policy);
      });

      test('an invalid token fails the call; it is not a decision', async () => {
        const call = anonymous.authorization.isAllowed({ token: 'not.a.token', action: 'a:b', resource: 'c' });
        await expect(call).rejects.toMatchObject({ code: 'HTTP', status: 400, grpcCode: 9 });
      });

      test('checkSelf, refresh, and management without a token or permission', async () => {
        const question = { action: 'rbac:ListPolicy', resource: '' };
        expect(await admin.authorization.checkSelf(question)).toMatchObject({ effect: 'Allow', allowed: true });
        await admin.authorization.refresh();
        const nobody = createClient({
          ...target.options,
          credentials: credentials.minted({ user: `${mark} nobody`, groups: ['none'] }),
        });
        expect((await nobody.authorization.checkSelf(question)).allowed).toBe(false);
        await expect(nobody.authorization.policies.get('x')).rejects.toMatchObject({ status: 403, grpcCode: 7 });
        await expect(anonymous.authorization.policies.list().next()).rejects.toMatchObject({ status: 401 });
      });
    });
  });
}
