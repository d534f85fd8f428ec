import { describe, expect, it } from 'vitest';
import { createMock } from '../../../src/mock/index.js';

const credentials = { authorization: `Basic ${btoa('root:')}` };

describe('the database of the mock', () => {
  it('echoes the request without credentials', async () => {
    const mock = await createMock();
    const response = await mock.fetch('http://mock.test/_db/shop/_echo/a/b?x=1&y=%20', {
      method: 'POST',
      headers: { ...credentials, 'x-tenant': 'acme', 'content-type': 'application/json' },
      body: '{"deep":[1,{"a":null}]}',
    });
    expect(response.url).toBe('http://mock.test/_db/shop/_echo/a/b?x=1&y=%20');
    expect(await response.json()).toEqual({
      method: 'POST',
      path: '/_db/shop/_echo/a/b',
      query: 'x=1&y=%20',
      headers: { 'x-tenant': 'acme', 'content-type': 'application/json' },
      body: { deep: [1, { a: null }] },
    });
  });

  it('logs in and admits the token', async () => {
    const mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
    const login = await mock.fetch('http://mock.test/_db/_system/_open/auth', {
      method: 'POST',
      body: JSON.stringify({ username: 'alice', password: 'pw' }),
    });
    const { jwt } = (await login.json()) as { jwt: string };
    const version = await mock.fetch('http://mock.test/_api/version', { headers: { authorization: `bearer ${jwt}` } });
    expect(await version.json()).toMatchObject({ server: 'arango' });
    expect(mock.requests.map(({ user, status }) => [user, status])).toEqual([
      ['alice', 200],
      ['alice', 200],
    ]);
    expect(JSON.stringify(mock.requests)).not.toMatch(/pw"|eyJ/);
  });

  it.each<[string, number]>([
    ['{', 600],
    ['not JSON', 600],
    ['[]', 400],
    ['null', 400],
    ['5', 400],
    ['{"username": 5}', 400],
    ['{"username": "root", "password": ["x"]}', 400],
  ])('answers a login with the body %s in its own form', async (body, errorNum) => {
    const mock = await createMock();
    for (const path of ['/_open/auth', '/_db/x/_open/auth']) {
      const response = await mock.fetch(`http://mock.test${path}`, { method: 'POST', body });
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: true, code: 400, errorNum, errorMessage: expect.stringMatching(/JSON|expected/) },
      ]);
    }
  });

  it('requires credentials for escaped spellings of a path, too', async () => {
    const mock = await createMock();
    for (const path of ['/_db/x/_echo/y', '/%5Fdb/x/_echo/y', '/_d%62/x/_echo', '/%5fapi/version']) {
      expect([path, (await mock.fetch(`http://mock.test${path}`)).status]).toEqual([path, 401]);
    }
    const management = await mock.fetch('http://mock.test/%5Fmanagement/permissions/policy/a%2Fb');
    expect(await management.json()).toEqual({ code: 5, message: 'Not Found', details: [] });
    const wrong = await mock.fetch('http://mock.test/%5Fintegration/nothing');
    expect(await wrong.json()).toEqual({ code: 5, message: 'Not Found', details: [] });
    expect(() => mock.route('GET', '/%5Fintegration/x', () => ({}))).toThrow('served by the mock itself');
  });

  it('requires credentials below /_db and /_api in mode Native, but not in mode None', async () => {
    const mock = await createMock();
    for (const path of ['/_db/shop/_echo/a', '/_api/version', '/_db/shop/nothing', '/_db']) {
      const response = await mock.fetch(`http://mock.test${path}`);
      expect([path, response.status, await response.json()]).toEqual([
        path,
        401,
        { error: true, code: 401, errorNum: 11, errorMessage: 'not authorized to execute this request' },
      ]);
    }
    for (const authorization of [
      'bearer x',
      'basic !',
      'Basic',
      `basic ${btoa('root:wrong')}`,
      `basic ${btoa('nobody')}`,
    ]) {
      expect((await mock.fetch('http://mock.test/_api/version', { headers: { authorization } })).status).toBe(401);
    }
    const open = await createMock({ authentication: { mode: 'None' } });
    expect((await open.fetch('http://mock.test/_api/version')).status).toBe(200);
  });

  it('reports an unknown path in the form of the database', async () => {
    const mock = await createMock();
    const response = await mock.fetch('http://mock.test/nowhere');
    expect([response.status, await response.json()]).toEqual([
      404,
      {
        error: true,
        code: 404,
        errorNum: 404,
        errorMessage:
          "unknown path '/nowhere': this is a mock of services, not a database; add it by mock.route('GET', '/nowhere', () => ({ body: … }))",
      },
    ]);
  });

  it('serves the routes that a test adds, and refuses its own paths', async () => {
    const mock = await createMock();
    const undo = mock.route('GET', '/_db/:db/my-service/*', ({ params, query, user }) => ({
      status: 201,
      headers: { 'x-a': 'b' },
      body: { ...params, q: query.get('q'), user },
    }));
    const call = () => mock.fetch('http://mock.test/_db/my%20db%2F/my-service/a/b?q=1', { headers: credentials });
    const response = await call();
    expect([response.status, response.headers.get('x-a'), await response.json()]).toEqual([
      201,
      'b',
      { db: 'my db/', '*': 'a/b', q: '1', user: 'root' },
    ]);
    undo();
    expect((await call()).status).toBe(404);
    for (const path of [
      '/_integration/x',
      '/_management/permissions/role',
      '/_login',
      '/_open/auth',
      '/_db/:db/_echo/x',
    ]) {
      expect(() => mock.route('GET', path, () => ({}))).toThrow(/served by the mock itself/);
    }
    expect(() => mock.route('GET', 'x', () => ({}))).toThrow(/starts with/);
  });
});
