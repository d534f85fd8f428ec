import { expect, test } from 'vitest';
import { type Credentials, createClient, credentials } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { readCaller } from '../../src/permissions/index.ts';
import { everything } from '../support/calls.ts';

const granting = (action: string) => ({
  statements: [{ effect: 'Allow' as const, actions: [action], resources: ['*'] }],
});

async function open() {
  const mock = await createMock({
    users: [{ name: 'ann', password: 'secret-of-ann' }],
    policies: { list: granting('rbac:ListUserRoleBinding') },
    roles: { lister: { policies: ['list'] } },
    bindings: [{ user: 'ann', role: 'lister', scope: everything }],
  });
  const as = (own?: Credentials) => readCaller(createClient({ ...mock.connection, credentials: own }));
  const pathsOf = () => mock.requests.map(({ path }) => path.split('/').slice(2).join('/'));
  return { mock, as, pathsOf };
}

const listed = [expect.objectContaining({ user: 'ann', role: 'lister' })];

test('user and groups are those of the claims of the token', async () => {
  const { mock, as, pathsOf } = await open();
  const token = await mock.tokens.issue({ user: 'ann', groups: ['shop'] });
  expect(await as(credentials.bearer(token))).toEqual({ user: 'ann', groups: ['shop'], bindings: listed });
  expect(await as(credentials.bearer(async () => token))).toMatchObject({ user: 'ann', bindings: listed });
  // The mock's platform has no bindings of groups.
  const asked = ['permissions/user/ann/role', 'permissions/group/shop/role'];
  expect(pathsOf()).toEqual([...asked, ...asked]);
});

test('credentials that have no token yet obtain one', async () => {
  const { as } = await open();
  const own = credentials.login({ username: 'ann', password: 'secret-of-ann' });
  expect(await as(own)).toEqual({ user: 'ann', groups: [], bindings: listed });
});

test('the superuser has neither user nor bindings, and is asked nothing', async () => {
  const { mock, as, pathsOf } = await open();
  const token = await mock.tokens.issue({ user: null });
  expect(await as(credentials.bearer(token))).toEqual({ user: undefined, groups: [], bindings: [] });
  expect(pathsOf()).toEqual([]);
});

test.each([
  ['ann', { user: 'ann', groups: [] }],
  // May stand for a token without a user.
  ['root', { unknown: 'the owner of its token cannot be read' }],
  ['', { unknown: 'the owner of its token cannot be read' }],
])('an opaque token is the one of the user that the service names: %j', async (user, caller) => {
  const { mock } = await open();
  const token = await mock.tokens.issue({ user: 'ann' });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (String(input).endsWith('/identity')) return Response.json({ user });
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return mock.connection.fetch(input, { ...init, headers });
  };
  const client = createClient({ ...mock.connection, fetch, credentials: credentials.bearer('opaque') });
  expect(await readCaller(client)).toMatchObject(caller);
});

test('a missing permission, an invalid token and a client without credentials are reasons; other failures are thrown', async () => {
  const { mock, as } = await open();
  const bob = credentials.bearer(await mock.tokens.issue({ user: 'bob' }));
  expect(await as(bob)).toMatchObject({ unknown: 'the token has no rbac:ListUserRoleBinding on "bob"' });
  expect(await as(credentials.bearer('opaque'))).toMatchObject({ unknown: 'the services answered 401' });
  expect(await as()).toMatchObject({ unknown: 'the services answered 401' });
  const fetch = () => Promise.reject(new TypeError('connection refused'));
  const away = createClient({ ...mock.connection, fetch, credentials: bob, retry: 0 });
  await expect(readCaller(away)).rejects.toMatchObject({ code: 'NETWORK' });
});
