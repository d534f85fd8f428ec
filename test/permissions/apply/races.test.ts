import { describe, expect, test } from 'vitest';
import { type AuthorizationClient, type Client, createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import {
  apply,
  type PermissionsClient,
  type PermissionsState,
  plan,
  readState,
} from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { manageAll } from '../support/states.ts';

const granting = (...actions: string[]): Policy => ({
  statements: [{ effect: 'Allow', actions, resources: ['*'] }],
});

const state: MockConfig = {
  policies: { p: granting('a:read', 'a:write'), q: granting('a:read'), admin: granting('rbac:*') },
  roles: { r: { policies: ['p', 'q'] }, admin: { policies: ['admin'] } },
  bindings: [
    { user: 'ann', role: 'r', scope: everything },
    { user: 'root-of-all', role: 'admin', scope: everything },
  ],
};

/** A change of one item, and the write of another run that takes access away while this one writes. */
interface Race {
  readonly change: (state: PermissionsState) => PermissionsState;
  readonly revoke: (authorization: AuthorizationClient) => Promise<unknown>;
  /** The call of this run that overwrites the item. */
  readonly call: readonly [method: string, path: string];
  readonly item: object;
}

const withPolicy = (from: PermissionsState, policy: Policy) => ({
  ...from,
  policies: new Map([...from.policies, ['p', policy]]),
});

const races: readonly (readonly [string, Race])[] = [
  [
    'update of a policy',
    {
      change: (from) => withPolicy(from, granting('a:read', 'a:write', 'a:list')),
      revoke: ({ policies }) => policies.update('p', granting('a:read')),
      call: ['PUT', 'policy/p'],
      item: { kind: 'policy', name: 'p' },
    },
  ],
  [
    'deletion of a policy',
    {
      change: (from) => ({ ...from, policies: new Map([...from.policies].filter(([name]) => name !== 'p')) }),
      revoke: ({ policies }) => policies.update('p', granting('a:read')),
      call: ['DELETE', 'policy/p'],
      item: { kind: 'policy', name: 'p' },
    },
  ],
  [
    'update of a role',
    {
      change: (from) => ({ ...from, roles: new Map([...from.roles, ['r', { policies: ['p', 'q', 'admin'] }]]) }),
      revoke: ({ roles }) => roles.update('r', { policies: ['q'] }),
      call: ['PUT', 'role/r'],
      item: { kind: 'role', name: 'r' },
    },
  ],
  [
    'new scope of a binding',
    {
      change: (from) => ({
        ...from,
        bindings: from.bindings.map((one) => (one.user === 'ann' ? { ...one, scope: granting('a:*', 'b:*') } : one)),
      }),
      revoke: ({ bindings }) => bindings.replaceScope({ user: 'ann', role: 'r', scope: granting('a:read') }),
      call: ['PUT', 'user/ann/role/r'],
      item: { kind: 'binding', user: 'ann', role: 'r' },
    },
  ],
];

/** Fetches like the mock; before the response to a call is asked for, `between` runs once. */
function interrupting(
  { connection }: Mock,
  [method, path]: Race['call'],
  between: () => Promise<unknown>,
): typeof fetch {
  let isFirst = true;
  return async (input, init) => {
    const { pathname } = new URL(String(input instanceof Request ? input.url : input));
    if (isFirst && init?.method === method && pathname.endsWith(`/${path}`)) {
      isFirst = false;
      await between();
    }
    return connection.fetch(input, init);
  };
}

const users = ['ann'];
const prune = { prune: true, manage: manageAll };

describe.each(['documented', 'sidecar'] as const)(
  'another run revokes between the read and the only write: %s',
  (fidelity) => {
    const open = async () => {
      const mock = await createMock({ ...state, fidelity });
      const as = async (user: string | null, fetch: typeof globalThis.fetch = mock.connection.fetch) =>
        createClient({ ...mock.connection, fetch, credentials: credentials.bearer(await mock.tokens.issue({ user })) });
      return { mock, as, other: await as(null) };
    };
    const planned = async (client: Client, change: Race['change']) => {
      const from = await readState(client, { users });
      return plan(from, change(from), { ...prune, fidelity });
    };

    test.each(races)('%s', async (_, { change, revoke, call, item }) => {
      for (const user of [null, 'root-of-all']) {
        const { mock, as, other } = await open();
        const made = await planned(other, change);
        expect(made.changes).toHaveLength(1);
        const client = await as(
          user,
          interrupting(mock, call, () => revoke(other.authorization)),
        );
        await expect(apply(client, made, { settleMs: 0 })).rejects.toMatchObject({ code: 'APPLY', conflicts: [item] });
      }
    });

    test.each(races)('without another writer, after deletions: %s', async (_, { change }) => {
      const { other } = await open();
      // The counters are higher than all indexes that are left.
      await other.authorization.policies.create('gone', granting('a:x'));
      await other.authorization.policies.delete('gone');
      await other.authorization.roles.create('gone', { policies: [] });
      await other.authorization.roles.delete('gone');
      const made = await planned(other, change);
      const before = await readState(other, { users });
      expect(await apply(other, made, { settleMs: 0 })).toMatchObject({ wrote: 1, skipped: 0 });
      const { policies, roles, bindings } = await readState(other, { users });
      const { policies: its, roles: theirs, bindings: all } = change(before);
      // Markers are gone.
      expect([[...policies.keys()], [...roles.keys()], bindings.length]).toEqual([
        [...its.keys()],
        [...theirs.keys()],
        all.length,
      ]);
    });

    test('a caller that may not create items is protected by the indexes of the plan', async () => {
      const { mock, as, other } = await open();
      await other.authorization.policies.update('admin', granting('rbac:Get*', 'rbac:List*', 'rbac:Update*'));
      const [[, { change, revoke, call, item }]] = races as [[string, Race]];
      const made = await planned(other, change);
      const client = await as(
        'root-of-all',
        interrupting(mock, call, () => revoke(other.authorization)),
      );
      await expect(apply(client, made, { settleMs: 0 })).rejects.toMatchObject({ conflicts: [item] });
      const again = await planned(other, (from) => withPolicy(from, granting('a:read')));
      expect(await apply(await as('root-of-all'), again, { settleMs: 0 })).toMatchObject({ wrote: 1 });
    });
  },
);

test('a client that cannot identify its token is protected by the indexes of the plan', async () => {
  const mock = await createMock(state);
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  const from = await readState(client, { users });
  const made = plan(from, withPolicy(from, granting('a:list')), prune);
  const { policies, roles, bindings } = client.authorization;
  const watched = Object.assign(Object.create(policies), {
    get: policies.get.bind(policies),
    update: async (name: string, item: Policy) => {
      await policies.update(name, granting('a:read'));
      return policies.update(name, item);
    },
  });
  const parts: PermissionsClient = { authorization: { policies: watched, roles, bindings } };
  await expect(apply(parts, made, { settleMs: 0 })).rejects.toMatchObject({ conflicts: [{ name: 'p' }] });
});
