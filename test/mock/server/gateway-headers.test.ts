import { describe, expect, test } from 'vitest';
import { createMock, type MockConfig } from '../../../src/mock/index.js';

const policies = '/_management/permissions/policy';
const evaluate = '/_integration/authorization/v1/evaluate';
const form = 'application/x-www-form-urlencoded';

async function send(path: string, { config, ...init }: RequestInit & { config?: MockConfig } = {}) {
  const mock = await createMock({ fidelity: 'sidecar', ...config });
  const token = await mock.tokens.issue({ user: null });
  const response = await mock.fetch(`http://mock.test${path}`, {
    ...init,
    headers: { authorization: `bearer ${token}`, ...init.headers },
  });
  return { status: response.status, message: ((await response.json()) as { message?: string }).message };
}

describe('grpc-timeout', () => {
  test.each(['1x', 'S', '1', '1.5S', '1 S', 'S1', '99999999999999999999S'])('%j is 400', async (timeout) => {
    const answer = { status: 400, message: `invalid grpc-timeout: ${timeout}` };
    expect(await send(policies, { headers: { 'grpc-timeout': timeout } })).toEqual(answer);
    // Before the token is checked.
    expect(await send(policies, { headers: { 'grpc-timeout': timeout, authorization: '' } })).toEqual(answer);
  });

  test.each(['1S', '0S', '', '+1S', '1H', '1m'])('%j leaves time', async (timeout) => {
    expect(await send(policies, { headers: { 'grpc-timeout': timeout } })).toMatchObject({ status: 200 });
  });

  test.each(['-1S', '-0001n', '1n', '999u'])('%j is over', async (timeout) => {
    const headers = { 'grpc-timeout': timeout };
    const late = { status: 504, message: 'context deadline exceeded' };
    expect(await send(policies, { headers })).toEqual(late);
    const body = JSON.stringify({ user: 'alice', action: 'a:b', resource: 'c' });
    expect(await send(evaluate, { method: 'POST', body, headers })).toEqual(late);
    const credentials = JSON.stringify({ credentials: { username: 'root', password: '' } });
    expect(await send('/_login', { method: 'POST', body: credentials, headers })).toMatchObject({ status: 500 });
    expect(await send('/_identity', { headers })).toMatchObject({ status: 200 });
  });

  test('is ignored in documented fidelity', async () => {
    const config = { fidelity: 'documented' } as const;
    expect(await send(policies, { config, headers: { 'grpc-timeout': '1x' } })).toMatchObject({ status: 200 });
  });
});

describe('a form in a POST', () => {
  test('takes its method from X-HTTP-Method-Override', async () => {
    const headers = { 'content-type': form, 'x-http-method-override': 'delete' };
    const config = { policies: { p: { statements: [] } } };
    expect(await send(`${policies}/p`, { config, method: 'POST', headers })).toMatchObject({ status: 200 });
    expect(await send(`${policies}/q`, { config, method: 'POST', headers })).toEqual({
      status: 404,
      message: 'Policy not found',
    });
  });

  test('reaches a path that accepts GET but not POST', async () => {
    const headers = { 'content-type': form };
    expect(await send(policies, { method: 'POST', body: 'page=1', headers })).toMatchObject({ status: 200 });
    expect(await send(policies, { method: 'POST', headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 501,
    });
  });

  test('loses its body and is checked for semicolons if X-HTTP-Method-Override is set', async () => {
    const headers = { 'content-type': form, 'x-http-method-override': 'POST' };
    const body = JSON.stringify({ user: 'alice', action: 'a:b', resource: 'c' });
    // Without a body there is no user, which is the superuser.
    expect(await send(evaluate, { method: 'POST', body, headers })).toEqual({
      status: 200,
      message: 'Superuser Allowed',
    });
    for (const [path, text] of [
      [evaluate, 'a;b'],
      [`${evaluate}?;`, ''],
    ] as const) {
      expect(await send(path, { method: 'POST', body: text, headers })).toEqual({
        status: 400,
        message: 'invalid semicolon separator in query',
      });
    }
  });

  test('stays a POST with another content type', async () => {
    const headers = { 'content-type': `${form}; charset=utf-8`, 'x-http-method-override': 'DELETE' };
    expect(await send(evaluate, { method: 'POST', headers })).toMatchObject({ status: 200 });
  });
});

test('an effect beyond 32 bits is 400', async () => {
  const create = (effect: number) =>
    send(`${policies}/p`, {
      method: 'POST',
      body: JSON.stringify({ item: { statements: [{ effect, actions: ['a:b'], resources: ['c'] }] } }),
    });
  expect((await create(2 ** 31)).status).toBe(400);
  expect((await create(-(2 ** 31) - 1)).status).toBe(400);
  expect((await create(2 ** 31 - 1)).status).toBe(500);
  expect((await create(1)).status).toBe(200);
});

test.each(['Native', 'SSO'] as const)(
  'a cookie authenticates nothing without cookiesSupport, mode %s',
  async (mode) => {
    for (const cookiesSupport of [true, false]) {
      const mock = await createMock({ authentication: { mode }, gateway: { cookiesSupport } });
      const token = await mock.tokens.issue({ user: 'root' });
      const headers = { cookie: `X-ArangoDB-Token-JWT=${token}` };
      const { status } = await mock.fetch('http://mock.test/_api/version', { headers, redirect: 'manual' });
      expect(status === 200).toBe(cookiesSupport);
    }
  },
);
