import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver } from './support.ts';

const ask = { user: 'u', action: 'a:b', resource: 'c' };
type Call = (client: Client) => Promise<unknown>;
const validate: Call = ({ authentication }) => authentication.validate('t');
const createToken: Call = ({ authentication }) => authentication.createToken();
const evaluate: Call = ({ authorization }) => authorization.evaluate(ask);
const many: Call = ({ authorization }) =>
  authorization.evaluateMany({ user: 'u', items: [ask, ask].map(({ action, resource }) => ({ action, resource })) });
const getPolicy: Call = ({ authorization }) => authorization.policies.get('p');
const details = { lifetime: '1s', groups: [] };

describe('a wrong shape is a SchemaError with the path', () => {
  test.each<[Call, unknown, string]>([
    [validate, {}, 'isValid'],
    [validate, { isValid: 'true' }, 'isValid'],
    [validate, { isValid: true, details: null }, 'details'],
    [validate, { isValid: true, details: 'x' }, 'details'],
    [validate, { isValid: true, details: { ...details, lifetime: 3600 } }, 'details.lifetime'],
    [validate, { isValid: true, details: { ...details, lifetime: 'soon' } }, 'details.lifetime'],
    [validate, { isValid: true, details: { ...details, user: 5 } }, 'details.user'],
    [validate, { isValid: true, details: { ...details, groups: 'a' } }, 'details.groups'],
    [validate, { isValid: false, message: {} }, 'message'],
    [validate, [], ''],
    [validate, null, ''],
    [validate, '"text"', ''],
    [createToken, { lifetime: '1h' }, 'token'],
    [createToken, { token: 't' }, 'lifetime'],
    [createToken, { token: 5, lifetime: '1h' }, 'token'],
    [createToken, { token: 't', lifetime: '1h', groups: [1] }, 'groups.0'],
    [({ authentication }) => authentication.login({ username: 'u', password: 'p' }), { token: '' }, 'token'],
    [({ authentication }) => authentication.identity(), { user: null }, 'user'],
    [({ authentication }) => authentication.keys(), { keys: [5] }, 'keys.0'],
    [evaluate, [], ''],
    [evaluate, { effect: 'Allow', message: 5 }, 'message'],
    [many, { effect: 'Allow', items: {} }, 'items'],
    [many, { effect: 'Allow', items: [{ effect: 'Allow' }] }, 'items'],
    [many, { effect: 'Allow', items: [{ effect: 'Allow' }, 5] }, 'items.1'],
    [getPolicy, { name: 'p', index: 1, item: null }, 'item'],
    [getPolicy, { name: 'p', index: '1', item: {} }, 'index'],
    [getPolicy, { name: 'p', index: 1, item: { statements: [{}, { actions: 'x' }] } }, 'item.statements.1.actions'],
    [({ authorization }) => authorization.policies.list().next(), { names: 'x' }, 'names'],
    [({ authorization }) => authorization.bindings.list('u'), { bindings: [{ scope: null }] }, 'bindings.0.role'],
  ])('%s %j', async (call, body, path) => {
    const { client } = clientOver(() => body);
    const error = await failureOf(call(client));
    expect(error.code).toBe('SCHEMA');
    const [issue] = error.issues as { path: PropertyKey[]; message: string }[];
    expect(issue?.path.join('.')).toBe(path);
    expect(issue?.message).toMatch(/^(expected .*[^,]+$|must not be empty$)/);
    expect(issue?.message).not.toMatch(/, got /);
  });

  test('an empty response is a SchemaError, an invalid JSON one a ParseError', async () => {
    const empty = clientOver(() => new Response(null, { status: 204 }));
    expect((await failureOf(evaluate(empty.client))).code).toBe('SCHEMA');
    const html = clientOver(() => new Response('<html>', { headers: { 'content-type': 'text/html' } }));
    expect((await failureOf(evaluate(html.client))).code).toBe('PARSE');
  });
});

