import type { IncomingMessage } from 'node:http';
import { expectTypeOf, test } from 'vitest';
import {
  type Access,
  createGuard,
  type Guard,
  type ManyAccess,
  verifyToken,
} from '../../../src/enforce/guard/index.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { createClient } from '../../../src/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';

const client = createClient({ url: 'http://service.test' });
type Action = 'orders:read' | 'orders:write';
const request = new Request('http://service.test');

/** Checked by tsc only: the calls that must not compile would be rejected at run time. */
const never = (calls: () => unknown): void => void calls;

test('declared names cannot be misspelled', () => {
  never(async () => {
    const guard = createGuard<Action, `order:${string}`>(client);
    const id: string = 'any';
    await guard.check(request, { action: 'orders:read', resource: `order:${id}` });
    await guard.checkMany(request, [{ action: 'orders:write', resource: 'order:7' }]);
    // @ts-expect-error a misspelled action
    await guard.check(request, { action: 'orders:raed', resource: 'order:7' });
    // @ts-expect-error a misspelled resource
    await guard.check(request, { action: 'orders:read', resource: 'orders:7' });
    const one = { action: 'orders:read', resource: 'order:7' } as const;
    // @ts-expect-error a misspelled action of one item
    await guard.checkMany(request, [one, { ...one, action: 'order:read' }]);
    expectTypeOf(createGuard<Action>(client)).toEqualTypeOf<Guard<Action, string>>();
  });
});

test('allowed narrows an access', () => {
  never(async () => {
    const access = await createGuard(client).check(request, { action: 'any:thing', resource: '' });
    expectTypeOf(access).toEqualTypeOf<Access>();
    if (access.allowed) {
      expectTypeOf(access.token).toEqualTypeOf<string>();
      expectTypeOf(access.user).toEqualTypeOf<string | undefined>();
      expectTypeOf(access.response).toEqualTypeOf<undefined>();
    } else {
      expectTypeOf(access.response).toEqualTypeOf<Response>();
      expectTypeOf(access.status).toEqualTypeOf<401 | 403 | 503>();
      expectTypeOf(access.token).toEqualTypeOf<undefined>();
    }
  });
});

test('response narrows a list of accesses', () => {
  never(async () => {
    const access = await createGuard<Action>(client).checkMany(request, [{ action: 'orders:read', resource: 'a' }]);
    expectTypeOf(access).toEqualTypeOf<ManyAccess<'orders:read', 'a'>>();
    if (access.response) return access.response;
    expectTypeOf(access.token).toEqualTypeOf<string>();
    expectTypeOf(access.items[0]).toEqualTypeOf<
      { readonly action: 'orders:read'; readonly resource: 'a'; readonly allowed: boolean } | undefined
    >();
    return undefined;
  });
});

test('requests of every kind, and sources', () => {
  never(async (incoming?: IncomingMessage) => {
    const evaluator = createEvaluator();
    const guard = createGuard(evaluator, { authenticate: (token) => verifyToken(token, { secret: 's' }) });
    const replica = createReplica({ address: '127.0.0.1:9201' });
    createGuard(replica);
    createGuard(replica, { authenticate: (token) => verifyToken(token, { client }) });
    if (incoming) await guard.authenticate(incoming);
    await guard.authenticate(request);
    await guard.authenticate(new Headers());
    await guard.authenticate({ authorization: 'Bearer t' });
    await guard.authenticate({ headers: { authorization: 'Bearer t' }, method: 'GET' });
    // @ts-expect-error text is not a valid request
    await guard.authenticate('Bearer t');
    // @ts-expect-error a connection decides nothing
    createGuard({ send: () => undefined });
  });
});
