import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { readPermissions, readTests } from '../../src/permissions/index.ts';
import { everything } from '../support/calls.ts';

const load = (name: string) => JSON.parse(readFileSync(`${root}dist/${name}`, 'utf8'));
const compile = (one: object) => new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(one);
const [schema, testsSchema] = [load('permissions.schema.json'), load('permissions-test.schema.json')];
const [validate, validateTests] = [compile(schema), compile(testsSchema)];

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
    {
      policies: { p: everything },
      roles: { 'r\\x..': { policies: ['p', 'managed:x'], scope: null, description: 'd' } },
    },
    {
      scopes: { s: everything },
      bindings: [{ user: 'u', role: 'r', scope: 's' }],
      roles: { q: { policies: [], scope: 's' } },
    },
    { bindings: [{ user: 'u', role: 'r', scope: everything }], manage: { policies: ['a*'], roles: [], users: ['*'] } },
    { manage: { bindings: { roles: ['a*'] } }, limits: { 'f.json': { roles: ['a*'] }, './': { actions: ['*'] } } },
    { limits: {} },
    ...[{ database: 'shop' }, { database: 'a', admin: true }, { views: ['a/b'] }, { pattern: 'a*:*b' }].map(
      (scope) => ({
        scopes: { s: scope },
        bindings: [{ user: 'u', role: 'r', scope }],
      }),
    ),
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
    { manage: { bindings: ['a'] } },
    { manage: { bindings: {} } },
    { limits: { '/f.json': {} } },
    { limits: { 'a/../f.json': {} } },
    { limits: { 'f.json': { actions: ['a'] } } },
    { limits: { 'f.json': { users: ['a'] } } },
    { roles: { r: {} } },
    { roles: { r: { policies: [7] } } },
    { bindings: [{ user: 'u', role: 'r' }] },
    { bindings: [{ user: '..', role: 'r', scope: everything }] },
    { policies: { 'a\0b': everything } },
    ...[
      { databse: 'shop' },
      { database: 'a:b' },
      { database: '' },
      { database: 'a', everything: true },
      { graphs: ['a/b'], admin: true },
      { collections: ['a'] },
      { analyzers: [] },
      { pattern: '*a*' },
      { everything: false },
      { statements: [], database: 'a' },
    ].map((scope) => ({ bindings: [{ user: 'u', role: 'r', scope }] })),
    { roles: { 'a\\..': { policies: [] } } },
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

describe('the JSON Schema of a file of tests', () => {
  const verdictsOf = async (file: unknown) => {
    const reader = await readTests('f.json', { read: () => JSON.stringify(file) }).then(
      () => true,
      () => false,
    );
    return { reader, editor: validateTests(file) === true };
  };
  const asked = { user: 'u', action: 'a:b', resource: '', effect: 'Allow' };

  test.each([
    { $schema: 'x', given: [{ user: 'u', role: 'r', scope: everything }], expect: [{ ...asked, because: 'b' }] },
    { tables: [{ resource: 'r', actions: ['a:b', 'a:c'], users: { u: ['Allow', 'Deny'] } }] },
    { nobody: [{ action: '*', resource: 'a:*', exceptUsers: ['u'], exceptRoles: [], because: 'b' }] },
  ])('accepts what is read: %j', async (file) => {
    expect(await verdictsOf(file)).toEqual({ reader: true, editor: true });
  });

  test.each([
    { expects: [asked] },
    { expect: [{ ...asked, action: 'a:*' }] },
    { expect: [{ ...asked, action: 'a' }] },
    { expect: [{ ...asked, resource: 'r:*' }] },
    { expect: [{ ...asked, effect: 'allow' }] },
    { expect: [{ user: 'u', action: 'a:b', effect: 'Deny' }] },
    { expect: [asked], given: [{ user: 'u', role: 'r' }] },
    { tables: [{ resource: 'r', actions: ['a:b'], users: [] }] },
    { nobody: [{ action: 'a', resource: 'r' }] },
    { nobody: [{ action: '*', resource: '*', except: [] }] },
  ])('refuses what is not read: %j', async (file) => {
    expect(await verdictsOf(file)).toEqual({ reader: false, editor: false });
  });

  test('describes each field', () => {
    const { given, expect: asks, nobody } = testsSchema.properties;
    expect(given.description).toMatch(/^Bindings that the tests/);
    expect(given.items.properties.scope.description).toMatch(/^Limits the role/);
    expect(asks.items.properties.because.description).toMatch(/^The reason/);
    expect(nobody.items.properties.exceptRoles.description).toMatch(/^Roles that may/);
  });
});
