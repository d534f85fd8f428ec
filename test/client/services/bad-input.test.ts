import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver } from './support.ts';

const loneSurrogate = 'a\ud800';
const policy = { statements: [{ effect: 'Allow', actions: ['a:b'], resources: ['c'] }] };
const ask = { user: 'u', action: 'a:b', resource: 'c' };

/** A call with its argument; each row is one wrong argument and the expected field. */
type Call = (client: Client, value: never) => Promise<unknown>;
type Row = readonly [value: unknown, field: string];

const texts = (field: string, longest?: number): Row[] =>
  [undefined, null, 5, {}, ['x'], '', loneSurrogate, ...(longest === undefined ? [] : ['x'.repeat(longest + 1)])].map(
    (value) => [value, field],
  );
const optionalTexts = (field: string, longest?: number) => texts(field, longest).slice(1);
const place = (rows: readonly Row[], put: (value: unknown) => unknown): Row[] =>
  rows.map(([value, field]) => [put(value), field]);
const objects = (field: string): Row[] => [null, 5, 'text', [], () => 1].map((value) => [value, field]);
const lists = (field: string, longest: number, most: unknown = Array(10_001).fill('x')): Row[] => [
  ...[null, 'x', {}, most].map((value) => [value, field] as const),
  ...place(texts(`${field}[1]`, longest), (value) => ['ok', value]),
];

const lifetimes: Row[] = [
  ...[5, '5', '', 'soon', '1d', '-1h', '1h 5m', null, {}, 'h', '1e3s', `${'9'.repeat(60)}h`].map(
    (value) => [{ lifetime: value }, 'lifetime'] as const,
  ),
  ...['1h', -1, Number.NaN, Number.POSITIVE_INFINITY, 1e18, null].map(
    (value) => [{ lifetimeMs: value }, 'lifetimeMs'] as const,
  ),
  [{ lifetime: '1h', lifetimeMs: 5 }, 'lifetimeMs'],
];

const policies = (field: string): Row[] => [
  ...objects(field),
  [undefined, field],
  [{}, `${field}.statements`],
  [{ ...policy, more: 1 }, `${field}.more`],
  [{ statements: 'x' }, `${field}.statements`],
  [{ statements: [5] }, `${field}.statements[0]`],
  [{ statements: [{ actions: [], resources: [] }] }, `${field}.statements[0].effect`],
  [{ statements: [{ effect: 'allow', actions: [], resources: [] }] }, `${field}.statements[0].effect`],
  [{ statements: [{ effect: 'Deny', actions: 'a:b', resources: [] }] }, `${field}.statements[0].actions`],
  [{ statements: [{ effect: 'Deny', actions: [''], resources: [] }] }, `${field}.statements[0].actions[0]`],
  [{ statements: [{ effect: 'Deny', actions: [], resources: [5] }] }, `${field}.statements[0].resources[0]`],
  [{ ...policy, description: 5 }, `${field}.description`],
];

const names = (field: string): Row[] => [...texts(field, 1_024), ['a/b', field], ['.', field], ['..', field]];
const items = (put: (value: object) => unknown, prefix: string): Row[] => [
  ...place(texts(`${prefix}action`), (action) => put({ ...ask, user: undefined, action })),
  ...place(
    [...texts(`${prefix}resource`)].filter(([value]) => value !== ''),
    (resource) => put({ ...ask, user: undefined, resource }),
  ),
  ...place(objects(`${prefix}context`).slice(0, 4), (context) => put({ ...ask, user: undefined, context })),
];
const subjects = (rest: object): Row[] => [
  ...place(texts('user', 1_024), (user) => ({ ...rest, user })),
  ...place(lists('roles', 1_024), (roles) => ({ ...rest, user: 'u', roles })),
  ...place(optionalTexts('token', 16_384), (token) => ({ ...rest, token })),
  [{ ...rest, user: 'u', token: 't' }, 'token'],
  [{ ...rest, roles: [], token: 't' }, 'token'],
  [{ ...rest, self: true, user: 'u' }, 'self'],
  [{ ...rest, self: true, roles: [] }, 'self'],
  [{ ...rest, self: true, token: 't' }, 'token'],
  ...[false, 1, 'true', null, {}].map((self) => [{ ...rest, self }, 'self'] as const),
  [{ ...rest, user: 'u', more: 1 }, 'more'],
];
const item = { action: 'a:b', resource: 'c' };

