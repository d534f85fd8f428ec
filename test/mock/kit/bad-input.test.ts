import { describe, expect, test } from 'vitest';
import { handlers } from '../../../src/mock/adapters/msw.ts';
import { createMock, type MockFault, type MockSnapshot, type RequestFilter } from '../../../src/mock/index.ts';

// Casts to `never`: untyped callers may pass these.

const refusal = (field: string, message: RegExp) =>
  expect.objectContaining({ code: 'INVALID_ARGUMENT', field, message: expect.stringMatching(message) });
const thrown = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

const filters: readonly (readonly [what: string, filter: unknown, field: string, message: RegExp])[] = [
  ['a path with a query', { path: '/evaluate?x=1' }, 'path', /expected a path as it is sent.*without origin and query/],
  ['a whole URL', { path: 'http://mock.test/evaluate' }, 'path', /expected a path/],
  ['a path that is not encoded', { path: '/_db/my db' }, 'path', /percent-encoded/],
  ['an empty path', { path: '' }, 'path', /got an empty string/],
  ['a path that is a number', { path: 5 }, 'path', /got 5/],
  ['an invalid method', { method: 'GET /x' }, 'method', /the name of an HTTP method/],
  ['CONNECT, which never arrives', { method: 'connect' }, 'method', /HTTP method/],
  ['a misspelt field', { url: '/evaluate' }, 'url', /unknown; accepted are method, path/],
];

const faults: readonly (readonly [what: string, fault: unknown, field: string, message: RegExp])[] = [
  ...filters.map(
    ([what, filter, field, message]) => [what, { status: 500, ...(filter as object) }, field, message] as const,
  ),
  ['nothing', undefined, 'fault', /expected an object, got undefined/],
  ['a fault that does nothing', { path: '/x' }, 'fault', /one of status, delayMs, timeoutMs, evaluation, stream, drop/],
  ['drop: false alone', { drop: false }, 'fault', /or it does nothing/],
  ['an unknown stream', { stream: 'GetPolicies', grpcCode: 14 }, 'stream', /one of GetPolicy, PoolPolicyChanges, /],
  ['a stream without a code', { stream: 'GetPolicy' }, 'grpcCode', /a gRPC code from 1 to 16 with the stream/],
  ['a code of success', { stream: 'GetPolicy', grpcCode: 0 }, 'grpcCode', /from 1 to 16 with the stream, got 0/],
  ['half a message', { stream: 'GetPolicy', grpcCode: 14, after: 0.5 }, 'after', /a whole number of messages, got 0.5/],
  ['a status of a stream', { stream: 'GetPolicy', grpcCode: 14, status: 503 }, 'status', /does nothing with stream/],
  ['a code without a stream', { status: 503, grpcCode: 14 }, 'grpcCode', /expected a stream with it/],
  ['messages without a stream', { status: 503, after: 1 }, 'after', /expected a stream with it/],
  ['a negative delay', { delayMs: -1 }, 'delayMs', /milliseconds from 0 to 2147483647, got -1/],
  ['a delay that is text', { delayMs: '5' }, 'delayMs', /milliseconds from 0/],
  ['a delay that is NaN', { delayMs: Number.NaN }, 'delayMs', /got NaN/],
  ['a delay without end', { delayMs: Number.POSITIVE_INFINITY }, 'delayMs', /got Infinity/],
  ['zero times', { status: 500, times: 0 }, 'times', /a whole number above 0 or Infinity, got 0/],
  ['one and a half times', { status: 500, times: 1.5 }, 'times', /got 1.5/],
  ['an invalid status', { status: 42 }, 'status', /a status from 200 to 599, got 42/],
  ['drop as text', { drop: 'yes' }, 'drop', /true or false/],
  ['a body without a status', { delayMs: 1, body: {} }, 'body', /expected a status with it/],
  ['headers without a status', { delayMs: 1, headers: {} }, 'headers', /expected a status with it/],
  [
    'a status that is dropped',
    { drop: true, status: 500 },
    'status',
    /does nothing with drop: expected only method, path, delayMs, times/,
  ],
  [
    'an evaluation at a path',
    { evaluation: true, path: '/evaluate' },
    'path',
    /does nothing with evaluation: expected only times/,
  ],
  [
    'a body that JSON cannot hold',
    { status: 500, body: 5n },
    'body',
    /a value that JSON can hold, text or bytes, got a bigint/,
  ],
  ['a body that JSON leaves out', { status: 500, body: () => 1 }, 'body', /a value that JSON can hold, .* a function/],
  ['invalid headers', { status: 500, headers: { 'a b': 'canary' } }, 'headers', /expected an object of header values$/],
];

