import { describe, expect, test } from 'vitest';
import { createMock, type LoggedRequest, type Mock } from '../../../src/mock/index.js';
import { logLine } from '../../../src/tools/command/mock/log-line.js';
import { bearer, call, es256, everything } from '../../support/calls.js';

const authorization = '/_integration/authorization/v1';
const orders = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } as const;
const config = {
  policies: { orders, everything },
  roles: { reader: { policies: ['orders'] }, admin: { policies: ['everything'] } },
  bindings: [
    { user: 'alice', role: 'reader', scope: everything },
    { user: 'root', role: 'admin', scope: everything },
  ],
} as const;

const last = (mock: Mock): LoggedRequest | undefined => mock.requests.at(-1);

describe('the log shows action and resource of each decision', () => {
  test('of evaluate', async () => {
    const mock = await createMock(config);
    await call(mock, 'POST', `${authorization}/evaluate`, { user: 'alice', action: 'orders:read', resource: 'a' });
    expect(last(mock)).toMatchObject({
      decision: 'Allow',
      decisions: [{ action: 'orders:read', resource: 'a', effect: 'Allow' }],
    });
    expect(logLine(last(mock) as LoggedRequest)).toBe(`POST ${authorization}/evaluate 200 Allow orders:read on "a"`);
  });

  test('of evaluate-token-many: every item in order, and the decision for all', async () => {
    const mock = await createMock(config);
    const token = await mock.tokens.issue({ user: 'alice' });
    const items = ['read', 'write', 'read', 'write', 'drop'].map((verb) => ({
      action: `orders:${verb}`,
      resource: 'a',
    }));
    await call(mock, 'POST', `${authorization}/evaluate-token-many`, { token, items });
    expect(last(mock)?.decision).toBe('Deny');
    expect(last(mock)?.decisions.map(({ action, effect }) => `${action} ${effect}`)).toEqual([
      'orders:read Allow',
      'orders:write Deny',
      'orders:read Allow',
      'orders:write Deny',
      'orders:drop Deny',
    ]);
    expect(logLine(last(mock) as LoggedRequest)).toMatch(
      /200 Deny orders:write on "a", orders:write on "a", orders:drop on "a", and 2 more$/,
    );
  });

  test('of a management call: the permission that it needs', async () => {
    const mock = await createMock(config);
    const token = await mock.tokens.issue({ user: 'alice' });
    const { status } = await call(mock, 'DELETE', '/_management/permissions/policy/orders', undefined, bearer(token));
    expect(status).toBe(403);
    expect(last(mock)).toMatchObject({
      decision: 'Deny',
      decisions: [{ action: 'rbac:DeletePolicy', resource: 'orders', effect: 'Deny' }],
    });
  });

  test('of the permission check of createToken', async () => {
    const { privatePem } = await es256();
    const mock = await createMock({ ...config, central: true, authentication: { keys: { active: privatePem } } });
    const token = await mock.tokens.issue({ user: 'root' });
    await call(mock, 'POST', '/_integration/authn/v1/createToken', { user: 'alice' }, bearer(token));
    expect(last(mock)?.decisions).toEqual([
      { action: 'authentication:CreateToken', resource: 'alice', effect: 'Allow' },
    ]);
  });

  test('of a request without a decision: none', async () => {
    const mock = await createMock(config);
    await call(mock, 'GET', '/_api/version');
    expect(last(mock)).toMatchObject({ decision: undefined, decisions: [] });
    expect(logLine(last(mock) as LoggedRequest)).toBe('GET /_api/version 401');
  });

  test('without tokens, and truncated if it is long', async () => {
    const mock = await createMock(config);
    const token = await mock.tokens.issue();
    await call(mock, 'POST', `${authorization}/evaluate`, { action: 'a:b', resource: `${token}/${'x'.repeat(9_999)}` });
    const [decision] = last(mock)?.decisions ?? [];
    expect(decision?.resource).not.toContain(token.slice(-20));
    expect(decision?.resource.length).toBeLessThan(300);
  });
});

test('own fields of a body count, not those of a changed Object.prototype', async () => {
  const mock = await createMock(config);
  const polluted = { user: 'root', effect: 'Allow', roles: ['admin'], superuser: true, scope: everything };
  for (const [name, value] of Object.entries(polluted)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
  }
  try {
    const ask = { user: 'bob', action: 'orders:drop', resource: 'a' };
    const { body } = await call(mock, 'POST', `${authorization}/evaluate`, ask);
    expect(body.effect).toBe('Deny');
    const statement = { actions: ['*'], resources: ['*'] };
    const own = await createMock({ fidelity: 'sidecar', policies: { p: { statements: [statement] } } } as object);
    expect([...own.settings.policies.values()]).toMatchObject([{ statements: [{ actions: ['*'] }] }]);
    const token = await own.tokens.issue({ user: null });
    const path = '/_management/permissions/policy/p';
    const stored = await call(own, 'GET', path, undefined, bearer(token));
    expect(stored.body).toMatchObject({ item: { statements: [{ effect: 'Deny' }] } });
    const written = await call(own, 'PUT', path, { item: { statements: [statement] } }, bearer(token));
    expect(written.body).toMatchObject({ item: { statements: [{ effect: 'Deny' }] } });
  } finally {
    for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name);
  }
});
