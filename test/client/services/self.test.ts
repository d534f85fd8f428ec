import { describe, expect, test } from 'vitest';
import { type Client, type Credentials, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver, type Sent } from './support.ts';

const item = { action: 'orders:read', resource: 'o' };
const ask = { self: true, ...item } as const;
const token = 'canary.self.0123456789abcdef';
const allowed = { effect: 'Allow', message: '', items: [{ effect: 'Allow' }] };
const invalid = () => Response.json({ code: 9, message: `JWT Token is invalid: ${token}` }, { status: 400 });

const everyCall: [name: string, path: string, call: (client: Client) => Promise<unknown>][] = [
  ['evaluate', 'evaluate-token', ({ authorization }) => authorization.evaluate(ask)],
  ['isAllowed', 'evaluate-token', ({ authorization }) => authorization.isAllowed(ask)],
  ['assertAllowed', 'evaluate-token', ({ authorization }) => authorization.assertAllowed(ask)],
  [
    'evaluateMany',
    'evaluate-token-many',
    ({ authorization }) => authorization.evaluateMany({ self: true, items: [item] }),
  ],
];

/** Credentials whose token is renewed: `one`, `two`, … */
function counting(): Credentials & { asked: number; rejected: string[] } {
  let valid = 1;
  const self = {
    asked: 0,
    rejected: [] as string[],
    authorize: async () => {
      self.asked++;
      return `Bearer token-${valid}`;
    },
    reject: (value: string) => {
      self.rejected.push(value);
      valid++;
      return true;
    },
  };
  return self;
}

const tokenOf = ({ body }: Sent) => (body as { token?: string }).token;

describe.each(everyCall)('%s', (_name, path, call) => {
  test('sends the bearer token of the credentials', async () => {
    const { client, sent } = clientOver(() => allowed, { credentials: credentials.bearer(token) });
    await call(client);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.path).toBe(`/_integration/authorization/v1/${path}`);
    const one = sent[0]?.body as Record<string, unknown>;
    expect(one.token).toBe(token);
    expect(Object.keys(one).toSorted()).toEqual(
      path.endsWith('many') ? ['items', 'token'] : ['action', 'resource', 'token'],
    );
    expect(sent[0]?.headers.get('content-type')).toBe('application/json');
  });

  test('an invalid token is renewed once, as after a 401', async () => {
    const own = counting();
    const { client, sent } = clientOver((one) => (tokenOf(one) === 'token-1' ? invalid() : allowed), {
      credentials: own,
    });
    await call(client);
    expect(sent.map(tokenOf)).toEqual(['token-1', 'token-2']);
    expect(own.rejected).toEqual(['Bearer token-1']);
    const always = clientOver(invalid, { credentials: counting() });
    expect(await failureOf(call(always.client))).toMatchObject({ status: 400, grpcCode: 9 });
    expect(always.sent.map(tokenOf)).toEqual(['token-1', 'token-2']);
  });

  test.each<[string, Credentials | undefined]>([
    ['no credentials', undefined],
    ['basic', credentials.basic('user', 'canary-password')],
  ])('with %s self is refused, and nothing is sent', async (_kind, own) => {
    const { client, sent } = clientOver(() => allowed, { credentials: own });
    const error = await failureOf(call(client));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'self' });
    expect(error.message).toBe(
      `POST /_integration/authorization/v1/${path} was not sent: self: needs credentials with a bearer token`,
    );
    expect(sent).toEqual([]);
  });
});

test('only a 400 with the gRPC code 9 of a call with self renews the token', async () => {
  const answers: [Response, (client: Client) => Promise<unknown>][] = [
    [Response.json({ code: 3, message: 'm' }, { status: 400 }), ({ authorization }) => authorization.evaluate(ask)],
    [Response.json({ code: 9, message: 'm' }, { status: 403 }), ({ authorization }) => authorization.evaluate(ask)],
    [
      Response.json({ code: 9, message: 'm' }, { status: 400 }),
      ({ authorization }) => authorization.evaluate({ token: 'another', ...item }),
    ],
    [Response.json({ code: 9, message: 'm' }, { status: 400 }), (client) => client.route('x').post({})],
  ];
  for (const [answer, call] of answers) {
    const own = counting();
    const { client, sent } = clientOver(() => answer, { credentials: own });
    expect((await failureOf(call(client))).code).toBe('HTTP');
    expect(sent).toHaveLength(1);
    expect(own.rejected).toEqual([]);
  }
});

