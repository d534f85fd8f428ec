import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  exportPermissions,
  PermissionsError,
  type PermissionsState,
  plan,
  readPermissions,
} from '../../../src/permissions/index.ts';
import type { Binding, Policy } from '../../../src/policy/index.ts';
import { runsOf } from '../../support/thorough.ts';
import { namedStateArb } from '../support/names.ts';

const shuffled = (state: PermissionsState): PermissionsState => ({
  ...state,
  policies: new Map([...state.policies].reverse()),
  roles: new Map([...state.roles].reverse()),
  bindings: [...state.bindings].reverse(),
});

const readBack = (text: string) => readPermissions('p.yaml', { read: () => text });

const everywhere: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
const empty: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' };
const reader: Policy = {
  description: 'Reads orders',
  statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['orders:*', 'a#b'] }],
};

describe('an export', () => {
  test('without users says that bindings are missing', () => {
    const { text } = exportPermissions({ policies: new Map(), roles: new Map(), bindings: [], users: [] });
    expect(text).toContain('# The bindings of users are missing: the services cannot list users. Name users (--users)');
  });

  test('is a sorted file, with names for scopes that occur more than once', async () => {
    const { text, users, omitted } = exportPermissions({
      policies: new Map([
        ['yes', { statements: [] }],
        ['reader', reader],
      ]),
      roles: new Map([['viewer', { policies: ['reader', 'managed:other'], scope: everywhere, description: 'Looks' }]]),
      bindings: [
        { user: 'bob', role: 'viewer', scope: everywhere },
        { user: 'alice', role: 'viewer', scope: { statements: [] } },
      ],
      users: ['alice', 'bob'],
    });
    expect(text).toBe(`# yaml-language-server: $schema=./node_modules/arango-services/dist/permissions.schema.json
# The bindings of 2 named users only; others are not known: "alice", "bob"

scopes:
  everywhere:
    statements:
      - { effect: Allow, actions: ["*"], resources: ["*"] }

policies:
  reader:
    description: Reads orders
    statements:
      - { effect: Allow, actions: ["orders:read"], resources: ["a#b", "orders:*"] }
  "yes":
    statements: []

roles:
  viewer: { policies: ["managed:other", reader], scope: everywhere, description: Looks }

bindings:
  - { user: alice, role: viewer, scope: { statements: [] } }
  - { user: bob, role: viewer, scope: everywhere }
`);
    expect({ users, omitted }).toEqual({ users: ['alice', 'bob'], omitted: [] });
    expect((await readBack(text)).policies.get('yes')).toEqual({ statements: [], description: '' });
  });

  test.each(['yaml', 'json'] as const)(
    'reads back to the same state and plans empty, whatever the names: %s',
    async (as) => {
      await fc.assert(
        fc.asyncProperty(namedStateArb, async (state) => {
          const { text, omitted } = exportPermissions(state, { as });
          const back = await readBack(text);
          const keeps = (name: string) => !omitted.some((one) => one.kind === 'policy' && one.name === name);
          expect([...back.policies.keys()].sort()).toEqual([...state.policies.keys()].filter(keeps).sort());
          expect(omitted.filter(({ kind }) => kind === 'binding')).toEqual([]);
          expect(back.bindings).toHaveLength(state.bindings.length);
          const owned = { policies: ['*'], roles: ['*'], users: ['*'] };
          const { changes } = plan(state, back, { prune: omitted.length === 0, manage: owned });
          expect(changes).toEqual([]);
          expect(plan({ ...back, users: 'all' }, state).changes).toEqual([]);
          expect(exportPermissions({ ...back, users: 'all' }, { as }).text).toBe(
            exportPermissions(shuffled(state), { as }).text,
          );
        }),
        runsOf(150),
      );
    },
  );

  test('names scopes after what they hold, each once', async () => {
    const scope = (...actions: string[]): Policy => ({
      statements: [{ effect: 'Allow', actions, resources: ['orders:eu:*'] }],
    });
    const bindings: Binding[] = ['a', 'b'].flatMap((user) => [
      { user, role: 'r', scope: scope('*') },
      { user, role: 's', scope: scope('a:b', 'a:c') },
      { user, role: 't', scope: scope('a:c', 'a:b', 'a:c') },
    ]);
    const { scopes } = await readBack(exportPermissions({ ...empty, bindings }).text);
    expect([...scopes.keys()]).toEqual(['a-b-and-a-c-on-orders-eu', 'orders-eu']);
  });

  test('leaves out what others keep, and what a file cannot hold, with the reason', async () => {
    const state: PermissionsState = {
      policies: new Map([
        ['managed:predefined:super-admin', everywhere],
        ['managed:operator:orders', reader],
        ['managed:mine', reader],
        ['wrong', { statements: [{ effect: 'Allow', actions: ['a:*x*'], resources: ['*'] }] }],
      ]),
      roles: new Map([
        ['managed:predefined:ai-user', { policies: [] }],
        ['hollow', { policies: ['gone'] }],
        ['broken', { policies: ['wrong'] }],
        ['viewer', { policies: ['managed:operator:orders'] }],
        ['a/b', { policies: [] }],
      ]),
      bindings: [
        { user: 'root', role: 'managed:predefined:super-admin', scope: everywhere },
        { user: 'operator-x', role: 'managed:operator:17', scope: everywhere },
        { user: 'a:b', role: 'viewer', scope: everywhere },
        { user: 'eve', role: 'viewer' },
        { user: 'ann', role: 'managed:predefined:super-admin', scope: everywhere },
        { user: 'root', role: 'viewer', scope: everywhere },
        { user: 'eve', role: 'hollow', scope: everywhere },
      ],
      users: 'all',
    };
    const { text, omitted } = exportPermissions(state);
    expect(omitted.map((one) => [one.name ?? `${one.user} ${one.role}`, one.reason])).toEqual([
      ['managed:operator:orders', 'belongs to the operator'],
      ['managed:predefined:super-admin', 'belongs to the platform'],
      ['wrong', expect.stringContaining('statements[0].actions[0] has the segment')],
      ['a/b', expect.stringContaining('must not hold a "/"')],
      ['broken', 'names the policy "wrong", which is left out'],
      ['hollow', 'names the policy "gone", which is missing'],
      ['managed:predefined:ai-user', 'belongs to the platform'],
      ['a:b viewer', expect.stringContaining('holds a ":"')],
      ['eve viewer', 'has no scope'],
      ['operator-x managed:operator:17', 'belongs to the operator'],
      ['root managed:predefined:super-admin', 'belongs to the platform'],
    ]);
    const back = await readBack(text);
    expect([...back.policies.keys(), ...back.roles.keys()]).toEqual(['managed:mine', 'viewer']);
    expect(back.bindings.map(({ user, role }) => `${user} ${role}`)).toEqual([
      'ann managed:predefined:super-admin',
      'eve hollow',
      'root viewer',
    ]);
    // A plan reads the state as the engine does, which refuses the invalid policy.
    const valid = { ...state, policies: new Map([...state.policies].filter(([name]) => name !== 'wrong')) };
    expect(plan(valid, back, { prune: true }).changes).toEqual([]);
    expect(text).toContain('# Left out: 5 items of the platform and its operator.\n# Left out, because a file');
    expect(text).toContain('#   role "hollow": names the policy');
  });

  test('refuses a state that is too large for a file, and a form that is not known', () => {
    const policies = new Map([['large', { statements: [], description: 'x'.repeat(10_000_001) }]]);
    expect(() => exportPermissions({ ...empty, policies })).toThrow(PermissionsError);
    expect(() => exportPermissions({ ...empty, policies })).toThrow('11 MB, more than 10 MB');
    expect(() => exportPermissions(empty, { as: 'toml' as 'yaml' })).toThrow('as: expected one of yaml, json');
  });
});