describe('a fault is refused', () => {
  test.each(faults)('%s', async (_, fault, field, message) => {
    const mock = await createMock();
    expect(thrown(() => mock.fail(fault as MockFault))).toEqual(refusal(field, message));
    mock.assertFaultsUsed();
  });

  test.each(['always', 'never'] as const)('an evaluation that type %s never asks for', async (type) => {
    const mock = await createMock({ authorization: { type } });
    expect(thrown(() => mock.fail({ evaluation: true }))).toEqual(
      refusal('evaluation', /can never happen.*expected central/),
    );
    const gated = await createMock({ authorization: { type }, central: true });
    gated.fail({ evaluation: true })();
  });
});

describe('a filter is refused', () => {
  test.each(filters)('%s', async (_, filter, field, message) => {
    const mock = await createMock();
    expect(thrown(() => mock.requests.find(filter as RequestFilter))).toEqual(refusal(field, message));
    await expect(mock.waitFor(filter as RequestFilter)).rejects.toEqual(refusal(field, message));
  });

  test.each([0, -1, Number.NaN, '5'])('waiting for %s ms', async (timeout) => {
    const mock = await createMock();
    await expect(mock.waitFor({}, { timeout: timeout as number })).rejects.toEqual(refusal('timeout', /above 0/));
  });

  test('in waitFor, if no requests are kept', async () => {
    const mock = await createMock({ limits: { log: 0 } });
    await expect(mock.waitFor({})).rejects.toEqual(refusal('limits.log', /is 0, so no requests are kept/));
  });
});

describe('the clock refuses invalid times and does not move', () => {
  const now = '2026-11-20T12:00:00Z';

  test.each([
    ['soon', /a valid Date, milliseconds since 1970 or an ISO 8601 text like "2026-11-20T12:00Z", got a string/],
    ['2026-11-20T12:00:00', /ISO 8601/],
    ['2026-13-40T12:00:00Z', /ISO 8601/],
    ['2026-02-31T12:00:00Z', /ISO 8601/],
    [new Date('nonsense'), /expected a valid Date, .*, got a Date$/],
    [Number.NaN, /got NaN/],
    [9e15, /got 9000000000000000/],
    [null, /got null/],
    [undefined, /got undefined/],
  ])('set(%s)', async (time, message) => {
    const mock = await createMock({ now });
    expect(thrown(() => mock.clock.set(time as never))).toEqual(refusal('time', message));
    expect(mock.clock.now()).toBe(Date.parse(now));
  });

  test.each(['-1h', 'soon', '', 3_600, undefined])('advance(%s)', async (duration) => {
    const mock = await createMock({ now });
    expect(thrown(() => mock.clock.advance(duration as never))).toEqual(
      refusal('duration', /a duration like "1h", "90m"/),
    );
    expect(mock.clock.now()).toBe(Date.parse(now));
  });

  test('advance beyond the last valid Date', async () => {
    const mock = await createMock({ now });
    expect(thrown(() => mock.clock.advance('9999999999h'))).toEqual(refusal('duration', /exceeds the last time/));
    expect(mock.clock.now()).toBe(Date.parse(now));
  });
});

describe('restore refuses', () => {
  const refuse = async (snapshot: unknown, message: RegExp) => {
    const mock = await createMock();
    expect(thrown(() => mock.restore(snapshot as MockSnapshot))).toEqual(refusal('snapshot', message));
  };

  test('a snapshot of another version', () => refuse({ version: 2 }, /expected version 1, got 2/));
  test('a snapshot of another mock', async () => {
    const other = await createMock();
    await refuse(other.snapshot(), /expected a snapshot of this mock, got one of another mock/);
  });
  test('a copy of a snapshot', async () => {
    const mock = await createMock();
    expect(thrown(() => mock.restore({ ...mock.snapshot() }))).toEqual(
      refusal('snapshot', /of another mock|of this mock/),
    );
  });
  test.each([undefined, null, 'text', {}])('%s', (snapshot) =>
    refuse(snapshot, /expected a snapshot of this mock, got/),
  );
});

test('a snapshot shows its version only, and no names or passwords', async () => {
  const mock = await createMock({ users: [{ name: 'alice', password: 'canary' }] });
  const snapshot = mock.snapshot();
  expect([JSON.stringify(snapshot), Reflect.ownKeys(snapshot)]).toEqual(['{"version":1}', ['version']]);
});

