import { afterEach, describe, expect, test } from 'vitest';
import { type Authenticate, createGuard, type GuardSource } from '../../../src/enforce/guard/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { clientOver } from '../../client/services/support.ts';
import { allow } from './outcomes.ts';

const bearer = { authorization: 'Bearer t' };
const read = { action: 'orders:read', resource: 'order:7' };
const prototype = Object.prototype as unknown as Record<string, unknown>;
const added: string[] = [];

/** Writes to the prototype of every object until the end of the test. */
function pollute(name: string, value: unknown): void {
  added.push(name);
  Object.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false });
}

afterEach(() => {
  for (const name of added.splice(0)) delete prototype[name];
});

/** A decider that returns the given decisions. */
const deciding = (said: unknown): GuardSource =>
  ({ evaluate: () => said, evaluateMany: () => ({ items: [said] }) }) as unknown as GuardSource;

async function statuses(source: GuardSource, authenticate: unknown): Promise<readonly unknown[]> {
  const guard = createGuard(source, { authenticate: (async () => authenticate) as Authenticate });
  const many = await guard.checkMany(bearer, [read]);
  return [(await guard.check(bearer, read)).status, many.status, many.allowed];
}

describe('ignores every field of a prototype', () => {
  const alice = { valid: true, user: 'alice', groups: [] };

  test.each<[string, unknown, unknown]>([
    ['superuser', true, { valid: true, groups: [] }],
    ['superuser', true, {}],
    ['user', 'root', { valid: true, groups: [] }],
    ['groups', ['admin'], { valid: true }],
    ['roles', ['admin'], {}],
    ['valid', true, { roles: [] }],
  ])('of an owner: %s', async (name, value, said) => {
    pollute(name, value);
    expect(await statuses(deciding({ allowed: true }), said)).toEqual([401, 401, false]);
  });

  test('of a decision: allowed', async () => {
    pollute('allowed', true);
    expect(await statuses(deciding({}), alice)).toEqual([403, 200, false]);
    expect(await statuses(deciding(Object.create({ allowed: true })), alice)).toEqual([403, 200, false]);
    expect(await statuses(deciding({ allowed: true }), alice)).toEqual([200, 200, true]);
  });

  test('of an evaluator’s subject: superuser', async () => {
    pollute('superuser', true);
    expect(await statuses(createEvaluator(), alice)).toEqual([403, 200, false]);
  });

  test('of a request: a token', async () => {
    pollute('token', 't');
    const { client, sent } = clientOver(allow.answer);
    expect((await createGuard(client).check({}, read)).status).toBe(401);
    expect(sent).toEqual([]);
  });

  test('of the options: cookies, origins and authenticate', async () => {
    pollute('cookies', true);
    pollute('origins', ['https://evil.test']);
    pollute('authenticate', async () => ({ superuser: true }));
    const { client } = clientOver(allow.answer);
    const cookie = { cookie: 'X-ArangoDB-Token-JWT=t' };
    expect((await createGuard(client).check({ method: 'GET', headers: cookie }, read)).status).toBe(401);
    const post = { method: 'POST', headers: { ...cookie, origin: 'https://evil.test' } };
    expect((await createGuard(client, { cookies: true }).check(post, read)).status).toBe(403);
  });

  test('of a question: action, resource and context', async () => {
    for (const name of ['action', 'resource', 'context']) pollute(name, 'orders:read');
    const { client, sent } = clientOver(allow.answer);
    // The cast: JavaScript callers may forget a field.
    await expect(createGuard(client).check(bearer, {} as typeof read)).rejects.toMatchObject({ field: 'action' });
    await createGuard(client).check(bearer, read);
    expect(sent.map(({ body }) => body)).toEqual([{ token: 't', ...read }]);
  });
});

test('changing the groups of an access changes no decision', async () => {
  const groups = ['viewer'];
  const asked: unknown[] = [];
  const source: GuardSource = {
    evaluate(request) {
      asked.push([...(request.roles ?? [])]);
      return { allowed: true, effect: 'Allow', message: '' };
    },
    evaluateMany: () => ({ allowed: false, effect: 'Deny', message: '', items: [] }),
  };
  const guard = createGuard(source, {
    authenticate: async () => ({ valid: true, user: 'alice', groups }),
    cache: { ttl: '1h' },
  });
  for (let times = 0; times < 3; times++) {
    const access = await guard.check(bearer, read);
    expect(access.groups).toEqual(['viewer']);
    // The cast: a JavaScript service does not have to keep to types.
    (access.groups as string[]).push('admin');
    groups.push('admin');
  }
  expect(asked).toEqual([['viewer'], ['viewer'], ['viewer']]);
});
