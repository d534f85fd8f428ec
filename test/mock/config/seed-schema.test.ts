import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { readConfig } from '../../../src/mock/config/read-config.js';
import { actionFault, resourceFault } from '../../../src/policy/model/pattern.js';
import { everything } from '../../support/calls.js';
import { readVectors } from '../../support/replay.js';
import { runsOf } from '../../support/thorough.ts';

const schema = JSON.parse(readFileSync(`${root}dist/seed.schema.json`, 'utf8'));
const validate: ValidateFunction = new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);

/** Returns if the command accepts a seed, and if an editor does. */
function verdicts(seed: unknown): { command: boolean; editor: boolean } {
  let command = true;
  try {
    readConfig(seed);
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
    command = false;
  }
  return { command, editor: validate(seed) === true };
}

const policy = (statement: object) => ({ policies: { p: { statements: [statement] } } });
const valid: readonly unknown[] = [
  {},
  { $schema: './node_modules/arango-services/dist/seed.schema.json' },
  { fidelity: 'sidecar', now: '2026-11-20T12:00+01:00' },
  { authentication: { enabled: false, mode: 'SSO', keys: { active: 'a', passive: ['b'] }, token: { user: '' } } },
  { authentication: { token: { ttl: { min: '1s', max: '1h30m', default: '1.5h' } } } },
  { central: true, authorization: { type: 'never', mode: 'None', coreDb: 'Native' }, limits: { log: 0, items: 5 } },
  { users: [{ name: 'a' }, { name: 'b', password: '' }] },
  { routes: [{ path: '/_db/:db/a' }, { method: 'GET', path: '/_db/:db/a' }, { path: '/b/*', echo: true }] },
  { routes: [{ method: 'post', path: '/a', status: 409, headers: { 'x-a': 'b' }, body: { deep: [1, null] } }] },
  { policies: { p: everything }, roles: { r: { policies: ['p'], scope: null } }, bindings: [{ user: 'u', role: 'r' }] },
  policy({ effect: 'Deny', actions: ['*', 'a:*'], resources: ['*', 'a*:*b:c', 'a*b:*:c'] }),
  { fidelity: 'sidecar', ...policy({ effect: 'Maybe', actions: ['*a*:b', ''], resources: ['*x*'] }) },
  { fidelity: 'sidecar', ...policy({ effect: 7 }) },
  JSON.parse('{"policies": {"__proto__": {"statements": []}}}'),
];
const invalid: readonly unknown[] = [
  [],
  5,
  null,
  { port: 1 },
  { $schema: 5 },
  { fidelity: 'real' },
  { now: '2026-11-20' },
  { now: 5 },
  { authentication: { mode: 'native' } },
  { authorization: { coreDb: 'native' } },
  { authentication: { keys: { active: '' } } },
  { authentication: { keys: { passive: ['a', 5] } } },
  { authentication: { token: { ttl: { max: 3600 } } } },
  { authentication: { token: { ttl: { min: '1 hour' } } } },
  { authentication: { token: { ttl: { min: `${'1'.repeat(70)}s` } } } },
  { users: [{ name: '' }] },
  { users: [{ password: 'pw' }] },
  { limits: { log: -1 } },
  { routes: {} },
  { routes: [{}] },
  { routes: [{ path: 'a' }] },
  { routes: [{ path: '/a', status: 199 }] },
  { routes: [{ path: '/a', status: '200' }] },
  { routes: [{ path: '/a', headers: { a: 5 } }] },
  { routes: [{ path: '/a', headers: ['a'] }] },
  { routes: [{ path: '/a', method: 'connect' }] },
  { routes: [{ path: '/a', method: '' }] },
  { routes: [{ path: '/a', echo: 'yes' }] },
  { routes: [{ path: '/a', handler: 1 }] },
  { limits: { items: 1.5 } },
  { policies: [] },
  { policies: { p: {} } },
  { policies: { '': everything } },
  { roles: { r: { policies: 'p' } } },
  { roles: { r: { policies: [''] } } },
  { roles: { r: { scope: {} } } },
  { bindings: [{ user: 'u' }] },
  { bindings: [{ user: 'u', role: 'r', scope: { statements: [{ effect: 'Maybe' }] } }] },
  policy({ effect: 'Maybe' }),
  policy({ actions: ['a:b'] }),
  policy({ effect: 'Allow', actions: ['c'] }),
  policy({ effect: 'Allow', resources: ['*x*'] }),
  policy({ effect: 'Allow', extra: 1 }),
  { fidelity: 'sidecar', ...policy({ effect: 'Maybe', actions: [5] }) },
];

describe('the JSON Schema of a seed file', () => {
  test.each(valid)('accepts what the command accepts: %j', (seed) => {
    expect(verdicts(seed)).toEqual({ command: true, editor: true });
  });

  test.each(invalid)('refuses what the command refuses: %j', (seed) => {
    expect(verdicts(seed)).toEqual({ command: false, editor: false });
  });

  test('accepts the configuration of every recording', () => {
    const configs = readVectors('vectors').map(({ config }) => config);
    expect(configs.length).toBeGreaterThan(20);
    for (const config of configs) expect(verdicts(config)).toEqual({ command: true, editor: true });
  });

  // JSON Schema cannot express these rules; the command checks them.
  test.each<[string, unknown]>([
    ['a day that does not exist', { now: '2026-02-31T00:00:00Z' }],
    ['a lifetime whose min is above its max', { authentication: { token: { ttl: { min: '2h' } } } }],
    ['a user who is listed twice', { users: [{ name: 'a' }, { name: 'a' }] }],
  ])('leaves to the command: %s', (_, seed) => {
    expect(verdicts(seed)).toEqual({ command: false, editor: true });
  });

  test('agrees with the engine on every pattern', () => {
    const patterns = fc
      .array(fc.constantFrom('*', ':', 'a', 'bc', '\n', 'é'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(patterns, (pattern) => {
        const action = policy({ effect: 'Allow', actions: [pattern], resources: [] });
        const resource = policy({ effect: 'Allow', actions: [], resources: [pattern] });
        expect(validate(action), `action ${pattern}`).toBe(actionFault(pattern) === undefined);
        expect(validate(resource), `resource ${pattern}`).toBe(resourceFault(pattern) === undefined);
      }),
      runsOf(2_000),
    );
  });

  test('describes every field outside policies, with its default', () => {
    const undescribed: string[] = [];
    const visit = (at: { properties?: object; items?: object }, path: string): void => {
      for (const [name, property] of Object.entries(at.properties ?? {})) {
        if (property === true) continue;
        if (!('description' in property)) undescribed.push(`${path}${name}`);
        visit(property, `${path}${name}.`);
      }
      if (at.items !== undefined) visit(at.items, `${path}[].`);
    };
    visit(schema, '');
    expect(undescribed).toEqual([]);
    expect(schema.else.properties.policies.description).toMatch(/^Policies by name/);
    expect(schema.properties.limits.properties.log.default).toBe(1_000);
    expect(schema.properties.authentication.properties.token.properties.ttl.properties.max.default).toBe('3600s');
  });
});
