import { expect, test } from 'vitest';
import { type AuthorizationClient, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver } from './support.ts';

const policy = { statements: [] };
const role = { policies: [] };
const bound = { user: 'ü', role: 'r' };

const calls: [action: string, resource: string, call: (client: AuthorizationClient) => Promise<unknown>][] = [
  ['ListPolicy', '', ({ policies }) => policies.list().next()],
  ['GetPolicy', 'p ü', ({ policies }) => policies.get('p ü')],
  ['CreatePolicy', 'p', ({ policies }) => policies.create('p', policy)],
  ['UpdatePolicy', 'p', ({ policies }) => policies.update('p', policy)],
  ['DeletePolicy', 'p', ({ policies }) => policies.delete('p')],
  ['UpdatePolicy', 'p', ({ policies }) => policies.upsert('p', policy)],
  ['ListRole', '', ({ roles }) => roles.list().next()],
  ['GetRole', 'r"', ({ roles }) => roles.get('r"')],
  ['CreateRole', 'r', ({ roles }) => roles.create('r', role)],
  ['UpdateRole', 'r', ({ roles }) => roles.update('r', role)],
  ['DeleteRole', 'r', ({ roles }) => roles.delete('r')],
  ['ListUserRoleBinding', 'ü', ({ bindings }) => bindings.list('ü')],
  ['AssignUserRole', 'ü', ({ bindings }) => bindings.assign({ ...bound, scope: policy })],
  ['ReplaceUserRoleScope', 'ü', ({ bindings }) => bindings.replaceScope({ ...bound, scope: policy })],
  ['RemoveUserRole', 'ü', ({ bindings }) => bindings.remove(bound)],
  ['ReplaceUserRoleScope', 'ü', ({ bindings }) => bindings.upsert({ ...bound, scope: policy })],
];

test.each(calls)('a 403 says that the call needs rbac:%s on "%s"', async (action, resource, call) => {
  const { client } = clientOver(() => Response.json({ code: 7, message: 'Permission denied' }, { status: 403 }));
  const error = await failureOf(call(client.authorization));
  const needs = { action: `rbac:${action}`, resource };
  expect(error).toMatchObject({ status: 403, reason: 'Permission denied', needs });
  expect(error.message).toMatch(/^[A-Z]+ \/_management\/permissions\//);
  const text = ` failed: 403 Permission denied (needs rbac:${action} on ${JSON.stringify(resource)})`;
  expect(error.message.endsWith(text)).toBe(true);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ needs });
});

test('the permission is the one that the mock requires: with it alone the call is not forbidden', async () => {
  for (const [action, , call] of calls.filter(([, , call]) => !String(call).includes('upsert'))) {
    const statement = { effect: 'Allow', actions: [`rbac:${action}`], resources: ['*'] } as const;
    await using mock = await createMock({
      policies: { own: { statements: [statement] } },
      roles: { own: { policies: ['own'] } },
      bindings: [{ user: 'svc', role: 'own', scope: { statements: [statement] } }],
    });
    const token = await mock.tokens.issue({ user: 'svc' });
    const { authorization } = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
    await call(authorization).catch(() => undefined);
    expect(mock.requests.map(({ status }) => status)).not.toContain(403);
    expect(mock.requests).toHaveLength(1);
  }
});

test('other statuses and other calls do not mention a permission', async () => {
  for (const status of [401, 404, 500]) {
    const { client } = clientOver(() => Response.json({ code: 2, message: 'm' }, { status }));
    const error = await failureOf(client.authorization.policies.get('p'));
    expect(error.message).not.toContain('needs');
    expect(error).not.toHaveProperty('needs');
  }
  const { client } = clientOver(() => Response.json({ code: 7, message: 'm' }, { status: 403 }));
  const calls = [client.route('x').get(), client.authorization.refresh()];
  for (const { message } of await Promise.all(calls.map(failureOf))) {
    expect(message).toMatch(/failed: 403 m$/);
  }
});
