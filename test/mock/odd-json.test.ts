import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/mock/index.js';
import { bearer, call, everything } from '../support/calls.js';

const authz = '/_integration/authorization/v1';
const permissions = '/_management/permissions';
const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

/** Returns the answer of a call: its status, and the message of a refusal. */
async function answer(mock: Mock, method: string, path: string, body?: string): Promise<readonly unknown[]> {
  const headers = bearer(await mock.tokens.issue({ user: null }));
  const { status, body: said } = await call(mock, method, path, body, headers);
  return status === 200 ? [200] : [status, said.message];
}

describe.each(['documented', 'sidecar'] as const)('odd JSON in %s fidelity', (fidelity) => {
  const make = () => createMock({ fidelity, policies: { p: everything }, roles: { r: { policies: ['p'] } } });

  it.each([
    ['a key twice', '{"user":"a","user":"b"}', 'user'],
    ['a key twice, escaped', '{"user":"a","\\u0075ser":"b"}', 'user'],
    ['a key twice, null first', '{"user":null,"user":"b"}', 'user'],
    ['a key twice, apart', '{"action":"a:b","x":{"action":[{}]},"user":"a","action":"a:b"}', 'action'],
    ['a key of a message twice', '{"context":{"parameters":{},"parameters":{}}}', 'parameters'],
    ['a key of a map twice', '{"context":{"parameters":{"ip":{"values":[]},"ip":{"values":[]}}}}', '*'],
  ])('%s is 400', async (_, body, field) => {
    expect(await answer(await make(), 'POST', `${authz}/evaluate`, body)).toEqual([400, `duplicate field "${field}"`]);
  });

  it.each([
    ['an unknown key twice', '{"x":1,"x":2,"user":"a"}'],
    ['a known key twice in an unknown field', '{"x":{"user":1,"user":2},"user":"a"}'],
    ['the same key in two messages', '{"user":"a","x":[{"user":1},{"user":2}]}'],
    ['the same text as a value', '{"user":"user","action":"user","resource":":\\""}'],
    ['other spellings of a key', '{"user":"a","User":"b","USER":5}'],
    ['names of the prototype', '{"__proto__":1,"__proto__":2,"constructor":1,"constructor":2,"user":"a"}'],
    ['a pair of surrogates', '{"user":"\\ud83d\\ude00 \\\\ud83d","x":"\\\\\\ud83d\\ude00"}'],
  ])('%s is taken', async (_, body) => {
    expect(await answer(await make(), 'POST', `${authz}/evaluate`, body)).toEqual([200]);
  });

  it('a key twice in an item of a list is 400, in either item', async () => {
    const mock = await make();
    for (const items of ['[{"action":"a:b"},{"action":"a:b","action":"c:d"}]', '[{"action":1,"action":"a:b"},{}]']) {
      const said = await answer(mock, 'POST', `${authz}/evaluate-many`, `{"user":"a","items":${items}}`);
      expect(said).toEqual([400, 'duplicate field "action"']);
    }
  });

  it('an effect twice, a list twice and a message twice are 400', async () => {
    const mock = await make();
    for (const [item, field] of [
      ['{"statements":[{"effect":"Deny","effect":"Allow"}]}', 'effect'],
      ['{"statements":[],"statements":[]}', 'statements'],
      ['{},"item":{}', 'item'],
    ]) {
      const said = await answer(mock, 'POST', `${permissions}/policy/q`, `{"item":${item}}`);
      expect(said).toEqual([400, `duplicate field "${field}"`]);
    }
  });

  it.each([
    ['a value', '{"user":"\\ud83d"}'],
    ['a value, the second half', '{"user":"\\uDE00\\uD83D"}'],
    ['a value behind a backslash', '{"user":"\\\\\\ud83dx"}'],
    ['a key', '{"\\ud83d":1}'],
    ['an unknown field', '{"x":["\\ud83d\\u0041"]}'],
  ])('half of a surrogate pair in %s is 400', async (_, body) => {
    const [status, message] = await answer(await make(), 'POST', `${authz}/evaluate`, body);
    expect([status, String(message)]).toEqual([400, expect.stringContaining('half of a surrogate pair')]);
  });

  it('name, user and role of a body must be text, although the path overrides them', async () => {
    const mock = await make();
    const item = JSON.stringify(everything);
    const binding = `${permissions}/user/alice/role/r`;
    const rows: [string, string, string][] = [
      [`${permissions}/policy/n`, `{"name":5,"item":${item}}`, 'name'],
      [`${permissions}/role/n`, '{"name":[],"item":{}}', 'name'],
      [binding, `{"user":{},"scope":${JSON.stringify(scope)}}`, 'user'],
      [binding, `{"role":false,"scope":${JSON.stringify(scope)}}`, 'role'],
    ];
    for (const [path, body, field] of rows) {
      const [status, message] = await answer(mock, 'POST', path, body);
      expect([status, String(message)]).toEqual([400, expect.stringContaining(`field ${field}: expected a string`)]);
      const named = body.replace(/"(name|user|role)":[^,]+/, '"$1":"other"');
      expect(await answer(mock, 'POST', path, named)).toEqual(field === 'role' ? [409, expect.any(String)] : [200]);
    }
    expect(mock.explain({ user: 'alice', action: 'a:b', resource: 'x' }).decision.effect).toBe('Allow');
    expect(mock.explain({ user: 'other', action: 'a:b', resource: 'x' }).decision.effect).toBe('Deny');
  });

  it.each([
    ['x=%zz', '%zz'],
    ['page=1&x=%', '%'],
    ['x=%4&page=1', '%4'],
    ['%g0=1', '%g0'],
  ])('a wrong escape in a query (%s) is 400', async (query, wrong) => {
    const mock = await make();
    const said = [400, `invalid URL escape "${wrong}"`];
    for (const kind of ['policy', 'role'])
      expect(await answer(mock, 'GET', `${permissions}/${kind}?${query}`)).toEqual(said);
    expect(await answer(mock, 'GET', `/_integration/authn/v1/logout?${query}`)).toEqual(said);
    expect(await answer(mock, 'GET', `${permissions}/policy?x=%7a%C3%BC`)).toEqual([200]);
  });
});

