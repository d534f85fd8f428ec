import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.js';

test('a logged mock shows no password, no key and no token', async () => {
  const canary = (what: string) => `canary-${what}-7f3a`;
  await using mock = await createMock({
    authentication: { keys: { active: canary('key'), passive: [canary('old-key')] } },
    users: [{ name: 'alice', password: canary('password') }],
  });
  const token = await mock.tokens.issue({ user: 'alice' });
  await mock.fetch('http://mock.test/_integration/authn/v1/validate', {
    method: 'POST',
    body: JSON.stringify({ token }),
  });
  expect(mock.settings.users.get('alice')).toBe(canary('password'));
  const shown = `${inspect(mock, { depth: 20 })}${inspect(mock.requests, { depth: 20 })}${JSON.stringify(mock.requests)}`;
  expect(shown).not.toContain('canary');
  expect(shown).not.toContain(token);
  expect(shown).toContain('requests');
});

test('requests have the groups of their token, or the roles of their question', async () => {
  await using mock = await createMock();
  const token = await mock.tokens.issue({ user: 'alice', groups: ['staff', 'g'.repeat(300)] });
  const evaluate = `${mock.connection.url}/_integration/authorization/v1/evaluate`;
  const question = { action: 'orders:read', resource: 'order:7' };
  const roles = Array.from({ length: 150 }, (_, index) => `role ${index}`);
  for (const [path, body] of [
    ['', { user: 'bob', roles, ...question }],
    ['-token', { token, ...question }],
    ['', { user: 'bob', roles: [token], ...question }],
    ['', { user: 'bob', ...question }],
  ] as const) {
    await mock.fetch(`${evaluate}${path}`, { method: 'POST', body: JSON.stringify(body) });
  }
  await mock.fetch(`${mock.connection.url}/_management/permissions/policy`, {
    headers: { authorization: `bearer ${token}` },
  });
  await mock.fetch(`${mock.connection.url}/_api/version`, { headers: { authorization: `bearer ${token}` } });
  const groups = mock.requests.map((request) => request.groups);
  const shown = ['staff', `${'g'.repeat(256)}…`];
  expect(groups).toEqual([roles.slice(0, 100), shown, ['<redacted>'], [], shown, shown]);
});
