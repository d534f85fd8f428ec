import { Database } from 'arangojs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { start } from './port-support.ts';

/** The database's own driver, an independent client that knows nothing of this package. */
async function connect(auth?: { username: string; password: string }) {
  const { mock, server } = await start({}, { users: [{ name: 'alice', password: 'pw' }] });
  const db = new Database({ url: server.url, databaseName: 'shop', ...(auth === undefined ? {} : { auth }) });
  onTestFinished(() => db.close());
  return { mock, server, db };
}

describe('arangojs against the port', () => {
  test('logs in and asks for the version', async () => {
    const { mock, db } = await connect({ username: 'alice', password: 'wrong' });
    await expect(db.version()).rejects.toMatchObject({ code: 401, errorNum: 11 });
    expect(await db.login('alice', 'pw')).toMatch(/^eyJ/);
    expect(await db.version()).toMatchObject({ server: 'arango', license: 'community' });
    expect(mock.requests.at(-1)).toMatchObject({ path: '/_db/shop/_api/version', user: 'alice', status: 200 });
  });

  test('a wrong password is an error of the database', async () => {
    const { db } = await connect();
    await expect(db.login('alice', 'wrong')).rejects.toMatchObject({ code: 401 });
  });

  test('basic credentials are accepted', async () => {
    const { db } = await connect({ username: 'alice', password: 'pw' });
    expect(await db.version()).toMatchObject({ server: 'arango' });
  });

  test('echoes path, query, headers and body of its routes', async () => {
    const { db } = await connect();
    await db.login('alice', 'pw');
    const { parsedBody } = await db
      .route('_echo/orders', { 'x-tenant': 'acme' })
      .post('open', { item: 'Käse' }, { limit: '5' });
    expect(parsedBody).toMatchObject({
      method: 'POST',
      path: '/_db/shop/_echo/orders/open',
      query: 'limit=5',
      headers: { 'x-tenant': 'acme' },
      body: { item: 'Käse' },
    });
    expect(JSON.stringify(parsedBody)).not.toContain('authorization');
  });

  test('reads the error of an unknown path', async () => {
    const { db } = await connect({ username: 'alice', password: 'pw' });
    await expect(db.route('nowhere').get()).rejects.toMatchObject({ code: 404, errorNum: 404 });
  });

  test('lists databases and no collections, and renews its token', async () => {
    const { db } = await connect();
    await db.login('alice', 'pw');
    expect(await db.get()).toMatchObject({ name: 'shop', isSystem: false });
    expect(await db.listUserDatabases()).toEqual(['_system']);
    expect(await db.listCollections()).toEqual([]);
    expect(await db.version(true)).toMatchObject({ version: '3.12.5', details: { mode: 'server' } });
    expect(await db.renewAuthToken()).toMatch(/^eyJ/);
    await expect(db.collection('orders').get()).rejects.toMatchObject({ code: 404, message: /this is a mock/ });
  });

  test('accepts its renewed token, but not an expired one', async () => {
    const { mock, db } = await connect();
    await db.login('alice', 'pw');
    mock.clock.advance('2h');
    await expect(db.version()).rejects.toMatchObject({ code: 401 });
    await db.login('alice', 'pw');
    expect(await db.version()).toMatchObject({ server: 'arango' });
  });

  test('manages policies, roles and bindings, which change decisions', async () => {
    const { mock, server } = await start({}, {});
    const db = new Database({ url: server.url });
    onTestFinished(() => db.close());
    // A token with neither user nor groups is the superuser's.
    db.useBearerAuth(await mock.tokens.issue({ user: null }));
    // The driver's routes are below a database, but the management API is not; only this path leads out of it.
    const management = db.route('../../_management/permissions');
    const call = async (method: string, pathname: string, body?: unknown): Promise<unknown> =>
      (await management.request({ method, pathname, body })).parsedBody;
    const evaluate = async (): Promise<unknown> => {
      const body = { user: 'alice', roles: [], action: 'orders:read', resource: 'orders' };
      return (await db.route('../../_integration/authorization/v1').post('evaluate', body)).parsedBody;
    };
    const rules = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] };
    expect(await call('POST', 'policy/read-only', { item: rules })).toMatchObject({ index: 1 });
    await call('POST', 'role/viewer', { item: { policies: ['read-only'] } });
    await call('POST', 'user/alice/role/viewer', { scope: rules });
    expect(await call('GET', 'policy')).toMatchObject({ names: ['read-only'] });
    expect(await evaluate()).toMatchObject({ effect: 'Allow' });
    await call('DELETE', 'user/alice/role/viewer');
    expect(await evaluate()).toMatchObject({ effect: 'Deny' });
    await expect(call('GET', 'policy/missing')).rejects.toMatchObject({ code: 404 });
  });
});