describe('text after the first JSON value of a body', () => {
  it.each(['x', '}', ' {"user":5}', '"', '\n\\ud83d', ']'])('is ignored by the services: %j', async (rest) => {
    const body = `{"user":"alice","action":"a:b","resource":"}"}${rest}`;
    const sidecar = await createMock({ fidelity: 'sidecar' });
    expect(await answer(sidecar, 'POST', `${authz}/evaluate`, body)).toEqual([200]);
    const documented = await createMock();
    const [status, message] = await answer(documented, 'POST', `${authz}/evaluate`, body);
    expect([status, message]).toEqual([400, 'the body is not valid JSON']);
  });

  it('is an error before it, in a value that is not closed, and at the database', async () => {
    const sidecar = await createMock({ fidelity: 'sidecar' });
    for (const body of ['x{}', '{"user":"a"', '{"a":{}', '{"a":1]', '\u00a0{}']) {
      expect(await answer(sidecar, 'POST', `${authz}/evaluate`, body)).toEqual([400, 'the body is not valid JSON']);
    }
    const login = await call(sidecar, 'POST', '/_open/auth', '{"username":"root","password":""}x', {});
    expect(login.status).toBe(400);
  });
});

describe('odd authorizations', () => {
  const list = `${permissions}/policy`;
  const identity = '/_integration/authn/v1/identity';
  const send = async (mock: Mock, path: string, headers: Record<string, string>) => {
    const { status, body } = await call(mock, 'GET', path, undefined, headers);
    return status === 200 ? [200] : [status, body.message];
  };
  const other = 'Grpc-Metadata-Authorization';

  it('a second space after the scheme is part of the token, except for identity', async () => {
    for (const [fidelity, reason] of [
      ['documented', 'token is malformed: could not base64 decode header'],
      ['sidecar', 'signature is invalid'],
    ] as const) {
      const mock = await createMock({ fidelity });
      const token = await mock.tokens.issue({ user: null });
      expect(await send(mock, list, { authorization: `Bearer ${token}` })).toEqual([200]);
      expect(await send(mock, list, { authorization: `Bearer  ${token}` })).toEqual([401, reason]);
      expect(await send(mock, identity, { authorization: `bearer  ${token}` })).toEqual([200]);
    }
  });

  it('a character that is not printable ASCII is the gateway’s 500', async () => {
    const said = 'header key "authorization" contains value with non-printable ASCII characters';
    const [documented, sidecar] = [await createMock(), await createMock({ fidelity: 'sidecar' })];
    for (const authorization of ['Bearer\tx', 'bearer x\ty', 'bearer \u00fc']) {
      expect(await send(sidecar, list, { authorization })).toEqual([500, said]);
      // Authentication does not go over gRPC.
      expect(await send(sidecar, identity, { authorization })).toEqual([401, 'Unauthenticated']);
      expect((await send(documented, list, { authorization }))[0]).toBe(401);
      expect((await send(sidecar, '/_api/version', { authorization }))[0]).toBe(401);
    }
  });

  it('Grpc-Metadata-Authorization is an authorization; if there are two, neither counts', async () => {
    const mock = await createMock({ fidelity: 'sidecar' });
    const authorization = `bearer ${await mock.tokens.issue({ user: null })}`;
    const cookie = `X-ArangoDB-Token-JWT=${await mock.tokens.issue({ user: null })}`;
    for (const path of [list, identity]) {
      expect(await send(mock, path, { [other]: authorization })).toEqual([200]);
      const two = { [other]: authorization, authorization, cookie };
      expect(await send(mock, path, two)).toEqual([401, path === list ? 'Unauthorized' : 'Unauthenticated']);
      // The gateway drops headers that gRPC cannot carry.
      expect(await send(mock, path, { [other]: 'bearer\tx', authorization })).toEqual([200]);
    }
    expect((await send(mock, '/_api/version', { [other]: authorization }))[0]).toBe(401);
  });

  it('Grpc-Metadata-Authorization is ignored in documented fidelity', async () => {
    const mock = await createMock();
    const authorization = `bearer ${await mock.tokens.issue({ user: null })}`;
    expect(await send(mock, list, { [other]: authorization })).toEqual([401, 'Unauthorized']);
    expect(await send(mock, list, { [other]: 'bearer x', authorization })).toEqual([200]);
  });
});

describe('duplicate names, in any number and spelling', () => {
  const names = ['user', 'roles', 'action', 'resource', 'context', 'x', 'y"', '\\', 'ü', 'ser', 'uer', 'u ser', ''];
  const key = fc.constantFrom(...names);
  const space = fc.constantFrom('', ' ', '\n');

  it('are found as a plain reader finds them', async () => {
    const mock = await createMock();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(key, space, space), { maxLength: 6 }), async (fields) => {
        const text = (name: string) => (name === 'context' ? '{}' : name === 'roles' ? '[]' : '"a:b}{\\""');
        const parts = fields.map(([name, before, behind]) => `${JSON.stringify(name)}${before}:${text(name)}${behind}`);
        const all = fields.map(([name]) => name);
        const twice = all.some((name, i) => names.indexOf(name) < 5 && all.indexOf(name) !== i);
        const [status] = await answer(mock, 'POST', `${authz}/evaluate`, `{${parts.join(',')}}`);
        expect(status).toBe(twice ? 400 : 200);
      }),
    );
  });
});
