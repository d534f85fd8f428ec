import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/mock/index.js';
import { bearer, call, everything, validate } from '../support/calls.js';
import { partOf, runsOf } from '../support/thorough.ts';

const authn = '/_integration/authn/v1';
const authz = '/_integration/authorization/v1';
const permissions = '/_management/permissions';
const fidelities = ['documented', 'sidecar'] as const;

/** Every endpoint that takes a body. */
const withBody: readonly (readonly [string, string])[] = [
  ['POST', `${authn}/validate`],
  ['POST', `${authn}/createToken`],
  ['POST', `${authn}/login`],
  ['POST', '/_login'],
  ['POST', `${authz}/evaluate`],
  ['POST', `${authz}/evaluate-many`],
  ['POST', `${authz}/evaluate-token`],
  ['POST', `${authz}/evaluate-token-many`],
  ['POST', `${permissions}/validate`],
  ['POST', `${permissions}/refresh`],
  ['POST', `${permissions}/policy/p`],
  ['PUT', `${permissions}/role/r`],
  ['POST', `${permissions}/user/u/role/r`],
  ['POST', '/_management/authentication/keys'],
];

const serviceError = { code: expect.any(Number), message: expect.any(String), details: [] };

async function admin(mock: Mock): Promise<Record<string, string>> {
  return bearer(await mock.tokens.issue({ user: null }));
}

