import { describe, expect, test } from 'vitest';
import type { Access, Guard, GuardedRequest, ManyAccess } from '../../../src/enforce/guard/index.ts';
import { createGuard } from '../../../src/enforce/guard/index.ts';
import { clientOver, type Sent } from '../../client/services/support.ts';
import { allow, type Outcome, outcomes, refusal } from './outcomes.ts';

const token = 'header.claims.signature';
const url = 'https://orders.test/orders/7';
const cookie = `theme=dark; X-ArangoDB-Token-JWT=${token}`;
const ask = { action: 'orders:read', resource: 'order:7' };
const invalid = 'Bearer realm="orders", error="invalid_token"';
const none = 'Bearer realm="orders"';

interface Kind {
  readonly name: string;
  readonly request: GuardedRequest;
  /** The challenge of an immediate 401; without it the services are asked. */
  readonly challenge?: string;
  readonly cookies?: true;
}

const request = (headers: Record<string, string>, method = 'GET') => new Request(url, { method, headers });
const authorized = (authorization: string, method = 'GET') => request({ authorization }, method);
const twice = new Headers([
  ['authorization', `Bearer ${token}`],
  ['authorization', `Bearer ${token}`],
]);

const kinds: readonly Kind[] = [
  { name: 'no header', request: request({}), challenge: none },
  { name: 'an empty header', request: authorized(''), challenge: none },
  { name: 'Basic', request: authorized('Basic YWxpY2U6cHc='), challenge: none },
  { name: 'a scheme alone', request: authorized('Bearer'), challenge: invalid },
  { name: 'a longer scheme', request: authorized(`Bearers ${token}`), challenge: none },
  { name: 'two headers of a Request', request: new Request(url, { headers: twice }), challenge: invalid },
  {
    name: 'two headers of a record',
    request: { headers: { authorization: `Bearer ${token}`, Authorization: `Bearer ${token}` } },
    challenge: invalid,
  },
  { name: 'a list of headers', request: { headers: { authorization: ['Bearer a', 'Bearer b'] } }, challenge: invalid },
  { name: 'lower case', request: authorized(`bearer ${token}`) },
  { name: 'upper case', request: authorized(`BEARER ${token}`) },
  { name: 'spaces around', request: { headers: { authorization: `  Bearer   ${token}  ` } } },
  { name: 'a token with spaces', request: authorized('Bearer header.claims signature'), challenge: invalid },
  { name: 'a token with a quote', request: authorized('Bearer "header.claims.signature"'), challenge: invalid },
  { name: '20 kB', request: authorized(`Bearer ${'a'.repeat(20_480)}`), challenge: invalid },
  { name: 'the longest token', request: authorized(`Bearer ${'a'.repeat(16_384)}`) },
  { name: 'a cookie that is not accepted', request: request({ cookie }), challenge: none },
  { name: 'a cookie', request: request({ cookie }), cookies: true },
  { name: 'an empty cookie', request: request({ cookie: 'X-ArangoDB-Token-JWT=' }), cookies: true, challenge: none },
  { name: 'another cookie', request: request({ cookie: `session=${token}` }), cookies: true, challenge: none },
  { name: 'cookie and header', request: request({ cookie, authorization: `Bearer ${token}` }), cookies: true },
  { name: 'cookie and empty header', request: request({ cookie, authorization: '' }), cookies: true },
  {
    name: 'cookie and Basic',
    request: request({ cookie, authorization: 'Basic YWxpY2U6cHc=' }),
    cookies: true,
    challenge: none,
  },
  {
    name: 'cookie and a bad header',
    request: request({ cookie, authorization: 'Bearer a b' }),
    cookies: true,
    challenge: invalid,
  },
  { name: 'HEAD', request: authorized(`Bearer ${token}`, 'HEAD') },
  { name: 'HEAD without a token', request: request({}, 'HEAD'), challenge: none },
  { name: 'OPTIONS', request: authorized(`Bearer ${token}`, 'OPTIONS') },
  { name: 'OPTIONS without a token', request: request({}, 'OPTIONS'), challenge: none },
  { name: 'POST', request: authorized(`Bearer ${token}`, 'POST') },
  { name: 'Headers', request: new Headers({ authorization: `Bearer ${token}` }) },
  { name: 'a record', request: { Authorization: `Bearer ${token}` } },
  { name: 'a record of lists', request: { authorization: [`Bearer ${token}`] } },
];

function guarded(kind: Kind, { answer }: Pick<Outcome, 'answer'>): { guard: Guard; sent: Sent[] } {
  const { client, sent } = clientOver(answer);
  return { guard: createGuard(client, { realm: 'orders', ...(kind.cookies && { cookies: true }) }), sent };
}

