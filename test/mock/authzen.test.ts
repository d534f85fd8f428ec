import { expect, test } from 'vitest';
import { listen } from '../../src/console/mock/node.ts';
import { createPdpClient } from '../../src/enforce/authzen/index.ts';
import { credentials } from '../../src/index.ts';
import { createMock, type MockConfig } from '../../src/mock/index.ts';

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const config: MockConfig = {
  authzen: true,
  policies: { readers: { statements: [{ effect: 'Allow', actions: ['book:read'], resources: ['book:*'] }] } },
  roles: { reader: { policies: ['readers'] } },
  bindings: [{ user: 'ann', role: 'reader', scope: everywhere }],
};
const question = { user: 'ann', action: 'book:read', resource: 'book:7' };
const body = { subject: { type: 'user', id: 'ann' }, action: { name: 'read' }, resource: { type: 'book', id: '7' } };

test('answers a client of PDPs, in memory and on a port, for any valid token', async () => {
  await using mock = await createMock(config);
  await using server = await listen(mock);
  for (const connection of [mock.connection, server.connection]) {
    const token = await mock.tokens.issue({ user: 'eve' });
    const client = createPdpClient({ ...connection, credentials: credentials.bearer(token) });
    expect((await client.evaluate(question)).allowed).toBe(true);
    const items = [question, { ...question, action: 'book:write' }].map(({ user: _, ...item }) => item);
    expect((await client.evaluateMany({ user: 'ann', items })).items.map(({ allowed }) => allowed)).toEqual([
      true,
      false,
    ]);
  }
  const metadata = await (await fetch(`${server.url}/.well-known/authzen-configuration`)).json();
  expect(metadata).toMatchObject({ policy_decision_point: server.url });
  expect(metadata).not.toHaveProperty('search_resource_endpoint');
  expect(mock.requests.find({ path: '/access/v1/evaluation' })).toMatchObject({
    status: 200,
    decision: 'Allow',
    user: 'ann',
  });
});

async function post(mock: Awaited<ReturnType<typeof createMock>>, path: string, sent: unknown, token?: string) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return mock.fetch(`${mock.connection.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify(sent),
  });
}

test('a missing or forged token is a 401; without authentication no token is needed', async () => {
  await using mock = await createMock(config);
  const forged = await mock.tokens.forge({ user: 'ann', wrongKey: true });
  for (const token of [undefined, forged, 'x']) {
    const answer = await post(mock, '/access/v1/evaluation', body, token);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  }
  await using open = await createMock({ ...config, authentication: { mode: 'None' } });
  expect(await (await post(open, '/access/v1/evaluation', body)).json()).toEqual({ decision: true });
});

test('searches list users and actions of the state', async () => {
  await using mock = await createMock(config);
  const token = await mock.tokens.issue({ user: 'eve' });
  const search = async (kind: string) => (await post(mock, `/access/v1/search/${kind}`, body, token)).json();
  expect(await search('subject')).toEqual({ results: [{ type: 'user', id: 'ann' }] });
  expect(await search('action')).toEqual({ results: [{ name: 'read' }] });
  expect((await post(mock, '/access/v1/search/resource', body, token)).status).toBe(404);
  // A search is one request in the log, and no decision about a user.
  expect(mock.requests.find({ path: '/access/v1/search/subject' })).not.toHaveProperty('decision', 'Allow');
});

test.each([
  ['always', true],
  ['never', false],
] as const)('the authorization type %s counts', async (type, decision) => {
  await using mock = await createMock({ ...config, authorization: { type } });
  const token = await mock.tokens.issue();
  const other = { ...body, subject: { type: 'user', id: 'zoe' } };
  expect(await (await post(mock, '/access/v1/evaluation', other, token)).json()).toEqual({ decision });
});

test('an evaluation that fails is a 500, and a scripted status comes first', async () => {
  await using mock = await createMock(config);
  const token = await mock.tokens.issue();
  mock.fail({ path: '/access/v1/evaluation', status: 503 });
  expect((await post(mock, '/access/v1/evaluation', body, token)).status).toBe(503);
  expect((await post(mock, '/access/v1/evaluation', body, token)).status).toBe(200);
});

test('without the option authzen a mock has no path of a PDP', async () => {
  await using mock = await createMock({ ...config, authzen: false });
  expect((await post(mock, '/access/v1/evaluation', body, await mock.tokens.issue())).status).toBe(404);
  expect((await mock.fetch(`${mock.connection.url}/.well-known/authzen-configuration`)).status).toBe(404);
});

test('in mode SSO the metadata is open, and a caller without a token gets a 401, no redirect', async () => {
  await using mock = await createMock({ ...config, authentication: { mode: 'SSO' } });
  const token = credentials.bearer(await mock.tokens.issue({ user: 'eve' }));
  const client = createPdpClient({ ...mock.connection, credentials: token });
  expect((await client.evaluate(question)).allowed).toBe(true);
  expect((await post(mock, '/access/v1/evaluation', body)).status).toBe(401);
});
