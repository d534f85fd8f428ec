import { describe, expect, expectTypeOf, test } from 'vitest';
import { catalog, defineCatalog, statement } from '../../../src/policy/analysis/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { everywhere } from '../support/fixtures.ts';

const orders = defineCatalog({
  name: 'orders',
  source: '1',
  actions: {
    'orders:read': { description: 'Reads an order.', resources: ['order:*'] },
    'orders:list': { description: 'Lists orders.', resources: [''] },
  },
});

describe('the catalogs of the platform', () => {
  test('have the actions of the database core and of the integration services', () => {
    const names = (all: readonly { readonly action: string }[]) => all.map(({ action }) => action);
    const database = names(catalog.database.actions);
    expect(database).toHaveLength(37);
    expect(new Set(database).size).toBe(37);
    expect(database.filter((name) => name.startsWith('db:Admin'))).toHaveLength(31);
    const integration = names(catalog.integration.actions);
    expect(new Set(integration.map((name) => name.split(':')[0]))).toEqual(
      new Set(['authentication', 'meta', 'storage', 'rbac']),
    );
    expect(integration).toHaveLength(33);
  });

  test('have a description and the resources of each action', () => {
    for (const { actions, source } of [catalog.database, catalog.integration]) {
      expect(source).toMatch(/\d/);
      for (const { action, description, resources } of actions) {
        expect(description).toMatch(/^[A-Z].*\.$/);
        expect(resources.length).toBeGreaterThan(0);
        if (/Admin|:List(?:Policy|Role)$|Pool|Init/.test(action)) expect(resources).toEqual(['']);
      }
    }
  });
});

describe('statement', () => {
  test('completes the actions of a catalog', () => {
    const read = statement(catalog.database, 'db:Read', 'db:database:shop');
    expect(read).toEqual({ effect: 'Allow', actions: ['db:Read'], resources: ['db:database:shop'] });
    const deny = statement(orders, ['orders:*', 'orders:list'], ['*'], { effect: 'Deny', description: 'none' });
    expect(deny).toEqual({
      effect: 'Deny',
      actions: ['orders:*', 'orders:list'],
      resources: ['*'],
      description: 'none',
    });
    expectTypeOf(statement<'orders:read' | 'orders:list'>)
      .parameter(1)
      .extract<string>()
      .toEqualTypeOf<'orders:read' | 'orders:list' | 'orders:*' | '*'>();
    // @ts-expect-error: not an action of the catalog.
    expect(() => statement(orders, 'orders:raed', '*')).toThrow(
      'actions: orders has no "orders:raed"; the nearest is "orders:read"',
    );
  });

  test('refuses a resource that none of the actions applies to', () => {
    const refused =
      (...resources: string[]) =>
      () =>
        statement(orders, 'orders:read', resources);
    expect(refused('order:7', 'orders:7')).toThrow('resources: "orders:7": these actions apply to "order:*"');
    expect(() => statement(orders, 'orders:list', 'order:*')).toThrow('apply to ""; only "*" matches that');
    expect(statement(orders, 'orders:*', ['order:*', '*']).resources).toEqual(['order:*', '*']);
  });

  test.each<[unknown, unknown, unknown, object | undefined, string]>([
    [undefined, 'orders:read', '*', undefined, 'catalog: expected a catalog'],
    [orders, undefined, '*', undefined, 'actions: expected a string, got undefined'],
    [orders, [], '*', undefined, 'actions: expected at least one'],
    [orders, '*x*:read', '*', undefined, 'actions: "*x*:read" has the segment "*x*"'],
    [orders, 'orders:read', [], undefined, 'resources: expected at least one'],
    [orders, 'orders:list', '', undefined, 'resources: "" must not be empty'],
    [orders, 'orders:read', '*x*', undefined, 'resources: "*x*" has the segment "*x*"'],
    [orders, 'orders:read', '*', { effect: 'deny' }, 'effect: expected one of Allow, Deny, got a string'],
  ])('refuses the arguments of row %#', (from, actions, resources, options, message) => {
    const build = () => statement(from as never, actions as never, resources as never, options);
    expect(build).toThrow(message);
    expect(build).toThrow(expect.objectContaining({ code: 'ANALYSIS' }));
  });

  test('fits into a state', () => {
    const evaluator = createEvaluator({
      policies: { p: { statements: [statement(orders, 'orders:read', 'order:*')] } },
      roles: { r: { policies: ['p'] } },
      bindings: [{ user: 'u', role: 'r', scope: everywhere }],
    });
    expect(evaluator.isAllowed({ user: 'u', action: 'orders:read', resource: 'order:7' })).toBe(true);
  });
});

