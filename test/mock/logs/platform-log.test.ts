import { describe, expect, test } from 'vitest';
import { createMock, type Mock, type MockConfig, type PlatformLogOptions } from '../../../src/mock/index.js';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const permissive: MockConfig = {
  fidelity: 'sidecar',
  now: '2026-11-23T04:06:12Z',
  authorization: { type: 'central-permissive' },
  policies: { reading: { statements: [{ effect: 'Allow', actions: ['rbac:Get*'], resources: ['*'] }] } },
  roles: { viewer: { policies: ['reading', 'missing'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: everything }],
};

/** A mock with a log, and the lines of each request. */
async function logged(options: Omit<PlatformLogOptions, 'write'> = {}, config: MockConfig = permissive) {
  const mock = await createMock(config);
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const stop = await mock.platformLog({ ...options, write });
  const call = async (path: string, body?: object, user?: string | null, method = 'POST') => {
    const headers = user === undefined ? {} : { authorization: `bearer ${await mock.tokens.issue({ user })}` };
    lines.length = 0;
    const answer = await mock.fetch(`${mock.connection.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    await answer.text();
    return { status: answer.status, lines: lines.map((line) => line.trimEnd()) };
  };
  return { mock, lines, stop, call, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() };
}

const evaluate = '/_integration/authorization/v1/evaluate';
const question = { user: 'alice', action: 'orders:read', resource: 'order:7' };
const policies = '/_management/permissions/policy';

test('documented fidelity has no log of the platform', async () => {
  await using mock = await createMock();
  await expect(mock.platformLog({ write: () => undefined })).rejects.toThrow(
    'fidelity: expected "sidecar" for the log of the platform, got "documented"',
  );
});

test.each([
  [{}, 'write: expected a function'],
  [{ write: console.log, format: 'xml' }, 'format: expected one of pretty, json'],
  [{ write: console.log, level: 'trace' }, 'level: expected'],
])('invalid options %j are refused', async (options, message) => {
  await using mock = await createMock(permissive);
  await expect(mock.platformLog(options as PlatformLogOptions)).rejects.toThrow(message);
});

test('the log ends when it is stopped, and two logs are independent', async () => {
  await using log = await logged();
  const other: string[] = [];
  await log.mock.platformLog({ format: 'json', write: (line) => other.push(line) });
  log.stop();
  expect((await log.call(evaluate, question)).lines).toEqual([]);
  expect(other).toHaveLength(1);
});

test('a failure of write does not change the answer', async () => {
  await using mock = await createMock(permissive);
  await mock.platformLog({
    write: () => {
      throw new Error('disk full');
    },
  });
  await mock.platformLog({ write: () => Promise.reject(new Error('disk full')) });
  const answer = await mock.fetch(`${mock.connection.url}${evaluate}`, {
    method: 'POST',
    body: JSON.stringify(question),
  });
  expect(await answer.json()).toMatchObject({ effect: 'Allow' });
});

describe('lines that the source of the services adds to the recordings', () => {
  test('a denial of the management service is a line of its own, also under central', async () => {
    await using log = await logged({ format: 'json' }, { ...permissive, authorization: { type: 'central' } });
    expect(await log.call(`${policies}/reading`, undefined, 'alice', 'DELETE')).toEqual({
      status: 403,
      lines: [
        '{"level":"info","user":"alice","action":"rbac:DeletePolicy","resource":"reading",' +
          '"reason":"Permission denied","time":"2026-11-23T04:06:12Z","message":"Permission denied"}',
      ],
    });
    expect(await log.call(`${policies}/reading`, undefined, 'alice', 'GET')).toEqual({ status: 200, lines: [] });
  });

  test('missing policies of a role are not counted, and grants of the management service are of level debug', async () => {
    await using log = await logged({ level: 'debug' });
    const { lines } = await log.call(`${policies}/reading`, undefined, 'alice', 'GET');
    const asked = 'action=rbac:GetPolicy';
    expect(lines.map((line) => line.replace('2026-11-23T04:06:12Z ', ''))).toEqual([
      `DBG AUTHZ-EVAL-DIAG EvaluatePolicies ${asked} effect=Allow policies=1 resource=reading user=alice`,
      `DBG AUTHZ-EVAL-DIAG EvaluatePolicies ${asked} effect=Allow policies=1 resource=reading user=alice`,
      `DBG Permission granted ${asked} resource=reading user=alice`,
      `INF Access Granted ${asked} context=null method=Permissive.Evaluate resource=reading roles=[] user=alice`,
    ]);
  });

  test('an evaluation that fails is a warning', async () => {
    await using log = await logged({ level: 'warn' });
    expect((await log.call(evaluate, question)).lines).toEqual([]);
    log.mock.fail({ evaluation: true });
    expect((await log.call(evaluate, question)).lines).toEqual([
      '2026-11-23T04:06:12Z WRN Failed to evaluate permission error="evaluation failed" action=orders:read ' +
        'context=null method=Permissive.Evaluate resource=order:7 roles=[] user=alice',
    ]);
  });

  test('a context is JSON as Go writes it, with names in order and no other fields', async () => {
    await using log = await logged({ format: 'json' });
    const parameters = { zone: { values: [] }, ip: { values: ['<10.0.0.1>', '"'] } };
    const [line = ''] = (await log.call(evaluate, { ...question, context: { parameters, other: 1 } })).lines;
    expect(line).toContain(
      String.raw`"context":"{\"parameters\":{\"ip\":{\"values\":[\"\\u003c10.0.0.1\\u003e\",\"\\\"\"]},\"zone\":{}}}"`,
    );
  });

  test('a refused token of a batch is a step of level debug, and an empty batch has an answer', async () => {
    await using log = await logged({ level: 'debug' });
    const many = `${evaluate}-token-many`;
    await log.call(many, { token: 'x', items: [{ action: 'a:b', resource: 'c' }] });
    await expect.poll(() => log.lines.length).toBe(2);
    expect(log.lines.map((line) => line.slice(21).trimEnd())).toEqual([
      'DBG AUTHZ-EVAL-DIAG EvaluateTokenMany entry items=1 token_len=1',
      expect.stringMatching(/^DBG AUTHZ-EVAL-DIAG token reported invalid$/),
    ]);
    const token = await log.mock.tokens.issue({ user: 'alice' });
    const { lines } = await log.call(many, { token, items: null });
    expect(lines.map((line) => line.slice(21))).toEqual([
      `DBG AUTHZ-EVAL-DIAG EvaluateTokenMany entry items=0 token_len=${token.length}`,
      'DBG AUTHZ-EVAL-DIAG response effect=Deny user=alice',
    ]);
    expect((await log.call(many, { token: 7 })).lines).toEqual([]);
  });
});

test('each change of permissions is a line, with its user, once it is made', async () => {
  await using log = await logged({ format: 'json' }, { ...permissive, authorization: { type: 'central' } });
  const changes = async (...call: Parameters<typeof log.call>) =>
    (await log.call(...call)).lines.map((line) => /"message":"([^"]+)"\}$/.exec(line)?.[1]);
  const role = '/_management/permissions/role/editor';
  const binding = '/_management/permissions/user/bob/role/editor';
  const root = null;
  expect(await changes(role, { item: { policies: [] } }, root)).toEqual(['Role created']);
  expect(await changes(role, { item: { policies: [] } }, root)).toEqual([]);
  expect(await changes(binding, { scope: everything }, root)).toEqual(['User role assigned']);
  expect(await changes(binding, { scope: everything }, root, 'PUT')).toEqual(['User role scope replaced']);
  expect(await changes(role, undefined, root, 'DELETE')).toEqual(['Role deleted']);
  expect(await changes('/_management/permissions/validate', { action: 'a:b', resource: 'c' }, root)).toEqual([]);
  log.mock.fail({ path: '/policy/scripted', status: 200, body: {} });
  expect(await changes(`${policies}/scripted`, { item: everything }, root)).toEqual([]);
  expect((await log.call(`${policies}/made`, { item: everything }, root)).lines).toEqual([
    '{"level":"info","policy":"made","user":"","time":"2026-11-23T04:06:12Z","message":"Policy created"}',
  ]);
});

test('requests without a decision or a change are not in the platform log', async () => {
  await using log = await logged({ level: 'debug' });
  const mock: Mock = log.mock;
  mock.route('GET', '/_db/:db/orders', () => ({ status: 200, body: 'not JSON' }));
  expect((await log.call('/_db/shop/orders', undefined, 'alice', 'GET')).lines).toEqual([]);
  expect((await log.call('/_integration/authn/v1/createToken', { user: 'alice' })).lines).toEqual([]);
  expect((await log.call(evaluate, { user: 7 })).lines).toEqual([]);
});
