import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { readPermissions } from '../../src/permissions/index.ts';
import { everything } from '../support/calls.ts';

const schema = JSON.parse(readFileSync(`${root}dist/permissions.schema.json`, 'utf8'));
const validate = new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);

/** Returns if a file is accepted, and if an editor accepts it. */
async function verdicts(file: unknown): Promise<{ reader: boolean; editor: boolean }> {
  const reader = await readPermissions('f.json', { read: () => JSON.stringify(file) }).then(
    () => true,
    () => false,
  );
  return { reader, editor: validate(file) === true };
}

const policy = (statement: object) => ({ policies: { p: { statements: [statement] } } });

describe('the JSON Schema of a file of permissions', () => {
  test.each([
    {},
    { $schema: './node_modules/arango-services/dist/permissions.schema.json' },
    { policies: { p: everything }, roles: { r: { policies: ['p', 'managed:x'], scope: null, description: 'd' } } },
    {
      scopes: { s: everything },
      bindings: [{ user: 'u', role: 'r', scope: 's' }],
      roles: { q: { policies: [], scope: 's' } },
    },
    { bindings: [{ user: 'u', role: 'r', scope: everything }], manage: { policies: ['a*'], roles: [], users: ['*'] } },
    policy({ effect: 'Deny', actions: ['*', 'a:*'], resources: ['a*:*b:c'], description: 'd' }),
  ])('accepts what is read: %j', async (file) => {
    expect(await verdicts(file)).toEqual({ reader: true, editor: true });
  });

  test.each([
    [],
    { policy: {} },
    { policies: [] },
    { policies: { p: {} } },
    { policies: { 'a/b': everything } },
    { policies: { '': everything } },
    { roles: { r: {} } },
    { roles: { r: { policies: [7] } } },
    { bindings: [{ user: 'u', role: 'r' }] },
    { bindings: [{ user: '..', role: 'r', scope: everything }] },
    { manage: { users: [''] } },
    { manage: { bindings: ['*'] } },
    { include: [''] },
    policy({ effect: 'allow', actions: [], resources: [] }),
    policy({ effect: 'Allow', actions: ['a'], resources: [] }),
    policy({ effect: 'Allow', actions: [], resources: ['*x*'] }),
    policy({ effect: 'Allow', actions: [] }),
    policy({ effect: 'Allow', actions: [], resources: [], extra: 1 }),
  ])('refuses what is not read: %j', async (file) => {
    expect(await verdicts(file)).toEqual({ reader: false, editor: false });
  });

  test('describes each field', () => {
    const { include, manage, bindings } = schema.properties;
    expect(include.description).toMatch(/^Files to include/);
    expect(manage.properties.users.description).toMatch(/^Patterns of users/);
    expect(bindings.items.properties.scope.description).toMatch(/^Limits the role/);
  });
});