describe('defineCatalog', () => {
  test('reads the permissions of an OpenAPI document', () => {
    const document = {
      openapi: '3.1.0',
      paths: {
        '/orders/{id}': {
          get: { summary: 'Reads an order.', 'x-permission': { action: 'orders:read', resource: 'order:{id}' } },
          delete: { 'x-permission': { action: 'orders:delete', resource: 'o-{id}:{part}-x:{a}-{b}' } },
        },
        '/items/{path}': {
          get: { 'x-permission': { action: 'orders:read', resource: 'item:{path*}' } },
          put: { 'x-permission': 'public' },
          parameters: [],
        },
        '/list': { get: { 'x-permission': { action: 'orders:list' } }, post: {} },
      },
    };
    expect(defineCatalog({ name: 'orders', source: '2', document }).actions).toEqual([
      { action: 'orders:read', description: 'Reads an order.', resources: ['order:*', 'item:*'] },
      { action: 'orders:delete', description: '', resources: ['o-*:*-x:*'] },
      { action: 'orders:list', description: '', resources: [''] },
    ]);
    expect(defineCatalog({ name: 'none', source: '2', document: { paths: {} } }).actions).toEqual([]);
  });

  test('allows further segments for a parameter that takes colons, and follows references of paths', () => {
    const at = (resource: string) => ({ get: { 'x-permission': { action: 'files:read', resource } } });
    const document = {
      paths: {
        '/a/{path}': at('file:{path:text*}'),
        '/b/{path}': at('image:i{path*}'),
        '/c/{path}': at('{path*}:raw'),
        '/d/{path}': { $ref: '#/components/pathItems/D' },
      },
      components: { pathItems: { D: at('log:{path:text}') } },
    };
    const [read] = defineCatalog({ name: 'files', source: '1', document }).actions;
    expect(read?.resources).toEqual(['file:*', 'image:i*', 'image:i*:*', '*:*', 'log:*']);
  });

  const sound = { name: 'x', source: '1' };
  test.each([
    [undefined, 'name: expected a string, got undefined'],
    [{ actions: {} }, 'name: expected a string, got undefined'],
    [{ name: 'x', actions: {} }, 'source: expected a string, got undefined'],
    [sound, 'actions: expected an object of actions by name, got undefined'],
    [{ ...sound, actions: ['a:b'] }, 'actions: expected an object of actions by name, got a list'],
    [
      { ...sound, actions: { 'a:b': { resources: 'a:*' } } },
      'actions: a:b: resources: expected a list of strings, got a string',
    ],
    [{ ...sound, actions: { 'a:b': null } }, 'actions: a:b: resources: expected a list of strings, got undefined'],
    [{ ...sound, actions: {}, needs: {} }, 'needs: expected a list, got an object'],
    [{ ...sound, document: null }, 'document: expected an OpenAPI document, an object with paths'],
    [{ ...sound, document: '{"paths":{}}' }, 'document: expected an OpenAPI document, an object with paths'],
  ])('refuses the definition %j', (definition, message) => {
    const define = () => defineCatalog(definition as never);
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: 'ANALYSIS' }));
  });

  test.each([
    ['orders', 'order:*', 'actions: "orders": expected "<namespace>:<name>" without wildcards'],
    ['orders:*', 'order:*', 'actions: "orders:*": expected "<namespace>:<name>" without wildcards'],
    ['orders:read', '*x*', 'actions: orders:read: resource "*x*"'],
  ])('refuses the action %s on %s', (action, resource, message) => {
    const define = () =>
      defineCatalog({ name: 'x', source: '1', actions: { [action]: { description: '', resources: [resource] } } });
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: 'ANALYSIS' }));
  });
});
