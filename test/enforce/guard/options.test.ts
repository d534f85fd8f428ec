import { describe, expect, test, vi } from 'vitest';
import {
  createGuard,
  type GuardOptions,
  type GuardQuestion,
  type GuardSource,
} from '../../../src/enforce/guard/index.ts';
import { InvalidArgumentError } from '../../../src/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { clientOver } from '../../client/services/support.ts';
import { allow } from './outcomes.ts';

const { client } = clientOver(allow.answer);
const ask = { action: 'orders:read', resource: 'order:7' };
const bearer = { authorization: 'Bearer t' };

function refusalOf(make: () => unknown): InvalidArgumentError {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidArgumentError);
    return error as InvalidArgumentError;
  }
  return expect.fail('it was accepted');
}

test.each<[string, unknown]>([
  ['realm', 7],
  ['realm', ''],
  ['realm', 'a "quote"'],
  ['realm', 'back\\slash'],
  ['realm', 'line\r\nSet-Cookie: a=b'],
  ['realm', 'ü'],
  ['cookies', 'yes'],
  ['identify', 1],
  ['origins', 'https://shop.example.com'],
  ['origins[0]', ['https://shop.example.com/']],
  ['origins[1]', ['https://shop.example.com', 'https://shop.example.com/path']],
  ['origins[0]', ['shop.example.com']],
  ['origins[0]', ['ftp://shop.example.com']],
  ['origins[0]', ['null']],
  ['origins[0]', ['*']],
  ['origins[0]', ['https://*.example.com:99999']],
  ['cache', '5s'],
  ['cache.ttl', {}],
  ['cache.ttl', { ttl: 5 }],
  ['cache.ttl', { ttl: 'soon' }],
  ['cache.max', { ttl: '5s', max: 0 }],
  ['cache.max', { ttl: '5s', max: 1.5 }],
  ['cache.size', { ttl: '5s', size: 5 }],
  ['authenticate', 'verifyToken'],
  ['clock', 5],
  ['timeout', -1],
  ['timeout', '5s'],
  ['cookie', true],
])('options.%s: rejects %j by name', (field, value) => {
  const [name = ''] = field.split(/[.[]/);
  // The cast: a value that JavaScript callers may pass.
  const error = refusalOf(() => createGuard(client, { [name]: value } as GuardOptions));
  expect(error.field).toBe(field);
  expect(error.message).toMatch(/expected|accepted|empty/);
});

test('a cache needs crypto.subtle', () => {
  vi.stubGlobal('crypto', {});
  try {
    expect(refusalOf(() => createGuard(client, { cache: { ttl: '5s' } })).field).toBe('cache');
    createGuard(client);
  } finally {
    vi.unstubAllGlobals();
  }
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['an empty object', {}],
  ['a connection', { send: () => undefined }],
  ['an incomplete client', { authorization: client.authorization }],
  ['an evaluator without authenticate', createEvaluator()],
  ['text', 'http://localhost:8529'],
])('rejects %s as a source', (_name, source) => {
  const error = refusalOf(() => createGuard(source as GuardSource));
  expect(error.field).toBe('source');
  expect(error.message).toContain('authenticate');
});

describe('a malformed question of the service rejects for any caller', () => {
  const guard = createGuard(client);
  test.each<[string, unknown]>([
    ['question', undefined],
    ['action', { resource: 'a' }],
    ['action', { action: '', resource: 'a' }],
    ['action', { action: 5, resource: 'a' }],
    ['resource', { action: 'a:b' }],
    ['resource', { action: 'a:b', resource: 7 }],
    ['context', { ...ask, context: 'ip' }],
    ['resorce', { ...ask, resorce: 'a' }],
    ['token', { ...ask, token: 'canary' }],
    ['user', { ...ask, user: 'root' }],
  ])('%s: %j', async (field, question) => {
    for (const request of [bearer, {}]) {
      await expect(guard.check(request, question as GuardQuestion)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        field,
      });
      const many = guard.checkMany(request, [ask, question as GuardQuestion]);
      const expected = field === 'question' ? 'items[1]' : `items[1].${field}`;
      await expect(many).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: expected });
    }
  });

  test('rejects items that are not a list', async () => {
    const many = guard.checkMany(bearer, ask as unknown as GuardQuestion[]);
    await expect(many).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'items' });
  });
});

describe('an invalid resource that the caller made up', () => {
  const impossible = ['\ud800', 'a\udc00'].map((resource) => ({ ...ask, resource }));
  const says = (isValid: boolean) =>
    clientOver((one) =>
      one.path.endsWith('/validate')
        ? { isValid, details: { lifetime: '1s' } }
        : isValid
          ? allow.answer(one)
          : { code: 9 },
    );

  test.each(impossible)('is denied without asking the decider', async (question) => {
    const { client: one, sent } = says(true);
    expect((await createGuard(one).check(bearer, question)).status).toBe(403);
    expect(sent.map(({ path }) => path)).toEqual(['/_integration/authn/v1/validate']);
    expect((await createGuard(says(false).client).check(bearer, question)).status).toBe(401);
    expect((await createGuard(one).check({}, question)).status).toBe(401);
  });

  test('is not one of 5 000 characters, which is valid and sent to the service', async () => {
    const { client: one, sent } = clientOver(allow.answer);
    const resource = 'a'.repeat(5_000);
    expect((await createGuard(one).check(bearer, { ...ask, resource })).allowed).toBe(true);
    expect(sent.at(-1)?.body).toMatchObject({ resource });
  });

  test('does not affect the other items of a list', async () => {
    const { client: one, sent } = says(true);
    const [half = ask] = impossible;
    const access = await createGuard(one).checkMany(bearer, [half, ask, half]);
    expect(access.items?.map(({ allowed }) => allowed)).toEqual([false, true, false]);
    expect(access.allowed).toBe(false);
    expect(sent[0]?.body).toMatchObject({ items: [ask] });
  });
});

test('a list without items authenticates the token, and allows nothing', async () => {
  const { client: one, sent } = clientOver(allow.answer);
  expect(await createGuard(one).checkMany(bearer, [])).toMatchObject({ status: 200, allowed: false, items: [] });
  expect(sent).toHaveLength(1);
});