/** Compares an access with the table, and its response with its own fields. */
async function expectAccess(access: Access | ManyAccess, kind: Kind, outcome: Outcome, sent: readonly Sent[]) {
  const { challenge } = kind;
  const { status, retryAfter } = challenge === undefined ? outcome : { status: 401 as const, retryAfter: undefined };
  expect(sent).toHaveLength(challenge === undefined ? 1 : 0);
  expect(access.status).toBe(status);
  if (status === 200) {
    expect([access.allowed, access.response]).toEqual([true, undefined]);
    expect(sent[0]?.body).toHaveProperty('token', access.token);
    return;
  }
  const expected = refusal(status, { challenge: challenge ?? invalid, ...(retryAfter && { retryAfter }) });
  expect(access).toMatchObject({ allowed: false, ...expected });
  expect(access.token).toBeUndefined();
  const response = access.response as Response;
  expect(response.status).toBe(status);
  expect(Object.fromEntries(response.headers)).toEqual(expected.headers);
  const isHead = kind.request instanceof Request && kind.request.method === 'HEAD';
  expect(await response.text()).toBe(isHead ? '' : JSON.stringify(expected.body));
}

describe.each(kinds)('$name', (kind) => {
  test.each(outcomes)('$name', async (outcome) => {
    const one = guarded(kind, outcome);
    await expectAccess(await one.guard.check(kind.request, ask), kind, outcome, one.sent);

    const many = guarded(kind, outcome);
    const access = await many.guard.checkMany(kind.request, [ask, { ...ask, resource: 'order:8' }]);
    // A Deny is the decision on an item, not on the whole.
    if (outcome.status !== 403 || kind.challenge !== undefined) return expectAccess(access, kind, outcome, many.sent);
    expect(access).toMatchObject({ allowed: false, status: 200, items: [{ allowed: false }, { allowed: false }] });
    expect(access.response).toBeUndefined();
  });
});

test('a service that times out is a 503 with the cause TIMEOUT', async () => {
  const { client } = clientOver(() => new Promise(() => undefined), { timeout: 5 });
  const access = await createGuard(client).check({ authorization: `Bearer ${token}` }, ask);
  expect(access).toMatchObject({ allowed: false, ...refusal(503) });
  expect(access).toHaveProperty('cause.code', 'TIMEOUT');
});

describe('authenticate', () => {
  const authenticate = (answer: unknown) =>
    createGuard(clientOver(() => answer).client).authenticate(kinds.find(({ name }) => name === 'HEAD')?.request ?? {});
  const details = { lifetime: '3600s', user: 'alice', groups: ['viewer'] };

  test('returns the owner of the token', async () => {
    const access = await authenticate({ isValid: true, message: '', details });
    expect(access).toMatchObject({ allowed: true, status: 200, user: 'alice', groups: ['viewer'] });
    expect(access.token).toBe(token);
  });

  test.each([
    ['a token that is not valid', { isValid: false, message: 'token is expired' }, 401],
    ['a failure', Response.json({ code: 16, message: 'no' }, { status: 401 }), 503],
    ['no answer', {}, 503],
  ])('allows nothing after %s', async (_name, answer, status) => {
    const access = await authenticate(answer);
    expect(access).toMatchObject({
      allowed: false,
      ...refusal(status, { challenge: 'Bearer error="invalid_token"' }),
    });
  });

  test('with identify a check knows the owner, too, with one request each', async () => {
    const { client, sent } = clientOver((one) =>
      one.path.endsWith('/validate') ? { isValid: true, details } : allow.answer(one),
    );
    const guard = createGuard(client, { identify: true });
    const headers = { authorization: `Bearer ${token}` };
    expect(await guard.check(headers, ask)).toMatchObject({ allowed: true, user: 'alice', groups: ['viewer'] });
    expect(await guard.checkMany(headers, [ask])).toMatchObject({ allowed: true, user: 'alice', groups: ['viewer'] });
    expect(sent.map(({ path }) => path.split('/').at(-1)).sort()).toEqual([
      'evaluate-token',
      'evaluate-token-many',
      'validate',
      'validate',
    ]);
  });

  test('a check allows nothing if the owner is unknown', async () => {
    const { client } = clientOver((one) => (one.path.endsWith('/validate') ? { isValid: false } : allow.answer(one)));
    const guard = createGuard(client, { identify: true });
    expect((await guard.check({ authorization: `Bearer ${token}` }, ask)).status).toBe(401);
    expect((await guard.checkMany({ authorization: `Bearer ${token}` }, [ask])).status).toBe(401);
  });
});