test('a call with self keeps its 400 if the renewal fails', async () => {
  const own = { ...counting(), reject: () => Promise.reject(new Error('canary')) };
  const { client, sent } = clientOver(invalid, { credentials: own });
  expect(await failureOf(client.authorization.evaluate(ask))).toMatchObject({ status: 400, grpcCode: 9 });
  expect(sent).toHaveLength(1);
});

test('a 401 renews the token, and the body of the repeated request has the new token', async () => {
  const { client, sent } = clientOver(
    (one) => (tokenOf(one) === 'token-1' ? new Response(null, { status: 401 }) : allowed),
    { credentials: counting() },
  );
  expect(await client.authorization.isAllowed(ask)).toBe(true);
  expect(sent.map(tokenOf)).toEqual(['token-1', 'token-2']);
});

test('no error of a call with self shows the token', async () => {
  for (const answer of [invalid, () => new Response(`{"token": "${token}`), () => ({ message: 5, token })]) {
    const { client } = clientOver(answer, { credentials: credentials.bearer(token) });
    const error = await failureOf(client.authorization.evaluate(ask));
    const shown = [error.message, JSON.stringify(error), String(error.stack), error.text, error.body, error.details];
    expect(JSON.stringify(shown)).not.toContain('0123456789abcdef');
  }
});

test('all buttons of a page are one request, each client with a token of its own', async () => {
  const { client, sent } = clientOver(
    ({ body }) => ({ items: (body as { items: object[] }).items.map(() => allowed) }),
    {
      batch: true,
      credentials: credentials.bearer('first'),
    },
  );
  const other = client.with({ credentials: credentials.bearer('second') });
  const pages = [client, other].map((one) =>
    Promise.all(['a', 'b', 'c'].map((resource) => one.authorization.isAllowed({ ...ask, resource }))),
  );
  expect(await Promise.all(pages)).toEqual([Array(3).fill(true), Array(3).fill(true)]);
  expect(sent.map((one) => [tokenOf(one), (one.body as { items: object[] }).items.length])).toEqual([
    ['first', 3],
    ['second', 3],
  ]);
});

test('with the mock: begins a session, decides for the user, renews a revoked token', async () => {
  const read = { effect: 'Allow', actions: ['orders:read'], resources: ['*'] } as const;
  await using mock = await createMock({
    users: [{ name: 'alice', password: 'pw' }],
    policies: { read: { statements: [read] } },
    roles: { reader: { policies: ['read'] } },
    bindings: [{ user: 'alice', role: 'reader', scope: { statements: [read] } }],
  });
  const login = credentials.login({ username: 'alice', password: 'pw' });
  const { authorization } = createClient({ ...mock.connection, credentials: login });
  expect(await authorization.isAllowed(ask)).toBe(true);
  expect(await authorization.isAllowed({ ...ask, action: 'orders:write' })).toBe(false);
  const { items } = await authorization.evaluateMany({ self: true, items: [item, { ...item, action: 'orders:x' }] });
  expect(items.map(({ allowed }) => allowed)).toEqual([true, false]);
  const logins = () => mock.requests.filter(({ path }) => path.endsWith('/login')).length;
  expect(logins()).toBe(1);
  // The client's own clock does not know that the mock's has passed the token's end.
  mock.clock.advance('2h');
  expect(await authorization.isAllowed(ask)).toBe(true);
  expect(logins()).toBe(2);
  expect(mock.requests.map(({ status }) => status).filter((status) => status !== 200)).toEqual([400]);
});

test('a deployment without authentication requests no token and receives an empty one', async () => {
  await using mock = await createMock({ authentication: { enabled: false } });
  const { authorization } = createClient({ ...mock.connection, credentials: credentials.minted({ user: 'svc' }) });
  expect(await authorization.isAllowed(ask)).toBe(true);
  expect(mock.requests.map(({ path, headers }) => [path.split('/').at(-1), headers.authorization])).toEqual([
    ['createToken', undefined],
    ['evaluate-token', undefined],
  ]);
});
