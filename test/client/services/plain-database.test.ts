import { describe, expect, test } from 'vitest';
import { createGuard } from '../../../src/enforce/guard/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { json, serve } from '../../support/server.ts';

// As ArangoDB 3.12 answers a path that it does not know.
const unknownPath = json({ error: true, code: 404, errorNum: 404, errorMessage: 'unknown path' }, 404);
const named = 'no integration services';

describe('an ArangoDB without the services of the platform is named', () => {
  test('by a login', async () => {
    const { url } = await serve(unknownPath);
    const login = credentials.login({ username: 'root', password: '' });
    const failure = await failureOf(createClient({ url, credentials: login }).route('orders').get());
    expect(String(failure.cause)).toContain(named);
    for (const gateway of [false, true]) {
      const { authentication } = createClient({ url, gateway });
      expect((await failureOf(authentication.login({ username: 'root', password: '' }))).message).toContain(named);
    }
  });

  test('by a decision', async () => {
    const { url } = await serve(unknownPath);
    const asked = { user: 'alice', action: 'orders:read', resource: 'orders' };
    const failure = await failureOf(createClient({ url }).authorization.isAllowed(asked));
    expect(failure).toMatchObject({ code: 'HTTP', status: 404, reason: 'unknown path' });
    expect(failure.message).toContain(named);
  });

  test('by a guard', async () => {
    const { url } = await serve(unknownPath);
    const guard = createGuard(createClient({ url }));
    const request = new Request('http://orders.test', { headers: { authorization: 'Bearer x.y.z' } });
    const access = await guard.check(request, { action: 'orders:read', resource: 'orders' });
    expect(access).toMatchObject({ allowed: false, status: 503 });
    expect(String(Object(access).cause)).toContain(named);
  });

  test.each([
    [
      'a document that a service does not find',
      { code: 5, message: 'not found', details: [] },
      '_integration/authorization/v1/policies',
    ],
    ['a route of one\u2019s own', { error: true, code: 404, errorNum: 404, errorMessage: 'unknown path' }, 'orders'],
  ])('not by %s', async (_, body, path) => {
    const { url } = await serve(json(body, 404));
    expect((await failureOf(createClient({ url }).absoluteRoute(path).get())).message).not.toContain(named);
  });
});