const calls: readonly [name: string, path: string, call: Call, rows: readonly Row[]][] = [
  [
    'validate',
    'POST /_integration/authn/v1/validate',
    ({ authentication }, value) => authentication.validate(value),
    texts('token', 16_384),
  ],
  [
    'createToken',
    'POST /_integration/authn/v1/createToken',
    ({ authentication }, value) => authentication.createToken(value),
    [
      ...objects('request'),
      ...place(optionalTexts('user', 1_024), (user) => ({ user })),
      ...place(lists('groups', 1_024), (groups) => ({ groups })),
      ...lifetimes,
      [{ name: 'x' }, 'name'],
    ],
  ],
  [
    'login',
    'POST /_integration/authn/v1/login',
    ({ authentication }, value) => authentication.login(value),
    [
      ...objects('request'),
      ...place(texts('username', 1_024), (username) => ({ username, password: 'p' })),
      ...place(
        texts('password').filter(([value]) => value !== ''),
        (password) => ({ username: 'u', password }),
      ),
      [{ username: 'u', password: 'p', cookies: 'yes' }, 'cookies'],
      [{ username: 'u', password: 'p', token: 't' }, 'token'],
    ],
  ],
  [
    'logout',
    'GET /_integration/authn/v1/logout',
    ({ authentication }, value) => authentication.logout(value),
    [...objects('request'), ...place(optionalTexts('location'), (location) => ({ location }))],
  ],
  [
    'evaluate',
    'POST /_integration/authorization/v1/evaluate',
    ({ authorization }, value) => authorization.evaluate(value),
    [...objects('request'), ...subjects(item), ...items((value) => ({ ...value, user: 'u' }), '')],
  ],
  [
    'isAllowed',
    'POST /_integration/authorization/v1/evaluate',
    ({ authorization }, value) => authorization.isAllowed(value),
    subjects(item),
  ],
  [
    'assertAllowed',
    'POST /_integration/authorization/v1/evaluate',
    ({ authorization }, value) => authorization.assertAllowed(value),
    subjects(item),
  ],
  [
    'evaluateMany',
    'POST /_integration/authorization/v1/evaluate-many',
    ({ authorization }, value) => authorization.evaluateMany(value),
    [
      ...objects('request'),
      ...subjects({ items: [item] }),
      [{ user: 'u' }, 'items'],
      [{ user: 'u', items: {} }, 'items'],
      [{ user: 'u', items: [item, null] }, 'items[1]'],
      ...items(({ user: _, ...value }: { user?: unknown }) => ({ user: 'u', items: [value] }), 'items[0].'),
    ],
  ],
  [
    'checkSelf',
    'POST /_management/permissions/validate',
    ({ authorization }, value) => authorization.checkSelf(value),
    [...objects('request'), ...items(({ user: _, ...value }: { user?: unknown }) => value, '')],
  ],
  [
    'policies.get',
    'GET /_management/permissions/policy/',
    ({ authorization }, value) => authorization.policies.get(value),
    names('name'),
  ],
  [
    'roles.delete',
    'DELETE /_management/permissions/role/',
    ({ authorization }, value) => authorization.roles.delete(value),
    names('name'),
  ],
  [
    'policies.create',
    'POST /_management/permissions/policy/',
    ({ authorization }, value) => authorization.policies.create('p', value),
    policies('policy'),
  ],
  [
    'policies.update',
    'PUT /_management/permissions/policy/',
    ({ authorization }, value) => authorization.policies.update('p', value),
    policies('policy'),
  ],
  [
    'policies.upsert',
    'PUT /_management/permissions/policy/',
    ({ authorization }, value) => authorization.policies.upsert('p', value),
    policies('policy'),
  ],
  [
    'roles.create',
    'POST /_management/permissions/role/',
    ({ authorization }, value) => authorization.roles.create('r', value),
    [
      ...objects('role'),
      [{}, 'role.policies'],
      ...place(lists('role.policies', 1_024, 5), (list) => ({ policies: list })),
      ...place(
        policies('role.scope')
          .slice(1)
          .filter(([value]) => value !== undefined),
        (scope) => ({ policies: [], scope }),
      ),
    ],
  ],
  [
    'policies.list',
    'GET /_management/permissions/policy',
    ({ authorization }, value) => authorization.policies.list(value).next(),
    [
      ...[-1, -1001, 0, 1001, 1.5, '5', null].map((pageSize) => [{ pageSize }, 'pageSize'] as const),
      [{ page: 1 }, 'page'],
    ],
  ],
  [
    'bindings.list',
    'GET /_management/permissions/user/',
    ({ authorization }, value) => authorization.bindings.list(value),
    names('user'),
  ],
  [
    'bindings.assign',
    'POST /_management/permissions/user/',
    ({ authorization }, value) => authorization.bindings.assign(value),
    [
      ...objects('request'),
      ...place(names('user'), (user) => ({ user, role: 'r', scope: policy })),
      ...place(names('role'), (role) => ({ user: 'u', role, scope: policy })),
      ...place(policies('scope'), (scope) => ({ user: 'u', role: 'r', scope })),
    ],
  ],
  [
    'bindings.remove',
    'DELETE /_management/permissions/user/',
    ({ authorization }, value) => authorization.bindings.remove(value),
    [
      [{ user: 'u' }, 'role'],
      [{ user: 'u', role: 'r', scope: policy }, 'scope'],
    ],
  ],
];

