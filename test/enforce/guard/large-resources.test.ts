import { expect, test } from 'vitest';
import { createGuard } from '../../../src/enforce/guard/index.ts';
import { createClient } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** A mock with a user who may do everything, and a request with a token of this user. */
async function allowedUser() {
  const mock = await createMock({
    users: [{ name: 'alice' }],
    policies: { all: everything },
    roles: { all: { policies: ['all'] } },
    bindings: [{ user: 'alice', role: 'all', scope: everything }],
  });
  const client = createClient(mock.connection);
  const { token } = await client.authentication.createToken({ user: 'alice' });
  return { mock, client, request: { headers: { authorization: `Bearer ${token}` } } };
}

/** Texts of more than 4 MiB, and the largest ones that are sent: with room for the rest of the message. */
const large = ['x'.repeat(4_194_305), 'ü'.repeat(2_097_153), '\u{1f600}'.repeat(1_048_577)];
const small = ['x'.repeat(4_190_000), 'ü'.repeat(2_095_000), '\u{1f600}'.repeat(1_047_000)];

test('a resource over 4 MiB is denied with the reason, and no question is sent', async () => {
  const { mock, client, request } = await allowedUser();
  const guard = createGuard(client);
  const asked = () => mock.requests.filter(({ path }) => path.includes('evaluate')).length;
  for (const resource of large) {
    const access = await guard.check(request, { action: 'a:read', resource });
    expect([access.allowed, access.status, asked()]).toEqual([false, 403, 0]);
    expect(access.allowed ? '' : String(access.cause)).toBe(
      'TypeError: denied: the resource is not valid text, or over 4 MiB',
    );
    const many = await guard.checkMany(request, [
      { action: 'a:read', resource },
      { action: 'a:read', resource: 'small' },
    ]);
    expect(many.items?.map(({ allowed }) => allowed)).toEqual([false, true]);
    mock.requests.length = 0;
  }
  expect((await guard.check({ headers: {} }, { action: 'a:read', resource: large[0] ?? '' })).status).toBe(401);
});

test('a resource below 4 MiB is asked for, and a decider in the process has the same bound', async () => {
  const { client, request } = await allowedUser();
  const evaluator = createEvaluator({
    policies: { all: everything },
    roles: { all: { policies: ['all'] } },
    bindings: [{ user: 'alice', role: 'all', scope: everything }],
  });
  const local = createGuard(evaluator, { authenticate: async () => ({ user: 'alice' }) });
  for (const guard of [createGuard(client), local]) {
    for (const resource of small) expect((await guard.check(request, { action: 'a:read', resource })).status).toBe(200);
    for (const resource of large) expect((await guard.check(request, { action: 'a:read', resource })).status).toBe(403);
  }
});