describe.each(fidelities)('bad input in %s fidelity', (fidelity) => {
  it.each(withBody)('%s %s: a body that is not an object of JSON in UTF-8', async (method, path) => {
    const mock = await createMock({ fidelity, limits: { bodyBytes: 100_000 } });
    const headers = await admin(mock);
    const deep = (n: number) => `${'['.repeat(n)}${']'.repeat(n)}`;
    const bodies = ['null', '[]', '"x"', '7', '{', 'not json', '\u0000', deep(50_000)];
    // The observed services ignore text after the first value.
    if (fidelity === 'documented') bodies.push('{"a":1}}', '{}x');
    for (const body of bodies) {
      const answer = await call(mock, method, path, body, headers);
      expect([body.slice(0, 20), answer.status, answer.body]).toEqual([
        body.slice(0, 20),
        400,
        { ...serviceError, code: 3 },
      ]);
    }
    // gRPC's own limit of a message.
    const large = await call(mock, method, path, 'x'.repeat(100_001), headers);
    expect([large.status, large.body]).toEqual([429, { ...serviceError, code: 8 }]);
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    expect((await mock.fetch(`http://mock.test${path}`, { method, headers, body: bytes })).status).toBe(400);
  });

  it.each([
    [`${authn}/validate`, 'token'],
    [`${authn}/createToken`, 'user'],
    [`${authn}/createToken`, 'lifetime'],
    [`${authn}/createToken`, 'groups'],
    [`${authz}/evaluate`, 'user'],
    [`${authz}/evaluate`, 'roles'],
    [`${authz}/evaluate`, 'action'],
    [`${authz}/evaluate`, 'resource'],
    [`${authz}/evaluate`, 'context'],
    [`${authz}/evaluate-many`, 'items'],
    [`${permissions}/policy/p`, 'item'],
    [`${permissions}/role/r`, 'item'],
    [`${permissions}/user/u/role/r`, 'scope'],
  ])('%s: a wrong type of %s is 400 and quotes nothing', async (path, field) => {
    const mock = await createMock({ fidelity });
    const headers = await admin(mock);
    for (const value of [470_011, true, ['a', null], 'canary']) {
      if (typeof value === 'string' && ['token', 'user', 'action', 'resource'].includes(field)) continue;
      const answer = await call(mock, 'POST', path, { [field]: value }, headers);
      expect([value, answer.status, answer.body]).toEqual([value, 400, { ...serviceError, code: 3 }]);
      expect(JSON.stringify(answer.body)).not.toMatch(/canary|470011/);
    }
  });

  it('refuses invalid tokens everywhere, whatever their length', async () => {
    const mock = await createMock({ fidelity });
    const good = await mock.tokens.issue();
    const long = 'x'.repeat(1_000_000);
    const forged = await Promise.all([
      mock.tokens.forge({ none: true }),
      mock.tokens.forge({ algorithm: 'HS512' }),
      mock.tokens.forge({ claims: { iat: 4_000_000_000 } }),
      mock.tokens.forge({ claims: { x: 'y'.repeat(20_000) } }),
    ]);
    for (const token of [
      '',
      '.',
      '..',
      'a.b.c',
      `${good} `,
      `${good}=`,
      `${good}.`,
      good.slice(0, -2),
      long,
      ...forged,
    ]) {
      expect(await validate(mock, token)).toEqual({ isValid: false, message: expect.any(String) });
      const evaluated = await call(mock, 'POST', `${authz}/evaluate-token`, { token, action: 'a:b', resource: '' });
      expect([evaluated.status, evaluated.body.message]).toEqual([400, 'JWT Token is invalid']);
      if (token === '' || token.endsWith(' ')) continue;
      expect((await call(mock, 'GET', `${authn}/identity`, undefined, bearer(token))).status).toBe(401);
      expect((await call(mock, 'GET', `${permissions}/role`, undefined, bearer(token))).status).toBe(401);
      expect((await call(mock, 'GET', '/_api/version', undefined, bearer(token))).status).toBe(401);
    }
  });

  it('accepts a token without an expiry', async () => {
    const mock = await createMock({ fidelity });
    const token = await mock.tokens.forge({ claims: { exp: undefined } });
    expect(await validate(mock, token)).toMatchObject({ isValid: true, details: { lifetime: '3600s' } });
  });

  it('names of Object.prototype are ordinary names', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a b', 'ü:*'];
    const policies = Object.fromEntries(names.map((name) => [name, everything]));
    const mock = await createMock({ fidelity, policies, users: names.map((name) => ({ name, password: name })) });
    const headers = await admin(mock);
    for (const name of names) {
      const path = encodeURIComponent(name);
      expect((await call(mock, 'GET', `${permissions}/policy/${path}`, undefined, headers)).body).toMatchObject({
        name,
      });
      expect((await call(mock, 'GET', `${permissions}/role/${path}`, undefined, headers)).status).toBe(404);
      expect((await call(mock, 'GET', `${permissions}/user/${path}/role`, undefined, headers)).body).toEqual({
        bindings: [],
      });
      const question = { user: name, roles: [name], action: `${name}:x`, resource: name };
      expect((await call(mock, 'POST', `${authz}/evaluate`, question)).body.effect).toBe('Deny');
      const wrong = { credentials: { username: name, password: '' } };
      expect((await call(mock, 'POST', `${authn}/login`, wrong)).status).toBe(401);
      const right = { credentials: { username: name, password: name } };
      expect((await call(mock, 'POST', `${authn}/login`, right)).status).toBe(200);
      const made = await call(mock, 'POST', `${permissions}/role/${path}`, { item: { policies: [name] } }, headers);
      expect(made.body).toMatchObject({ name, item: { policies: [name] } });
    }
    const many = await call(
      mock,
      'POST',
      `${authz}/evaluate`,
      '{"user":"x","context":{"parameters":{"__proto__":{}}}}',
    );
    expect(many.status).toBe(200);
  });

  it('a lone surrogate, a bad escape in a path, an empty name, too many items', async () => {
    const mock = await createMock({ fidelity, limits: { items: 3 } });
    const headers = await admin(mock);
    expect((await call(mock, 'POST', `${authn}/createToken`, '{"user":"\\ud800"}')).status).toBe(400);
    expect((await call(mock, 'GET', `${permissions}/policy/%ff`, undefined, headers)).status).toBe(500);
    // The HTTP server refuses it, in plain text.
    const refused = await mock.fetch(`${mock.connection.url}${permissions}/policy/%zz`, { headers });
    expect([refused.status, await refused.text()]).toEqual([400, '400 Bad Request']);
    expect((await call(mock, 'POST', `${permissions}/role/`, { item: {} }, headers)).status).toBe(400);
    expect((await call(mock, 'POST', `${permissions}/user/u/role/`, { scope: {} }, headers)).status).toBe(400);
    const items: unknown[] = [{}, {}, {}, {}];
    expect((await call(mock, 'POST', `${authz}/evaluate-many`, { user: 'u', items })).status).toBe(400);
    expect((await call(mock, 'POST', `${authz}/evaluate-many`, { user: 'u', items: items.slice(1) })).status).toBe(200);
    // Counted before they are checked.
    const unread = await call(mock, 'POST', `${authz}/evaluate-many`, { user: 'u', items: [...items, 5] });
    expect(unread.body.message).toBe('items: more than 3');
    expect((await call(mock, 'POST', `${authz}/evaluate-many`, { items: 'canary' })).status).toBe(400);
  });
});

