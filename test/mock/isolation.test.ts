import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/mock/index.js';
import { bearer, call, everything, validate } from '../support/calls.js';

const authz = '/_integration/authorization/v1';

async function allowed(mock: Mock, user: string): Promise<unknown> {
  return (await call(mock, 'POST', `${authz}/evaluate`, { user, action: 'a:b', resource: 'c' })).body.effect;
}

describe('two mocks', () => {
  it('share nothing: 200 at once, each with its own state, keys, clock, sessions and log', async () => {
    const run = async (i: number): Promise<void> => {
      const now = new Date(Date.UTC(2026, 0, 1) + i * 86_400_000);
      await using mock = await createMock({ now, users: [{ name: `user${i}`, password: `pw${i}` }] });
      const credentials = { username: `user${i}`, password: `pw${i}` };
      const { token } = (await call(mock, 'POST', '/_login', { credentials })).body as { token: string };
      expect(await validate(mock, token)).toMatchObject({ isValid: true, details: { lifetime: '3600s' } });
      expect(await allowed(mock, 'alice')).toBe('Deny');
      const admin = bearer(await mock.tokens.issue({ user: null }));
      const policy = { item: everything };
      expect((await call(mock, 'POST', '/_management/permissions/policy/p', policy, admin)).body.index).toBe(1);
      await call(mock, 'POST', '/_management/permissions/role/r', { item: { policies: ['p'] } }, admin);
      await call(mock, 'POST', '/_management/permissions/user/alice/role/r', { scope: everything }, admin);
      expect(await allowed(mock, 'alice')).toBe('Allow');
      mock.fail({ path: '/evaluate', status: 503 });
      expect((await call(mock, 'POST', `${authz}/evaluate`, {})).status).toBe(503);
      const wrong = { username: `user${i + 1}`, password: `pw${i + 1}` };
      expect((await call(mock, 'POST', '/_login', { credentials: wrong })).status).toBe(401);
      expect(mock.requests).toHaveLength(9);
    };
    await Promise.all(Array.from({ length: 200 }, (_, i) => run(i)));
  });

  it("do not accept each other's tokens and snapshots", async () => {
    const [one, two] = [await createMock(), await createMock()];
    expect(await validate(two, await one.tokens.issue())).toMatchObject({ isValid: false });
    expect(() => two.restore(one.snapshot())).toThrow(/a snapshot of this mock/);
    expect(() => one.restore({ version: 1 })).toThrow(/snapshot/);
  });
});

describe('snapshots', () => {
  it('restore policies, roles, bindings, counters, users, keys, the clock and revocations', async () => {
    const mock = await createMock({
      now: '2026-11-20T12:00:00Z',
      policies: { p: everything },
      roles: { r: { policies: ['p'] } },
      bindings: [{ user: 'alice', role: 'r', scope: everything }],
    });
    const admin = bearer(await mock.tokens.issue({ user: null }));
    const before = mock.snapshot();
    expect(await allowed(mock, 'alice')).toBe('Allow');
    const remove = async () =>
      (await call(mock, 'DELETE', '/_management/permissions/user/alice/role/r', undefined, admin)).body;
    expect(await remove()).toMatchObject({ index: 2 });
    await call(mock, 'DELETE', '/_management/permissions/policy/p', undefined, admin);
    const after = mock.snapshot();
    expect(await allowed(mock, 'alice')).toBe('Deny');
    mock.clock.advance('2h');
    await mock.keys.rotate();
    const later = await mock.tokens.issue();

    mock.restore(before);
    expect(mock.clock.now()).toBe(Date.parse('2026-11-20T12:00:00Z'));
    expect(await validate(mock, later)).toMatchObject({ message: 'signature is invalid' });
    expect(await allowed(mock, 'alice')).toBe('Allow');
    expect(await remove()).toMatchObject({ index: 2 });

    mock.restore(after);
    expect(await allowed(mock, 'alice')).toBe('Deny');
    expect((await call(mock, 'GET', '/_management/permissions/policy', undefined, admin)).body).toMatchObject({
      names: [],
    });

    mock.tokens.revoke(admin.authorization.slice(7));
    mock.fail({ status: 503, times: Number.POSITIVE_INFINITY });
    mock.reset();
    expect(mock.requests).toHaveLength(0);
    expect(await allowed(mock, 'alice')).toBe('Allow');
    expect((await call(mock, 'GET', '/_management/permissions/policy', undefined, admin)).body).toMatchObject({
      names: ['p'],
    });
  });
});

it('explains a decision by policies that the management API wrote', async () => {
  const mock = await createMock({ roles: { r: { policies: ['p'] } } });
  const admin = bearer(await mock.tokens.issue({ user: null }));
  await call(mock, 'POST', '/_management/permissions/policy/p', { item: everything }, admin);
  await call(mock, 'POST', '/_management/permissions/user/alice/role/r', { scope: everything }, admin);
  expect(mock.explain({ user: 'alice', action: 'a:b', resource: 'c' })).toMatchObject({
    decision: { effect: 'Allow' },
    reason: 'allowed',
    by: { via: 'binding', role: 'r', statement: { policy: 'p', index: 0 } },
  });
  expect(mock.explain({ user: 'bob', action: 'a:b', resource: 'c' })).toMatchObject({ reason: 'no-binding' });
});