describe.each(calls)('%s', (_name, where, call, rows) => {
  test(`rejects ${rows.length} wrong arguments, each by its field, before anything is sent`, async () => {
    const { client, sent } = clientOver(() => ({}));
    for (const [value, field] of rows) {
      // The cast: deliberately wrong.
      const error = await failureOf(call(client, value as never));
      expect([error.code, error.field, `${error.method} ${error.path}`], JSON.stringify(value)?.slice(0, 80)).toEqual([
        'INVALID_ARGUMENT',
        field,
        where,
      ]);
      expect(error.message.length).toBeLessThan(300);
    }
    expect(sent).toEqual([]);
  });

  test('rejects a hostile argument, never throws synchronously, and shows nothing of it', async () => {
    const { client, sent } = clientOver(() => ({}));
    const hostile = {
      get user(): string {
        throw new Error('canary');
      },
    };
    const error = await failureOf(call(client, hostile as never));
    expect([error.code, error.message.includes('canary')]).toEqual(['INVALID_ARGUMENT', false]);
    expect(sent).toEqual([]);
  });
});

test.each([
  [{ timeout: -1 }, 'timeout'],
  [{ retry: 0.5 }, 'retry'],
  [{ signal: 5 }, 'signal'],
  [{ schema: {} }, 'schema'],
  [5, 'options'],
])('every call refuses the options %j', async (options, field) => {
  const { client, sent } = clientOver(() => ({}));
  const wrong = options as object;
  const errors = [
    await failureOf(client.authentication.validate('t', wrong)),
    await failureOf(client.authentication.logout({}, wrong)),
    await failureOf(client.authorization.isAllowed({ user: 'u', ...item }, wrong)),
    await failureOf(client.authorization.policies.list(wrong).next()),
  ];
  expect(errors.map((error) => [error.code, error.field])).toEqual(errors.map(() => ['INVALID_ARGUMENT', field]));
  expect(sent).toEqual([]);
});
