import { describe, expect, it } from 'vitest';
import { createMock, type MockConfig } from '../../../src/mock/index.js';
import { call, everything } from '../../support/calls.js';

/** Returns the error of `createMock` for an untyped configuration. */
async function refusal(config: unknown): Promise<{ field?: string; message: string }> {
  const error = await createMock(config as MockConfig).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
  return error as { field?: string; message: string };
}

describe('the configuration', () => {
  it('takes undefined for every optional field, like a field that is left out', async () => {
    const config: MockConfig = {
      $schema: undefined,
      fidelity: undefined,
      now: undefined,
      authentication: {
        enabled: undefined,
        mode: undefined,
        keys: undefined,
        token: { user: undefined, ttl: undefined },
      },
      central: undefined,
      authorization: { type: undefined, mode: undefined, coreDb: undefined },
      users: undefined,
      policies: undefined,
      roles: undefined,
      bindings: undefined,
      routes: [{ method: undefined, path: '/_db/:db/x', echo: undefined, status: undefined, headers: undefined }],
      gateway: { integration: undefined, cookiesSupport: undefined },
      authzen: undefined,
      limits: { bodyBytes: undefined, items: undefined, tokenBytes: undefined, log: undefined, logBytes: undefined },
    };
    const mock = await createMock(config);
    const { settings } = await createMock({ routes: [{ path: '/_db/:db/x' }] });
    expect(mock.settings).toEqual(settings);
    await createMock({ authentication: undefined, authorization: undefined, gateway: undefined, limits: undefined });
  });

  it.each<[string, unknown]>([
    ['fidelity', { fidelity: 'real' }],
    ['now', { now: 'yesterday' }],
    ['now', { now: '2026-11-20' }],
    ['authentication.mode', { authentication: { mode: 'native' } }],
    ['authentication.enabled', { authentication: { enabled: 'yes' } }],
    ['authentication.token.ttl.max', { authentication: { token: { ttl: { max: 3600 } } } }],
    ['authentication.token.ttl.min', { authentication: { token: { ttl: { min: '1 hour' } } } }],
    ['authentication.token.ttl.max', { authentication: { token: { ttl: { min: '2h', max: '1h' } } } }],
    ['authentication.keys.passive[1]', { authentication: { keys: { passive: ['a', 5] } } }],
    ['authorization.type', { authorization: { type: 'sometimes' } }],
    ['central', { central: 1 }],
    ['users[0].name', { users: [{ name: '' }] }],
    ['policies.p', { policies: { p: [] } }],
    ['policies.p.statements', { policies: { p: {} } }],
    ['policies.p.statements[0].effect', { policies: { p: { statements: [{ effect: 'Maybe' }] } } }],
    [
      'policies.p.statements[0].actions[1]',
      { policies: { p: { statements: [{ effect: 'Allow', actions: ['a:b', 'c'] }] } } },
    ],
    ['policies.__proto__.statements', JSON.parse('{"policies":{"__proto__":{"statements":5}}}')],
    ['roles.r.policies', { roles: { r: { policies: 'p' } } }],
    [
      'roles.r.scope.statements[0].resources[0]',
      { roles: { r: { policies: [], scope: { statements: [{ effect: 'Allow', resources: ['*x*'] }] } } } },
    ],
    ['bindings[0].role', { bindings: [{ user: 'u' }] }],
    ['bindings[0].scope.statements', { bindings: [{ user: 'u', role: 'r', scope: {} }] }],
    [
      'bindings[1]',
      {
        bindings: [
          { user: 'u', role: 'r' },
          { user: 'u', role: 'r', scope: everything },
        ],
      },
    ],
    ['users[2]', { users: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }],
    ['limits.log', { limits: { log: -1 } }],
    ['limits.items', { limits: { items: 1.5 } }],
    ['port', { port: 1 }],
    ['configuration', []],
  ])('names the field that is not valid: %s', async (field, config) => {
    expect(await refusal(config)).toMatchObject({ field });
  });

  it('reports every error, and quotes no value', async () => {
    const { message } = await refusal({
      fidelity: 'canary',
      users: [{ name: 'a', pasword: 'canary' }],
      authentication: { keys: { active: 'canary', extra: 1, pasive: [] } },
      policies: { p: { statements: [{ effect: 'canary' }] }, q: 7 },
    });
    for (const path of [
      'fidelity: ',
      'users[0].pasword: unknown (did you mean "password"?); accepted are name, password',
      'authentication.keys.extra: unknown; accepted are active, passive',
      'authentication.keys.pasive: unknown (did you mean "passive"?); accepted are active, passive',
      'policies.q: ',
    ]) {
      expect(message).toContain(path);
    }
    expect(message.split('\n').length).toBeGreaterThanOrEqual(4);
    expect(message).not.toContain('canary');
  });

  it('accepts what the sidecar accepts: invalid patterns and effects', async () => {
    const statements = [{ effect: 'Maybe', actions: ['*a*:b'], resources: ['*x*'] }];
    const mock = await createMock({ fidelity: 'sidecar', policies: { p: { statements } } } as unknown as MockConfig);
    const admin = { authorization: `bearer ${await mock.tokens.issue({ user: null })}` };
    const { body } = await call(mock, 'GET', '/_management/permissions/policy/p', undefined, admin);
    expect(body).toMatchObject({ item: { statements: [{ effect: 'Deny', actions: ['*a*:b'], resources: ['*x*'] }] } });
  });

  it('fills in the defaults, and keeps root unless it is listed', async () => {
    const { settings } = await createMock({ users: [{ name: 'alice', password: 'pw' }], limits: { log: 5 } });
    expect(settings).toMatchObject({
      fidelity: 'documented',
      authentication: { enabled: true, mode: 'Native', token: { user: 'root', minMs: 60_000, maxMs: 3_600_000 } },
      authorization: { type: 'central', mode: 'RBAC' },
      limits: { bodyBytes: 4_194_304, items: 1000, tokenBytes: 16_384, log: 5 },
    });
    expect([...settings.users]).toEqual([
      ['root', ''],
      ['alice', 'pw'],
    ]);
    const own = await createMock({ users: [{ name: 'root', password: 'secret' }] });
    expect([...own.settings.users]).toEqual([['root', 'secret']]);
  });

  it('keeps no references to caller objects', async () => {
    const policy = structuredClone(everything) as unknown as {
      statements: { effect: string; actions: string[]; resources: string[] }[];
    };
    const mock = await createMock({
      policies: { p: policy },
      roles: { r: { policies: ['p'] } },
      bindings: [{ user: 'u', role: 'r', scope: everything }],
    } as unknown as MockConfig);
    policy.statements.length = 0;
    const question = { user: 'u', action: 'a:b', resource: 'c' };
    const { body } = await call(mock, 'POST', '/_integration/authorization/v1/evaluate', question);
    expect(body.effect).toBe('Allow');
  });

  it('keeps at most `limits.log` requests, and none when it is 0', async () => {
    for (const cap of [3, 0]) {
      const mock = await createMock({ limits: { log: cap } });
      for (let i = 0; i < 5; i += 1) await call(mock, 'GET', `/before/${i}`);
      expect(mock.requests).toHaveLength(cap);
      for (let i = 0; i < 2; i += 1) await call(mock, 'GET', `/after/${i}`);
      expect(mock.requests.map(({ path }) => path)).toEqual(cap === 0 ? [] : ['/before/4', '/after/0', '/after/1']);
    }
  });
});
