import { describe, expect, test, vi } from 'vitest';
import { type Authenticate, createGuard, type GuardSource, verifyToken } from '../../../src/enforce/guard/index.ts';
import { ReplicaError } from '../../../src/enforce/replica/replica-error.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator, type Decider, type EvaluatorSubject } from '../../../src/policy/index.ts';
import { clientOver } from '../../client/services/support.ts';
import { granted, state } from '../../policy/support/fixtures.ts';
import { allow } from './outcomes.ts';

const secret = 'the secret of the tests, which is long enough';
const mock = await createMock({ authentication: { keys: { active: secret } } });
const authenticate: Authenticate = (token) => verifyToken(token, { secret });
const evaluator = createEvaluator(state);
const read = { action: 'orders:read', resource: 'a' };
const write = { action: 'orders:write', resource: 'a' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('an evaluator with verifyToken', () => {
  const guard = createGuard(evaluator, { authenticate, identify: true });

  test('decides for the owner of a token', async () => {
    const alice = bearer(await mock.tokens.issue({ user: 'alice' }));
    expect(await guard.check(alice, read)).toMatchObject({ allowed: true, user: 'alice', groups: [] });
    expect((await guard.check(alice, write)).status).toBe(403);
    expect((await guard.checkMany(alice, [read, write])).items?.map(({ allowed }) => allowed)).toEqual([true, false]);
    expect(await guard.authenticate(alice)).toMatchObject({ allowed: true, user: 'alice' });
  });

  test('treats groups as roles', async () => {
    const member = bearer(await mock.tokens.issue({ user: 'nobody', groups: ['viewer'] }));
    expect((await guard.check(member, read)).status).toBe(200);
    expect((await guard.check(member, write)).status).toBe(403);
  });

  test('a token without a user is a superuser, unless it has groups', async () => {
    expect((await guard.check(bearer(await mock.tokens.issue({ user: null })), write)).status).toBe(200);
    const grouped = bearer(await mock.tokens.issue({ user: null, groups: ['viewer'] }));
    expect((await guard.check(grouped, read)).status).toBe(200);
    expect((await guard.check(grouped, write)).status).toBe(403);
  });

  test('rejects bad tokens', async () => {
    for (const forgery of [{ expired: true }, { wrongKey: true }, { none: true }, { notYetValid: true }]) {
      const headers = bearer(await mock.tokens.forge({ user: 'alice', ...forgery }));
      expect((await guard.check(headers, read)).status).toBe(401);
      expect((await guard.checkMany(headers, [read])).status).toBe(401);
      expect((await guard.authenticate(headers)).status).toBe(401);
    }
    expect((await guard.check(bearer('nonsense'), read)).status).toBe(401);
  });

  test('verifies a token once for a check', async () => {
    const ask = vi.fn(authenticate);
    const headers = bearer(await mock.tokens.issue({ user: 'alice' }));
    for (const cache of [undefined, { ttl: '1h' }]) {
      ask.mockClear();
      const one = createGuard(evaluator, { authenticate: ask, identify: true, cache });
      expect((await one.check(headers, read)).status).toBe(200);
      expect(ask).toHaveBeenCalledTimes(1);
    }
  });
});

/** An evaluator's methods as own fields, since an object spread would lose them. */
const methodsOf = (decider: Decider): Decider => ({
  evaluate: (request) => decider.evaluate(request),
  evaluateMany: (request) => decider.evaluateMany(request),
});

const owner = { valid: true, user: 'alice', groups: [] } as const;

test('a source may authenticate tokens itself, and keeps its `this`', async () => {
  const source = {
    owner,
    evaluate: () => granted as { effect: 'Allow'; allowed: boolean; message: string },
    evaluateMany: () => ({ ...(granted as { effect: 'Allow'; allowed: boolean; message: string }), items: [] }),
    async authenticate() {
      return this.owner;
    },
  };
  expect(await createGuard(source, { identify: true }).check(bearer('t'), read)).toMatchObject({ user: 'alice' });
});

describe('a guard whose source resolves tokens to subjects, as a replica does', () => {
  const authenticate = async (token: string): Promise<EvaluatorSubject> => {
    if (token === 'bad') throw new ReplicaError('INVALID_TOKEN', 'token is expired');
    if (token === 'stale') throw new ReplicaError('STALE', 'nothing was heard');
    if (token === 'root') return { superuser: true };
    return token === 'grouped' ? { roles: ['viewer'] } : { user: token };
  };
  const guard = createGuard({ ...methodsOf(evaluator), authenticate }, { identify: true });

  test.each([
    ['alice', 200, 403],
    ['grouped', 200, 403],
    ['root', 200, 200],
    ['nobody', 403, 403],
    ['bad', 401, 401],
    ['stale', 503, 503],
  ])('gives each request the status of its subject: %s', async (token, reads, writes) => {
    expect([(await guard.check(bearer(token), read)).status, (await guard.check(bearer(token), write)).status]).toEqual(
      [reads, writes],
    );
  });

  test('returns the owner of the token', async () => {
    expect(await guard.check(bearer('alice'), read)).toEqual({ allowed: true, status: 200, user: 'alice', groups: [] });
    expect(await guard.authenticate(bearer('root'))).toEqual({ allowed: true, status: 200, groups: [] });
  });

  test.each([{}, { roles: 'viewer' }, { superuser: 'yes' }, { user: 7 }, { name: 'alice' }])(
    'rejects %j as a subject',
    async (said) => {
      // The cast: JavaScript callers may return it.
      const odd = createGuard(evaluator, { authenticate: async () => said as unknown as EvaluatorSubject });
      expect((await odd.check(bearer('t'), read)).status).toBe(401);
    },
  );
});

test('the tokens of a guard over a client may be verified in the process, and the services decide', async () => {
  const { client, sent } = clientOver(allow.answer);
  const guard = createGuard(client, { authenticate: async () => owner, identify: true });
  expect(await guard.check(bearer('t'), read)).toMatchObject({ allowed: true, user: 'alice' });
  expect(sent.map(({ path }) => path)).toEqual(['/_integration/authorization/v1/evaluate-token']);
});

describe('never allows unless the decision is Allow', () => {
  const statusOf = async (decide: () => unknown, said: unknown): Promise<[number, boolean]> => {
    // The casts: values that JavaScript callers may return.
    const source = { evaluate: decide, evaluateMany: decide } as unknown as GuardSource;
    const guard = createGuard(source, { authenticate: (async () => said) as unknown as Authenticate });
    const many = await guard.checkMany(bearer('t'), [read]);
    return [(await guard.check(bearer('t'), read)).status, many.items?.[0]?.allowed ?? many.allowed];
  };

  const down = new Error('down');
  test.each<[string, () => unknown, number]>([
    ['nothing', () => undefined, 503],
    ['null', () => null, 503],
    ['an empty decision', () => ({}), 403],
    ['a truthy decision', () => ({ allowed: 'true', items: [{ allowed: 1 }] }), 403],
    ['an effect alone', () => ({ effect: 'Allow', items: [{ effect: 'Allow' }] }), 403],
    ['a decision that rejects', () => Promise.reject(down), 503],
    [
      'a decision that throws',
      () => {
        throw down;
      },
      503,
    ],
  ])('%s', async (_name, decide, expected) => {
    expect(await statusOf(decide, owner)).toEqual([expected, false]);
  });

  const yes = () => ({ allowed: true, items: [{ allowed: true }] });
  test.each<[string, unknown, number]>([
    ['nothing', undefined, 503],
    ['null', null, 503],
    ['text', 'alice', 503],
    ['an empty answer', {}, 401],
    ['a truthy answer', { valid: 1, user: 'alice', groups: [] }, 401],
    ['an answer that is undefined', { valid: undefined, user: 'alice', groups: [] }, 401],
    ['another shape, without a user', { valid: true, name: 'alice' }, 401],
    ['a user without groups: it may be of another shape', { valid: true, user: 'alice' }, 503],
    ['groups that are text', { valid: true, user: 'alice', groups: 'viewer' }, 503],
    ['groups of numbers', { valid: true, user: 'alice', groups: [7] }, 503],
    ['a user that is null', { valid: true, user: null, groups: [] }, 401],
    ['a user that is null, with groups', { valid: true, user: null, groups: ['viewer'] }, 401],
    ['groups without a user that are text', { valid: true, groups: 'viewer' }, 401],
  ])('rejects an owner that is %s', async (_name, said, expected) => {
    expect(await statusOf(yes, owner)).toEqual([200, true]);
    expect(await statusOf(yes, said)).toEqual([expected, false]);
  });
});

describe('a decider with odd answers', () => {
  const guarded = (items: unknown) =>
    createGuard({ evaluate: () => granted, evaluateMany: () => ({ items }) } as unknown as GuardSource, {
      authenticate: async () => owner,
    });

  test.each([0, 1, 3])('%i decisions for two items are rejected', async (count) => {
    const items = Array.from({ length: count }, () => ({ allowed: true }));
    const access = await guarded(items).checkMany(bearer('t'), [read, write]);
    expect(access).toMatchObject({ allowed: false, status: 503 });
    expect(access.items).toBe(undefined);
  });

  test('cannot add a role to the cached owner', async () => {
    const evaluate = vi.fn(({ roles }: { roles: string[] }) => ({ ...granted, allowed: roles.push('admin') > 1 }));
    const asked = createGuard({ evaluate, evaluateMany: evaluate } as unknown as GuardSource, {
      authenticate: async () => owner,
      cache: { ttl: '1h' },
    });
    for (let time = 0; time < 3; time++) expect((await asked.check(bearer('t'), read)).status).toBe(503);
    expect(evaluate.mock.calls.map(([{ roles }]) => roles)).toEqual([[], [], []]);
  });

  test('an authenticate that throws at once leaves no unhandled rejection', async () => {
    const heard = vi.fn();
    process.on('unhandledRejection', heard);
    try {
      const ask = vi.fn(() => {
        throw new Error('down');
      });
      const { client } = clientOver(() => Promise.reject(new TypeError('fetch failed')));
      for (const source of [evaluator, client]) {
        const odd = createGuard(source, { authenticate: ask, identify: true });
        expect((await odd.check(bearer('t'), read)).status).toBe(503);
        expect((await odd.checkMany(bearer('t'), [read])).status).toBe(503);
        expect((await odd.authenticate(bearer('t'))).status).toBe(503);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(heard).not.toHaveBeenCalled();
      expect(ask).toHaveBeenCalledTimes(6);
    } finally {
      process.off('unhandledRejection', heard);
    }
  });
});
