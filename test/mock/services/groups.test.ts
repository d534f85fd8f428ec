import { describe, expect, test } from 'vitest';
import { createMock, type MockConfig } from '../../../src/mock/index.js';
import { bearer, call, es256, everything } from '../../support/calls.js';

const orders = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } as const;
const config = {
  platform: 'next',
  policies: { orders, everything },
  roles: { reader: { policies: ['orders'] }, admin: { policies: ['everything'] } },
  bindings: [{ user: 'root', role: 'admin', scope: everything }],
  groupBindings: [{ group: 'dev', role: 'reader', scope: everything }],
} as const satisfies MockConfig;
const evaluate = '/_integration/authorization/v1/evaluate';
const groups = '/_management/permissions/group';
const read = { action: 'orders:read', resource: 'a' };

async function rootOf(given: MockConfig) {
  const mock = await createMock(given);
  const token = await mock.tokens.issue({ user: 'root' });
  const as = (method: string, path: string, body?: unknown) => call(mock, method, path, body, bearer(token));
  return { mock, as };
}

describe.each(['documented', 'sidecar'] as const)('roles of groups in %s fidelity', (fidelity) => {
  test('a group of the request and a group of the token give their access', async () => {
    const mock = await createMock({ ...config, fidelity });
    const ask = (subject: object) => call(mock, 'POST', evaluate, { ...subject, ...read });
    expect((await ask({ user: 'alice', roles: ['dev'] })).body).toMatchObject({ effect: 'Allow' });
    expect((await ask({ user: 'alice', roles: ['ops'] })).body).toMatchObject({ effect: 'Deny' });
    const token = await mock.tokens.issue({ user: 'alice', groups: ['dev'] });
    expect((await call(mock, 'POST', `${evaluate}-token`, { token, ...read })).body).toMatchObject({ effect: 'Allow' });
  });

  test('the management calls bind, list, replace and remove, each with an index of its own kind', async () => {
    const { as } = await rootOf({ ...config, fidelity });
    const scope = orders;
    expect((await as('POST', `${groups}/ops/role/reader`, { scope })).body).toMatchObject({
      group: 'ops',
      role: 'reader',
      index: 2,
    });
    expect(await as('POST', `${groups}/ops/role/reader`, { scope })).toMatchObject({
      status: 409,
      body: { code: 6, message: 'Group role binding already exists' },
    });
    expect((await as('PUT', `${groups}/ops/role/reader`, { scope: everything })).body).toMatchObject({ index: 3 });
    expect((await as('GET', `${groups}/ops/role`)).body).toMatchObject({ bindings: [{ role: 'reader' }] });
    expect((await as('DELETE', `${groups}/ops/role/reader`)).body).toEqual({
      group: 'ops',
      role: 'reader',
      scope: null,
      index: 4,
    });
    for (const method of ['PUT', 'DELETE']) {
      expect(await as(method, `${groups}/ops/role/reader`, method === 'PUT' ? { scope } : undefined)).toMatchObject({
        status: 404,
        body: { code: 5, message: 'Group role binding not found' },
      });
    }
    expect(await as('POST', `${groups}/ops/role/reader`, {})).toMatchObject({
      status: 400,
      body: { message: 'Scope cannot be empty' },
    });
  });

  test('each call needs its permission on the group', async () => {
    const mock = await createMock({ ...config, fidelity });
    const token = await mock.tokens.issue({ user: 'alice' });
    await call(mock, 'GET', `${groups}/dev/role`, undefined, bearer(token));
    await call(mock, 'DELETE', `${groups}/dev/role/reader`, undefined, bearer(token));
    await call(mock, 'POST', `${groups}/dev/role/reader`, { scope: orders }, bearer(token));
    await call(mock, 'PUT', `${groups}/dev/role/reader`, { scope: orders }, bearer(token));
    expect(mock.requests.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(mock.requests.flatMap(({ decisions }) => decisions.map(({ action }) => action))).toEqual([
      'rbac:ListGroupRoleBinding',
      'rbac:RemoveGroupRole',
      'rbac:AssignGroupRole',
      'rbac:ReplaceGroupRoleScope',
    ]);
  });

  test('a snapshot restores the roles of groups', async () => {
    const { mock, as } = await rootOf({ ...config, fidelity });
    const before = mock.snapshot();
    await as('DELETE', `${groups}/dev/role/reader`);
    mock.restore(before);
    expect((await as('GET', `${groups}/dev/role`)).body).toMatchObject({ bindings: [{ role: 'reader' }] });
    expect((await as('POST', `${groups}/x/role/reader`, { scope: orders })).body).toMatchObject({ index: 2 });
  });
});

describe('versions of the platform', () => {
  test.each(['1.4.4', '1.4.5', 'recorded', undefined] as const)('%s has no groups', async (platform) => {
    const { groupBindings: _, platform: __, ...older } = config;
    const { as } = await rootOf({ ...older, platform });
    expect((await as('GET', `${groups}/dev/role`)).status).toBe(404);
    await expect(createMock({ ...config, platform })).rejects.toThrow(
      'groupBindings: expected none: only platform next binds groups',
    );
  });

  test('the removal of a missing binding is 404 in next, 500 before, and always 404 as documented', async () => {
    const statusOf = async (given: MockConfig) =>
      (await (await rootOf(given)).as('DELETE', '/_management/permissions/user/bob/role/reader')).status;
    const { groupBindings: _, platform: __, ...older } = config;
    expect(await statusOf({ ...config, fidelity: 'sidecar' })).toBe(404);
    expect(await statusOf({ ...older, fidelity: 'sidecar' })).toBe(500);
    expect(await statusOf({ ...older, platform: '1.4.4' })).toBe(404);
  });

  test('createToken asks the policies, except in 1.4.4, whose list names users', async () => {
    const create = async (given: MockConfig, user: string, names: readonly string[] = []) => {
      const mock = await createMock({
        authentication: { keys: { active: (await es256()).privatePem } },
        central: true,
        ...given,
      });
      return call(mock, 'POST', '/_integration/authn/v1/createToken', { user, groups: names });
    };
    const old = { ...config, groupBindings: [], platform: '1.4.4', fidelity: 'sidecar' } as const;
    expect((await create({ ...old, platform: 'recorded' }, 'alice')).status).toBe(403);
    expect((await create(old, 'alice')).status).toBe(200);
    const authentication = { keys: { active: (await es256()).privatePem }, token: { allowed: ['root', 'bob'] } };
    expect(await create({ ...old, authentication }, 'alice')).toMatchObject({
      status: 500,
      body: { code: 2, message: 'User alice is not allowed' },
    });
    expect((await create({ ...old, authentication }, 'bob')).status).toBe(200);
    for (const platform of ['recorded', 'next'] as const) {
      await expect(createMock({ ...old, platform, authentication })).rejects.toThrow('authentication.token.allowed');
    }
    await expect(createMock({ ...old, authentication: { token: { allowed: ['bob'] } } })).rejects.toThrow(
      'authentication.token.allowed: lacks authentication.token.user',
    );
  });

  test('in next any group that may create tokens passes the gate, and nothing checks the groups', async () => {
    const minting = { statements: [{ effect: 'Allow', actions: ['authentication:CreateToken'], resources: ['*'] }] };
    const mock = await createMock({
      ...config,
      fidelity: 'sidecar',
      central: true,
      authentication: { keys: { active: (await es256()).privatePem } },
      policies: { ...config.policies, minting } as MockConfig['policies'],
      roles: { ...config.roles, minter: { policies: ['minting'] } },
      groupBindings: [{ group: 'minters', role: 'minter', scope: everything }],
    });
    const create = (names: readonly string[]) =>
      call(mock, 'POST', '/_integration/authn/v1/createToken', { user: 'nobody', groups: names });
    expect((await create([])).status).toBe(403);
    expect(await create(['minters', 'admins'])).toMatchObject({ status: 200, body: { groups: ['minters', 'admins'] } });
  });
});