describe('responses', () => {
  test('may use snake_case, and omit zero values', async () => {
    const { client } = clientOver(({ path }) =>
      path.endsWith('/validate')
        ? { is_valid: true, details: { lifetime: '1.5s' } }
        : { name: 'p', index: 1, item: {} },
    );
    expect(await validate(client)).toEqual({ valid: true, superuser: true, groups: [], lifetimeMs: 1_500 });
    const item = { statements: [], description: '' };
    expect(await getPolicy(client)).toEqual({ name: 'p', index: 1, item, revision: expect.any(String) });
  });

  test.each([
    {},
    { effect: null },
    { effect: 'allow' },
    { effect: 1 },
    { effect: 'Maybe' },
    { effect: true },
    { effect: ['Allow'] },
  ])('the effect of %j is Deny', async (body) => {
    const { client } = clientOver(() => body);
    expect(await client.authorization.evaluate(ask)).toEqual({ effect: 'Deny', allowed: false, message: '' });
    expect(await client.authorization.isAllowed(ask)).toBe(false);
    expect((await failureOf(client.authorization.assertAllowed(ask))).code).toBe('PERMISSION_DENIED');
  });

  test('a name of Object.prototype is not a field', async () => {
    const { client } = clientOver(
      () => new Response('{"__proto__": {"effect": "Allow"}}', { headers: { 'content-type': 'application/json' } }),
    );
    expect(await client.authorization.isAllowed(ask)).toBe(false);
  });

  test('a total that contradicts its items is a Deny', async () => {
    const { client } = clientOver(() => ({ effect: 'Allow', items: [{ effect: 'Allow' }, { effect: 'Deny' }] }));
    expect(await many(client)).toMatchObject({ effect: 'Deny', allowed: false });
  });

  test('expiresAt is the exp of the token; without one it is now plus the lifetime', async () => {
    const token = `x.${btoa(JSON.stringify({ iat: 1_000, exp: 4_600 }))}.x`;
    const { client } = clientOver(({ body }) => ({
      token: (body as { user: string }).user === 'jwt' ? token : 'opaque',
      lifetime: '60s',
    }));
    expect((await client.authentication.createToken({ user: 'jwt' })).expiresAt).toEqual(new Date(4_600_000));
    const before = Date.now();
    const { expiresAt } = await client.authentication.createToken({ user: 'other' });
    expect(expiresAt.getTime() - before).toBeGreaterThanOrEqual(60_000);
    expect(expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60_000);
  });

  test('a failed call is never a decision', async () => {
    for (const status of [400, 401, 403, 404, 500, 503]) {
      const { client } = clientOver(() => new Response('{"code":2}', { status }));
      expect((await failureOf(client.authorization.isAllowed(ask))).status).toBe(status);
      expect((await failureOf(client.authorization.assertAllowed(ask))).code).toBe('HTTP');
    }
  });
});

describe('retries', () => {
  const once = () => {
    const seen = new Set<string>();
    return ({ path }: { path: string }) => {
      if (seen.has(path))
        return {
          effect: 'Allow',
          isValid: false,
          names: [],
          items: [{}, {}],
          token: 't',
          lifetime: '1s',
          name: 'p',
          index: 1,
          item: {},
        };
      seen.add(path);
      return new Response('{"code":14}', { status: 503, headers: { 'retry-after': '0' } });
    };
  };

  test.each<[string, Call]>([
    ['evaluate', evaluate],
    ['evaluateMany', many],
    ['validate', validate],
    ['get', getPolicy],
    ['list', ({ authorization }) => authorization.policies.list().next()],
    ['checkSelf', ({ authorization }) => authorization.checkSelf({ action: 'a:b', resource: '' })],
  ])('%s reads, so it is retried', async (_name, call) => {
    const { client, sent } = clientOver(once(), { retry: 1 });
    await call(client);
    expect(sent).toHaveLength(2);
  });

  test.each<[string, Call]>([
    ['createToken', createToken],
    ['login', ({ authentication }) => authentication.login({ username: 'u', password: 'p' })],
    ['create', ({ authorization }) => authorization.policies.create('p', { statements: [] })],
    ['refresh', ({ authorization }) => authorization.refresh()],
  ])('%s is not retried', async (_name, call) => {
    const { client, sent } = clientOver(once(), { retry: 1 });
    expect((await failureOf(call(client))).status).toBe(503);
    expect(sent).toHaveLength(1);
  });
});
