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
