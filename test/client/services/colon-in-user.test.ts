import { expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { everything } from '../../support/calls.ts';

// A user with a ":" grants rights to other users: the services find bindings by the prefix `user:` of their names.

const request = { user: 'a:b', role: 'r', scope: everything };

async function admin(mock: Mock) {
  const token = await mock.tokens.issue({ user: null });
  return createClient({ ...mock.connection, credentials: credentials.bearer(token) }).authorization.bindings;
}

test.each(['assign', 'upsert', 'replaceScope'] as const)(
  '%s rejects it with the reason, before anything is sent',
  async (call) => {
    await using mock = await createMock({ fidelity: 'sidecar' });
    const bindings = await admin(mock);
    for (const refused of [request, { ...request, allowColon: false }, { ...request, allowColon: undefined }]) {
      const error = await bindings[call](refused).catch((reason) => reason);
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'user' });
      expect(error.message).toContain('a ":" also binds users named by its prefixes: set allowColon: true');
      expect(error.message).toContain('allowColon: true');
      expect(error.message).not.toContain('a:b');
    }
    await expect(bindings[call]({ ...request, allowColon: 'yes' as never })).rejects.toMatchObject({
      field: 'allowColon',
    });
    // Inherited from its class, so it does not count.
    const inherited = Object.assign(Object.create({ allowColon: true }), request);
    await expect(bindings[call](inherited)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(mock.requests.length).toBe(0);
  },
);

test('calls with allowColon: true send a user with a ":"; reading and removing need no option', async () => {
  await using mock = await createMock({ fidelity: 'sidecar' });
  const bindings = await admin(mock);
  const allowed = { ...request, allowColon: true };
  expect(await bindings.assign(allowed)).toMatchObject({ user: 'a:b', role: 'r', index: 1 });
  expect(await bindings.replaceScope(allowed)).toMatchObject({ index: 2 });
  expect(await bindings.upsert(allowed)).toMatchObject({ changed: false });
  expect(await bindings.upsert({ ...allowed, scope: { statements: [] } })).toMatchObject({ changed: true, index: 3 });
  expect(await bindings.list('a')).toMatchObject([{ role: 'r' }]);
  expect(await bindings.remove({ user: 'a:b', role: 'r' })).toMatchObject({ index: 4 });
});
