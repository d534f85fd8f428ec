import { Database } from 'arangojs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createMock } from '../../../src/mock/index.ts';

/** A mock with alice, and its calls with an `Authorization` header. */
async function createDatabase(options: Parameters<typeof createMock>[0] = {}) {
  const mock = await createMock({
    now: '2026-11-27T00:00:00Z',
    users: [{ name: 'alice', password: 'pw' }],
    ...options,
  });
  const ask = async (method: string, path: string, authorization?: string) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await mock.fetch(`http://mock.test${path}`, { method, headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { mock, ask };
}

const basic = `Basic ${btoa('alice:pw')}`;
const notFound = { status: 404, body: { error: true, code: 404, errorNum: 1703, errorMessage: 'user not found' } };

describe('POST /_open/auth/renew', () => {
  test.each(['/_open/auth/renew', '/_db/shop/_open/auth/renew'])('%s renews the token of a user', async (path) => {
    const { mock, ask } = await createDatabase();
    const old = await mock.tokens.issue({ user: 'alice', groups: ['reader'], lifetime: '10m' });
    mock.clock.advance('1m');
    const { status, body } = await ask('POST', path, `bearer ${old}`);
    expect(status).toBe(200);
    expect(body.jwt).not.toBe(old);
    expect(await ask('GET', '/_api/user/alice', `Bearer ${body.jwt}`)).toMatchObject({ status: 200 });
    expect(mock.requests[0]?.user).toBe('alice');
  });

  test('answers 404 to Basic, a superuser, an anonymous caller and tokens that are not valid', async () => {
    const { mock, ask } = await createDatabase();
    const revoked = await mock.tokens.issue({ user: 'alice' });
    mock.tokens.revoke(revoked);
    const authorizations = [
      undefined,
      basic,
      'Basic !',
      `Bearer ${await mock.tokens.issue({ user: null })}`,
      `Bearer ${revoked}`,
      `Bearer ${await mock.tokens.forge({ user: 'alice', expired: true })}`,
      'Bearer x',
    ];
    for (const authorization of authorizations) {
      expect([authorization, await ask('POST', '/_open/auth/renew', authorization)]).toEqual([authorization, notFound]);
    }
    const open = await createDatabase({ authentication: { mode: 'None' } });
    expect(await open.ask('POST', '/_open/auth/renew', 'Bearer x')).toEqual(notFound);
  });
});

describe('first requests of drivers', () => {
  test('the databases are listed in _system only', async () => {
    const { ask } = await createDatabase();
    const system = { status: 200, body: { error: false, code: 200, result: ['_system'] } };
    expect(await ask('GET', '/_api/database', basic)).toEqual(system);
    expect(await ask('GET', '/_db/_system/_api/database', basic)).toEqual(system);
    expect(await ask('GET', '/_db/shop/_api/database', basic)).toMatchObject({ status: 403, body: { errorNum: 1230 } });
    expect(await ask('GET', '/_api/database')).toMatchObject({ status: 401 });
  });

  test('users get their own account, and no other', async () => {
    const { ask } = await createDatabase({
      users: [
        { name: 'a b', password: 'pw' },
        { name: 'alice', password: 'pw' },
      ],
    });
    const own = { user: 'alice', active: true, extra: {}, error: false, code: 200 };
    for (const path of ['/_api/user/alice', '/_db/shop/_api/user/alice'])
      expect(await ask('GET', path, basic)).toEqual({ status: 200, body: own });
    expect((await ask('GET', '/_api/user/a%20b', `Basic ${btoa('a b:pw')}`)).body.user).toBe('a b');
    for (const path of ['/_api/user/root', '/_api/user/nobody'])
      expect(await ask('GET', path, basic)).toMatchObject({ status: 403, body: { errorNum: 403 } });
    expect(await ask('GET', '/_api/user/alice')).toMatchObject({ status: 401 });
  });

  test('arangojs gets answers', async () => {
    const { mock } = await createDatabase();
    const server = await listen(mock);
    onTestFinished(() => server.close());
    const db = new Database({ url: server.url });
    onTestFinished(() => db.close());
    await db.login('alice', 'pw');
    mock.clock.advance('1m');
    expect(await db.renewAuthToken()).toMatch(/^eyJ/);
    expect(await db.version()).toMatchObject({ server: 'arango' });
    expect(await db.listDatabases()).toEqual(['_system']);
    expect(await db.listUserDatabases()).toEqual(['_system']);
    expect(await db.database('shop').get()).toMatchObject({ name: 'shop' });
    expect(await db.getUser('alice')).toMatchObject({ user: 'alice', active: true });
    await expect(db.database('shop').listDatabases()).rejects.toMatchObject({ code: 403, errorNum: 1230 });
    await expect(db.collection('orders').count()).rejects.toMatchObject({ code: 404 });
  });
});

test.each([
  ['GET', '/_db/shop/_api/cursor/7', '/_db/:db/_api/cursor/7'],
  ['POST', '/_api/cursor', '/_api/cursor'],
  ['PUT', '/_db/my%20db/_api/document/orders/a', '/_db/:db/_api/document/orders/a'],
  ['DELETE', '/_admin/x', '/_admin/x'],
  ['GET', '/nowhere', '/nowhere'],
  ['GET', "/_db/shop/it's", "/_db/:db/it\\'s"],
  ['GET', '/_db/shop/a%20b/%E6%97%A5', '/_db/:db/a b/日'],
  ['GET', '/_db/shop/a%2Fb/c*d/%2A', '/_db/:db/:name/:name/:name'],
])('a 404 says how mock.route adds the path: %s %s', async (method, path, pattern) => {
  const { mock, ask } = await createDatabase();
  const { status, body } = await ask(method, path, basic);
  expect(status).toBe(404);
  expect(body.errorMessage).toContain(`mock.route('${method}', '${pattern}', () => ({ body: … }))`);
  mock.route(method, pattern.replaceAll('\\', ''), () => ({ body: { filled: true } }));
  expect(await ask(method, path, basic)).toEqual({ status: 200, body: { filled: true } });
});

test('a 405 says how mock.route adds the method, too, unless the mock serves the path itself', async () => {
  const { mock, ask } = await createDatabase();
  const said = `method not supported; add it by mock.route('POST', '/_api/database', () => ({ body: … }))`;
  expect(await ask('POST', '/_api/database', basic)).toMatchObject({ status: 405, body: { errorMessage: said } });
  mock.route('POST', '/_api/database', () => ({ status: 201, body: { result: true } }));
  expect(await ask('POST', '/_api/database', basic)).toEqual({ status: 201, body: { result: true } });
  const own = await ask('GET', '/_open/auth/renew', basic);
  expect(own).toMatchObject({ status: 405, body: { errorMessage: 'method not supported' } });
});