/** The recorded answer of the gateway, in both fidelities, to a path whose bytes are not UTF-8. */
const notSent = 'grpc: error while marshaling: string field contains invalid UTF-8';
/** The other internal errors in the recordings, in sidecar fidelity only. */
const recorded = /^(?:not found$|Received \d+ errors: statements: |invalid policy statement: )/;

const paths = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...withBody.map(([, path]) => path),
      '/_db/x/_echo/y',
      '/_open/auth',
      '/_api/version',
      '/_logout',
    ),
  },
  fc.webPath().map((path) => `/${path}`),
  fc
    .string({ unit: 'binary', maxLength: 30 })
    .map((text) => `${permissions}/policy/${encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''))}`),
  fc.string({ maxLength: 20 }).map((text) => `${permissions}/role/${text.replace(/[?#]/g, '')}`),
);
const fields = ['token', 'user', 'lifetime', 'groups', 'credentials', 'items', 'item', 'scope', 'action', 'checksum'];
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.json(),
  fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()).map((value) => JSON.stringify(value)),
  fc
    .record({
      effect: fc.oneof(fc.constantFrom('Allow', 'Deny', 'x'), fc.integer(), fc.constant(null)),
      actions: fc.array(fc.string({ unit: fc.constantFrom('a', ':', '*'), maxLength: 5 }), { maxLength: 3 }),
      resources: fc.array(fc.string({ unit: fc.constantFrom('a', ':', '*'), maxLength: 5 }), { maxLength: 3 }),
    })
    .map((statement) => JSON.stringify({ item: { statements: [statement] }, scope: { statements: [statement] } })),
);

describe('2 000 requests of arbitrary bytes', () => {
  it.each(fidelities)('cause no 500 beyond those of the recordings (%s)', async (fidelity) => {
    const mock = await createMock({ fidelity });
    const headers = await admin(mock);
    const bases = [headers, headers, { authorization: `basic ${btoa('root:')}` }, {}];
    let [refused, served] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE', 'PATCH'),
        paths,
        fc.option(fc.webQueryParameters(), { nil: undefined }),
        bodies,
        fc.constantFrom(...bases),
        async (method, path, query, body, base) => {
          const init: RequestInit = { method, headers: base, redirect: 'manual' };
          if (method !== 'GET') init.body = typeof body === 'string' ? body : body.slice();
          const response = await mock.fetch(`http://mock.test${path}${query === undefined ? '' : `?${query}`}`, init);
          const text = await response.text();
          if (response.status < 400) served += 1;
          else refused += 1;
          if (response.status < 500 || response.status === 501) return;
          const { message } = JSON.parse(text) as { message: string };
          if (message === notSent) return void expect(() => decodeURIComponent(path)).toThrow();
          expect([fidelity, text]).toEqual(['sidecar', expect.stringMatching(/"code":13/)]);
          expect(message).toMatch(recorded);
        },
      ),
      runsOf(1_000),
    );
    expect(Math.min(refused, served)).toBeGreaterThan(partOf(50));
  });
});