describe('a route is refused', () => {
  const handler = () => ({});

  test.each([
    '/_integration/authn/v1/validate',
    '/_integration/mine',
    '/_management/permissions/role',
    '/_login',
    '/_open/auth',
    '/_db/:db/_open/auth',
    '/_db/shop/_echo/x',
    '/_api/version',
    '/_db/:db/_api/version',
  ])('%s is served by the mock', async (path) => {
    const mock = await createMock();
    expect(thrown(() => mock.route('GET', path, handler))).toEqual(
      refusal('path', /is served by the mock itself: expected a pattern like "\/_db\/:db\/my-service\/\*"/),
    );
  });

  test.each([
    ['an invalid method', 'GET POST', '/x', handler, 'method', /the name of an HTTP method/],
    ['a path without its slash', 'GET', 'x', handler, 'path', /starts with "\/"/],
    ['a wildcard in the middle', 'GET', '/x/*/y', handler, 'path', /a "\*" as the last one/],
    ['no path', 'GET', undefined, handler, 'path', /a pattern like/],
    ['no handler', 'GET', '/x', undefined, 'handler', /a function, got undefined/],
  ])('%s', async (_, method, path, given, field, message) => {
    const mock = await createMock();
    expect(thrown(() => mock.route(method, path as string, given as never))).toEqual(refusal(field, message));
  });
});

describe('explain refuses', () => {
  test.each([
    [{ action: 'a:b', resource: 'r' }, 'user', /a user, roles or superuser: true, got undefined/],
    [{ user: 5, action: 'a:b', resource: 'r' }, 'user', /a string, got a number/],
    [{ user: 'alice', resource: 'r' }, 'action', /a string, got undefined/],
    [{ user: 'alice', action: 'a:b', resource: 'r', context: {} }, 'context', /unknown; accepted are user, roles/],
    [{ roles: 'viewer', action: 'a:b', resource: 'r' }, 'roles', /a list/],
    [undefined, 'request', /an object, got undefined/],
  ])('%o', async (request, field, message) => {
    const mock = await createMock();
    expect(thrown(() => mock.explain(request as never))).toEqual(refusal(field, message));
  });
});

describe('a token is refused', () => {
  test.each([
    ['no flaw', {}, 'forgery', /one of expired, notYetValid, wrongKey, none, algorithm or claims/],
    ['a flaw that is off', { expired: false }, 'forgery', /one of expired/],
    [
      'a misspelt flaw',
      { expire: true },
      'expire',
      /unknown \(did you mean "expired"\?\); accepted are user, groups, lifetime, expired/,
    ],
    ['a flaw as text', { expired: 'yes' }, 'expired', /true or false/],
    ["the key's own algorithm", { algorithm: 'HS256' }, 'algorithm', /one of HS384, HS512, ES256/],
    [
      'no signature by another key',
      { none: true, wrongKey: true },
      'none',
      /cannot be combined with wrongKey or algorithm/,
    ],
    [
      'another key and algorithm',
      { algorithm: 'ES256', wrongKey: true },
      'wrongKey',
      /cannot be combined with algorithm/,
    ],
    ['claims that are a list', { claims: [] }, 'claims', /an object, got a list/],
    ['a user that is a number', { expired: true, user: 5 }, 'user', /a string or null, got 5/],
  ])('forge: %s', async (_, forgery, field, message) => {
    const mock = await createMock();
    await expect(mock.tokens.forge(forgery as never)).rejects.toEqual(refusal(field, message));
  });

  test.each([
    ['a lifetime without a unit', { lifetime: 5 }, 'lifetime', /a duration like/],
    ['groups that are text', { groups: 'viewer' }, 'groups', /a list/],
    ['a group that is a number', { groups: ['a', 1] }, 'groups[1]', /a string, got a number/],
    ['a misspelt field', { name: 'alice' }, 'name', /unknown; accepted are user, groups, lifetime/],
  ])('issue: %s', async (_, request, field, message) => {
    const mock = await createMock();
    await expect(mock.tokens.issue(request as never)).rejects.toEqual(refusal(field, message));
  });

  test('revoke refuses an empty token', async () => {
    const mock = await createMock();
    expect(thrown(() => mock.tokens.revoke(''))).toEqual(refusal('token', /a token, got an empty string/));
  });
});

describe('handlers are refused', () => {
  test.each([
    [{ url: 'mock.test' }, 'url'],
    [{ url: 'http://mock.test/prefix' }, 'url'],
    [{ url: 'http://mock.test/?x=1' }, 'url'],
    [{ url: 'ftp://mock.test' }, 'url'],
    [{ origin: 'http://mock.test' }, 'origin'],
  ])('%o', async (options, field) => {
    const mock = await createMock();
    expect(thrown(() => handlers(mock, options as never))).toEqual(refusal(field, /expected|accepted/));
  });
});
