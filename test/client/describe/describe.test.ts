import { describe, expect, test } from 'vitest';
import { describeError, type ErrorKind, errorKinds } from '../../../src/client/describe/index.ts';
import { createSession } from '../../../src/client/session/index.ts';
import {
  AbortError,
  CredentialsError,
  createClient,
  credentials,
  HttpError,
  InvalidArgumentError,
  isSignInRequired,
  NetworkError,
  ParseError,
  PermissionDeniedError,
  RedirectError,
  SchemaError,
  TimeoutError,
  UploadError,
} from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator, isPolicyError } from '../../../src/policy/index.ts';
import { failureOf } from '../../support/failure.ts';

const call = { method: 'POST', path: '/_db/shop/orders', origin: 'http://a.test' };
const http = (status: number, more: object = {}) => new HttpError(call, { status, reason: '', ...more });
const noSession = new CredentialsError('there is no session', call, { code: 'NO_SESSION' });

const examples: Readonly<Record<ErrorKind, readonly unknown[]>> = {
  'sign-in': [
    http(401),
    noSession,
    new RedirectError(call, 0, undefined, 'x'),
    new CredentialsError('x', call, http(401)),
  ],
  'wrong-password': [new HttpError({ ...call, path: '/_open/auth' }, { status: 401, reason: '' })],
  forbidden: [http(403), new PermissionDeniedError('a:b', 'c')],
  'not-found': [http(404), http(410)],
  conflict: [http(409), http(412)],
  invalid: [http(400), http(422), http(418), new InvalidArgumentError('name', 'must not be empty')],
  'too-large': [http(413)],
  'too-many-requests': [http(429)],
  unavailable: [http(502), http(503), new CredentialsError('x', call, http(503))],
  server: [http(500), http(507)],
  network: [new NetworkError(call), new CredentialsError('x', call, new NetworkError(call))],
  timeout: [
    new TimeoutError(call, 5),
    http(504),
    http(408),
    new AbortError(call, new DOMException('', 'TimeoutError')),
    new DOMException('', 'TimeoutError'),
  ],
  cancelled: [new AbortError(call, undefined), new DOMException('', 'AbortError')],
  'unexpected-answer': [
    new ParseError(call, 200, '<html>'),
    new SchemaError(call, [{ message: 'x', path: [] }]),
    new RedirectError(call, 302, '/x', 'x'),
    http(501),
  ],
  upload: [new UploadError(call, new Error('x'))],
  unknown: [
    new Error('canary'),
    undefined,
    null,
    'canary',
    new CredentialsError('canary', call),
    { code: 'HTTP', status: 404 },
  ],
};

describe('the kinds of described errors', () => {
  test('are listed, and stable', () => {
    expect(errorKinds).toEqual([
      'sign-in',
      'wrong-password',
      'forbidden',
      'not-found',
      'conflict',
      'invalid',
      'too-large',
      'too-many-requests',
      'unavailable',
      'server',
      'network',
      'timeout',
      'cancelled',
      'unexpected-answer',
      'upload',
      'unknown',
    ]);
    expect(Object.keys(examples).sort()).toEqual([...errorKinds].sort());
  });

  test.each(errorKinds.flatMap((kind) => examples[kind].map((error) => [kind, error] as const)))(
    '%s: %s',
    (kind, error) => {
      const described = describeError(error);
      expect(described).toEqual({
        kind,
        title: expect.stringMatching(/^[A-Z][\w ]+$/),
        detail: expect.stringMatching(/\S/),
        canRetry: ['too-many-requests', 'unavailable', 'server', 'network', 'timeout', 'cancelled', 'upload'].includes(
          kind,
        ),
        needsSignIn: isSignInRequired(error),
      });
      expect(described.needsSignIn).toBe(kind === 'sign-in');
      expect(JSON.stringify(described)).not.toMatch(/canary|HTTP|\d{3}/);
    },
  );

  test('have titles that differ', () => {
    expect(new Set(errorKinds.map((kind) => describeError(examples[kind][0]).title)).size).toBe(errorKinds.length);
  });
});

/** The description of a client's error for a response. */
async function described(
  status: number,
  body: unknown,
  { type = 'application/json', sent = {} as unknown, statusText = '' } = {},
) {
  const fetch = async () =>
    new Response(JSON.stringify(body), { status, statusText, headers: { 'content-type': type } });
  const client = createClient({ url: 'http://a.test', fetch, credentials: credentials.bearer('canary-of-a-token') });
  const error = await failureOf(client.route('orders').post(sent as object));
  return { ...describeError(error), reason: error.reason };
}

