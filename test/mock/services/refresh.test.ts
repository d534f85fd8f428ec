import { describe, expect, test } from 'vitest';
import { createMock, type MockConfig } from '../../../src/mock/index.js';
import { bearer, call, everything } from '../../support/calls.js';

const authz = '/_integration/authorization/v1';
const read = { user: 'alice', action: 'orders:read', resource: 'a' };
const refresh = { 'grpc-metadata-x-arangodb-authorization-refresh': 'true' };
const config = {
  platform: 'next',
  lag: '2s',
  now: '2026-11-27T12:00:00Z',
  policies: { everything },
  roles: { admin: { policies: ['everything'] } },
  bindings: [{ user: 'root', role: 'admin', scope: everything }],
} as const satisfies MockConfig;

async function open(given: MockConfig) {
  const mock = await createMock(given);
  const token = bearer(await mock.tokens.issue({ user: 'root' }));
  const bind = (method = 'POST') =>
    call(mock, method, '/_management/permissions/user/alice/role/admin', { scope: everything }, token);
  const ask = async (headers: Record<string, string> = {}) =>
    ((await call(mock, 'POST', `${authz}/evaluate`, read, headers)).body as { effect: string }).effect;
  const list = async () => (await call(mock, 'GET', '/_management/permissions/user/alice/role', undefined, token)).body;
  return { mock, bind, ask, list };
}

describe.each(['documented', 'sidecar'] as const)('writes that reach decisions late in %s fidelity', (fidelity) => {
  test('count after the lag, on the clock of the mock; the management API has them at once', async () => {
    const { mock, bind, ask, list } = await open({ ...config, fidelity });
    expect((await bind()).status).toBe(200);
    expect([await ask(), await list()]).toMatchObject(['Deny', { bindings: [{ role: 'admin' }] }]);
    mock.clock.advance('1s');
    await bind('DELETE');
    mock.clock.advance('1s');
    expect(await ask()).toBe('Allow');
    mock.clock.advance('1s');
    expect([await ask(), mock.refreshes]).toEqual(['Deny', 0]);
  });

  test('count at once for a question that refreshes, and after a refresh', async () => {
    const { mock, bind, ask } = await open({ ...config, fidelity });
    await bind();
    expect([await ask({ [Object.keys(refresh)[0] ?? '']: 'false' }), mock.refreshes]).toEqual(['Deny', 0]);
    expect([await ask(refresh), mock.refreshes]).toEqual(['Allow', 1]);
    await bind('DELETE');
    expect(await ask()).toBe('Allow');
    expect(await call(mock, 'POST', `${authz}/refresh`, {})).toMatchObject({ status: 200, body: {} });
    expect([await ask(), mock.refreshes]).toEqual(['Deny', 2]);
  });

  test('a batch refreshes, too, and a restore brings back the state and the count of refreshes', async () => {
    const { mock, bind, ask } = await open({ ...config, fidelity });
    const before = mock.snapshot();
    await bind();
    const { user, ...item } = read;
    const many = await call(mock, 'POST', `${authz}/evaluate-many`, { user, items: [item] }, refresh);
    expect([many.body, mock.refreshes]).toMatchObject([{ effect: 'Allow' }, 1]);
    mock.restore(before);
    expect([await ask(), mock.refreshes]).toEqual(['Deny', 0]);
  });
});

test.each(['1.4.4', 'recorded'] as const)(
  '%s has no refresh: the header does nothing, and the call is 404',
  async (platform) => {
    const { mock, bind, ask } = await open({ ...config, platform, fidelity: 'sidecar' });
    await bind();
    expect([await ask(refresh), mock.refreshes]).toEqual(['Deny', 0]);
    expect((await call(mock, 'POST', `${authz}/refresh`, {})).status).toBe(404);
  },
);

test('without a lag every write counts at once, and a lag that is not a duration is refused', async () => {
  const { lag: _, ...rest } = config;
  const { bind, ask } = await open(rest);
  await bind();
  expect(await ask()).toBe('Allow');
  await expect(createMock({ lag: 'soon' })).rejects.toThrow('lag: expected a duration');
});
