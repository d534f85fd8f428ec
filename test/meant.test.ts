import { expect, test } from 'vitest';
import { createClient, credentials, isInvalidArgumentError, NetworkError } from '../src/index.ts';
import { createMock } from '../src/mock/index.ts';
import { createEvaluator } from '../src/policy/index.ts';
import { failureOf } from './support/failure.ts';

// Likely mistakes: each message names the intended call.

const url = 'http://localhost:8529';
// The casts: values that only JavaScript accepts.
const cases: readonly [string, () => unknown, RegExp][] = [
  ['a token with its scheme', () => credentials.bearer('Bearer abc.def'), /^credentials\.token: leave out `Bearer `$/],
  ['the same in lower case', () => credentials.bearer('bearer abc'), /leave out `Bearer `$/],
  [
    'a user for credentials',
    () => createClient({ url, credentials: { username: 'alice', password: 'canary' } as never }),
    /^credentials: expected credentials\.login\(\{ … \}\), got an object$/,
  ],
  [
    'two arguments for one',
    () => Reflect.apply(credentials.login, undefined, ['alice', 'canary']),
    /^credentials: expected \{ username, password \}, got a string$/,
  ],
];

test.each(cases)('the error for a common mistake says what is expected: %s', (_, call, message) => {
  let error: unknown;
  try {
    call();
  } catch (thrown) {
    error = thrown;
  }
  expect(isInvalidArgumentError(error) && error.message).toMatch(message);
  expect(JSON.stringify(error)).not.toMatch(/canary|abc|alice/);
});

test('a function that returns a token with its scheme is told to leave out `Bearer `', async () => {
  const { authorize } = credentials.bearer(() => 'Bearer abc.def');
  // The cast: it does not use its context.
  await expect(Promise.resolve(authorize({} as never))).rejects.toThrow('leave out `Bearer `');
});

test('createClient(mock) names mock.connection', async () => {
  const mock = await createMock();
  expect(() => createClient(mock as never)).toThrow('options: expected mock.connection, got mock');
  expect(createClient(mock.connection)).toBeDefined();
});

test('an evaluator has isAllowed, as the client and a replica have', () => {
  const evaluator = createEvaluator({
    policies: { read: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } },
    roles: { viewer: { policies: ['read'] } },
    bindings: [
      { user: 'alice', role: 'viewer', scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } },
    ],
  } as never);
  for (const [user, action] of [
    ['alice', 'orders:read'],
    ['alice', 'orders:write'],
    ['bob', 'orders:read'],
  ] as const) {
    const request = { user, action, resource: 'orders' };
    expect(evaluator.isAllowed(request)).toBe(evaluator.evaluate(request).allowed);
  }
  expect(evaluator.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders' })).toBe(true);
});

test('the error for a port that fetch refuses has the reason, and no hint at streams', async () => {
  const route = createClient({ url: 'http://127.0.0.1:1', retry: 0 }).route('x');
  for (const body of ['text', new Blob(['text']).stream()]) {
    const error = await failureOf(route.put('file', body));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.message).toMatch(/failed: Error: bad port$/);
  }
});

test("an empty body is '' with responseType 'text'", async () => {
  const fetch = async (_: string, { method }: RequestInit) =>
    new Response(method === 'DELETE' ? null : '', { status: method === 'DELETE' ? 204 : 200 });
  const route = createClient({ url, fetch }).route('x').with({ responseType: 'text' });
  const bodies = await Promise.all([route.get(), route.head(), route.delete()]);
  expect(bodies.map(({ body }) => body)).toEqual(['', '', '']);
});

test('a closed client reports where it was closed', async () => {
  const client = createClient({ url, fetch: async () => Response.json({}) });
  const child = client.with({ headers: { 'x-a': '1' } });
  await (function closeIt() {
    return client.close();
  })();
  const calls = [client.route('x').get(), child.route('x').post({})];
  for (const error of await Promise.all(calls.map(failureOf))) {
    expect(error.message).toMatch(/^(GET|POST) \/_db\/_system\/x was not sent: the client is closed$/);
    expect(error.code).toBe('ABORTED');
    expect(String((error.cause as Error).stack)).toContain('closeIt');
  }
});