describe('the reason in the description of an error', () => {
  test.each([
    [
      "FastAPI's 422",
      422,
      {
        detail: [
          { type: 'int_parsing', loc: ['body', 'rows', 0, 'qty'], msg: 'Input should be a valid integer', input: 'x' },
          { type: 'missing', loc: ['query', 'limit'], msg: 'Field required' },
          { type: 'missing', loc: ['body'], msg: 'Field required' },
        ],
      },
      'rows[0].qty: Input should be a valid integer; query.limit: Field required; body: Field required',
    ],
    [
      'problem details with the errors of RFC 9457',
      422,
      {
        title: 'Your request is not valid',
        errors: [
          { detail: 'must be a positive integer', pointer: '#/rows/0/age' },
          { detail: "must be 'green' or 'red'", pointer: '/color' },
          { detail: 'is too long' },
        ],
      },
      "Your request is not valid: rows[0].age: must be a positive integer; color: must be 'green' or 'red'; is too long",
    ],
    ['problem details', 400, { title: 'No stock', detail: 'There are 3 left.' }, 'No stock: There are 3 left.'],
    [
      "ArangoDB's error",
      409,
      { error: true, code: 409, errorNum: 1210, errorMessage: 'unique constraint violated - in field: email' },
      'unique constraint violated - in field: email',
    ],
    ["the platform's error", 404, { code: 5, message: 'policy not found', details: [] }, 'policy not found'],
  ])('%s', async (_, status, body, reason) => {
    expect(await described(status, body)).toMatchObject({ reason, detail: reason });
  });

  test.each([
    ['a fault without text', { detail: [{ loc: ['body', 'a'] }, null, 7, { msg: 7 }] }],
    ['loc that is not a list', { detail: [{ loc: 'body', msg: 7 }] }],
    ['no list', { detail: { loc: [] } }],
    ['an empty list', { detail: [] }],
    ['objects in loc', { detail: [{ loc: [{}], msg: '' }] }],
  ])('is not read from %s', async (_, body) => {
    const { detail, reason } = await described(422, body, { statusText: 'Unprocessable Entity' });
    expect([detail, reason]).toEqual(['The service did not accept the input.', 'Unprocessable Entity']);
  });

  test('leaves out only those faults that quote a value of the request', async () => {
    const detail = [
      { loc: ['body', 'name'], msg: 'not canary-of-a-value' },
      { loc: ['body', 'token'], msg: 'not canary-of-a-token' },
      { loc: ['body', 'age'], msg: 'Field required' },
    ];
    const { reason } = await described(422, { detail }, { sent: { name: 'canary-of-a-value' } });
    expect(reason).toBe('age: Field required');
  });

  test('lists the first ten of many faults', async () => {
    const detail = Array.from({ length: 20_000 }, (_, i) => ({ loc: ['body', i], msg: 'x' }));
    const { reason } = await described(422, { detail });
    expect(reason).toBe(
      detail
        .slice(0, 10)
        .map((_, i) => `[${i}]: x`)
        .join('; '),
    );
  });

  test('of an outage is not shown', async () => {
    const { detail, reason } = await described(500, { message: 'NullPointerException' });
    expect([detail.includes('Null'), reason]).toEqual([false, 'NullPointerException']);
  });

  test('names a missing permission, and the field of an argument', async () => {
    const needs = { action: 'rbac:ListPolicy', resource: 'policies' };
    expect(describeError(http(403, { needs })).detail).toBe('This needs the permission rbac:ListPolicy on policies.');
    expect(describeError(new InvalidArgumentError('user', 'must not be empty')).detail).toBe('user: must not be empty');
  });

  test('of an invalid policy suggests no retry', () => {
    let error: unknown;
    try {
      createEvaluator({ policies: { a: { statements: 'none' } } } as never);
    } catch (thrown) {
      error = thrown;
    }
    expect(isPolicyError(error)).toBe(true);
    expect(describeError(error)).toMatchObject({ kind: 'invalid', canRetry: false });
  });
});

test('describeError tells a wrong password, an ended session and a missing permission of the mock apart', async () => {
  await using mock = await createMock({ users: [{ name: 'alice', password: 'canary-password' }] });
  const session = createSession({ ...mock.connection, store: 'memory' });
  const client = createClient({ ...mock.connection, credentials: session });
  const kinds = [
    describeError(await failureOf(client.route('_echo').get())).kind,
    describeError(await failureOf(session.signIn({ username: 'alice', password: 'wrong' }))).kind,
  ];
  await session.signIn({ username: 'alice', password: 'canary-password' });
  const denied = describeError(await failureOf(client.authorization.policies.get('none')));
  expect([...kinds, denied.kind]).toEqual(['sign-in', 'wrong-password', 'forbidden']);
  expect(denied.detail).toContain('rbac:');
});
