import { expectTypeOf, test } from 'vitest';
import { tokenFile } from '../../../src/client/node/index.ts';
import { verifyToken } from '../../../src/enforce/guard/index.ts';
import {
  AuthenticationClient,
  AuthorizationClient,
  Connection,
  type Credentials,
  createClient,
  credentials,
  type Decision,
  type Deleted,
  type Effect,
  type Policy,
  type PublishedKeys,
  type Role,
  type Stored,
  type UpsertedBinding,
  type UserRole,
} from '../../../src/index.ts';

const client = createClient({ url: 'http://service.test', batch: true });
const { authentication, authorization } = client;
const scope: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
const signal = AbortSignal.abort();
const ask = { action: 'a:b', resource: 'c' };

/** Checked by tsc only: the calls that must not compile would be rejected at run time. */
const never = (calls: () => unknown): void => void calls;

test('the results of every call', () => {
  never(async () => {
    const validation = await authentication.validate('t', { timeout: 5, signal, retry: 0 });
    if (validation.valid) {
      expectTypeOf(validation.user).toEqualTypeOf<string | undefined>();
      expectTypeOf(validation.groups).toEqualTypeOf<string[]>();
      expectTypeOf(validation.lifetimeMs).toEqualTypeOf<number>();
    } else {
      expectTypeOf(validation.reason).toEqualTypeOf<string>();
    }
    expectTypeOf((await authentication.createToken()).expiresAt).toEqualTypeOf<Date>();
    expectTypeOf(authentication.identity()).resolves.toEqualTypeOf<{ user: string }>();
    expectTypeOf((await authentication.login({ username: 'u', password: 'p' })).token).toEqualTypeOf<string>();
    expectTypeOf(authentication.logout({ location: '/' })).resolves.toEqualTypeOf<void>();
    expectTypeOf(authentication.keys()).resolves.toEqualTypeOf<PublishedKeys>();
    expectTypeOf(authorization.evaluate({ user: 'u', ...ask })).resolves.toEqualTypeOf<Decision>();
    expectTypeOf((await authorization.evaluateMany({ token: 't', items: [ask] })).items).toEqualTypeOf<
      readonly Decision[]
    >();
    expectTypeOf<Decision['effect']>().toEqualTypeOf<Effect>();
    expectTypeOf(authorization.isAllowed({ token: 't', ...ask })).resolves.toEqualTypeOf<boolean>();
    expectTypeOf(authorization.isAllowed({ self: true, ...ask })).resolves.toEqualTypeOf<boolean>();
    expectTypeOf(authorization.assertAllowed({ self: true, ...ask })).resolves.toEqualTypeOf<void>();
    expectTypeOf((await authorization.evaluate({ self: true, ...ask })).effect).toEqualTypeOf<Effect>();
    expectTypeOf((await authorization.evaluateMany({ self: true, items: [ask] })).allowed).toEqualTypeOf<boolean>();
    expectTypeOf(authorization.assertAllowed({ user: 'u', roles: ['r'], ...ask })).resolves.toEqualTypeOf<void>();
    expectTypeOf(authorization.checkSelf(ask)).resolves.toEqualTypeOf<Decision>();
    expectTypeOf(authorization.refresh()).resolves.toEqualTypeOf<void>();
    expectTypeOf(authorization.policies.create('p', scope)).resolves.toEqualTypeOf<Stored<Policy>>();
    expectTypeOf(authorization.roles.create('r', { policies: [] })).resolves.toEqualTypeOf<Stored<Role>>();
    expectTypeOf((await authorization.roles.upsert('r', { policies: [] })).changed).toEqualTypeOf<boolean>();
    const bound = await authorization.bindings.upsert({ user: 'u', role: 'r', scope });
    expectTypeOf(bound).toEqualTypeOf<UpsertedBinding>();
    expectTypeOf(authorization.policies.delete('p')).resolves.toEqualTypeOf<Deleted>();
    for await (const name of authorization.roles.list({ signal, pageSize: 5 }))
      expectTypeOf(name).toEqualTypeOf<string>();
    expectTypeOf(authorization.bindings.list('u')).resolves.toEqualTypeOf<UserRole[]>();
    expectTypeOf((await authorization.bindings.assign({ user: 'u', role: 'r', scope })).index).toEqualTypeOf<number>();
    expectTypeOf(
      credentials.minted({ user: 'u', groups: ['g'], lifetime: '1h', bootstrap: tokenFile('x') }),
    ).toEqualTypeOf<Credentials>();
    expectTypeOf(credentials.login({ username: 'u', password: 'p' })).toEqualTypeOf<Credentials>();
    expectTypeOf(verifyToken('t', { client })).resolves.toEqualTypeOf<typeof validation>();
    expectTypeOf(new AuthenticationClient(new Connection({ url: 'x' })).keys).toBeFunction();
    expectTypeOf(new AuthorizationClient(new Connection({ url: 'x' }), { batch: true }).refresh).toBeFunction();
  });
});

test('calls that do not compile', () => {
  never(() => {
    // @ts-expect-error no subject: the service would decide for the superuser
    authorization.evaluate(ask);
    // @ts-expect-error a mixture of subjects
    authorization.evaluate({ user: 'u', token: 't', ...ask });
    // @ts-expect-error roles belong to a user
    authorization.evaluate({ token: 't', roles: ['r'], ...ask });
    // @ts-expect-error a mixture of subjects
    authorization.evaluate({ user: 'u', self: true, ...ask });
    // @ts-expect-error a mixture of subjects
    authorization.evaluateMany({ token: 't', self: true, items: [ask] });
    // @ts-expect-error self and a user exclude each other
    authorization.isAllowed({ self: false, ...ask });
    // @ts-expect-error the user may not be undefined
    authorization.isAllowed({ user: undefined, ...ask });
    // @ts-expect-error items cannot have a subject
    authorization.evaluateMany({ user: 'u', items: [{ user: 'v', ...ask }] });
    // @ts-expect-error a number without a unit
    authentication.createToken({ lifetime: 3600 });
    // @ts-expect-error lifetime and lifetimeMs exclude each other
    authentication.createToken({ lifetime: '1h', lifetimeMs: 5 });
    // @ts-expect-error a password is needed
    authentication.login({ username: 'u' });
    // @ts-expect-error an unknown option
    authentication.identity({ timeOut: 5 });
    // @ts-expect-error a service's answer has a schema of its own
    authentication.identity({ schema: undefined });
    // @ts-expect-error an effect is Allow or Deny
    authorization.policies.create('p', { statements: [{ effect: 'allow', actions: [], resources: [] }] });
    // @ts-expect-error a policy is not a role
    authorization.roles.create('r', scope);
    // @ts-expect-error a binding needs a scope
    authorization.bindings.assign({ user: 'u', role: 'r' });
    // Anything with published keys is a client.
    expectTypeOf(verifyToken).toBeCallableWith('t', {
      client: { authentication: { keys: async () => ({ keys: ['pem'] }) } },
    });
    // @ts-expect-error keys are text
    verifyToken('t', { client: { authentication: { keys: async () => ({ keys: [5] }) } } });
    // @ts-expect-error one of client, keys and secret
    verifyToken('t', { client, secret: 's' });
    // @ts-expect-error a clock is not an option here
    verifyToken('t', { keys: [], clock: 5 });
    // @ts-expect-error a file is read by its path
    tokenFile();
  });
});
