import { describe, expect, test } from 'vitest';
import { type AuthorizationClient, type Client, createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import { apply, type PermissionsState, plan, readState } from '../../../src/permissions/index.ts';
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

describe.each(['documented', 'sidecar'] as const)('an apply in %s fidelity', (fidelity) => {
  const open = async () => {
    const mock = await createMock({ ...state, fidelity });
    const as = async (fetch: typeof globalThis.fetch = mock.connection.fetch) =>
      createClient({
        ...mock.connection,
        fetch,
        credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
      });
    return { mock, as, other: await as() };
  };
  const planned = async (client: Client, change: Race['change']) => {
    const from = await readState(client, { users });
    return plan(from, change(from), { ...prune, fidelity });
  };
  /** Changes another item of each kind first, so that the run knows the counters. */
  const withFirst =
    (change: Race['change']): Race['change'] =>
    (from) => ({
      policies: new Map([['early', granting('a:x')], ...change(from).policies]),
      roles: new Map([['early', { policies: [] }], ...change(from).roles]),
      bindings: [{ user: 'ann', role: 'early', scope: everything }, ...change(from).bindings],
      users: from.users,
    });

  test.each(races)('names the item whose revocation it may have overwritten: %s', async (_, race) => {
    const { mock, as, other } = await open();
    const made = await planned(other, withFirst(race.change));
    const client = await as(interrupting(mock, race.call, () => race.revoke(other.authorization)));
    // In two stages, so that the race is over the second write of its kind.
    const isLast = ({ change }: { readonly change: number }) => made.changes[change]?.action !== 'create';
    const steps = made.stages.flat();
    const stages = [steps.filter((step) => !isLast(step)), steps.filter(isLast)];
    const run = apply(client, { ...made, stages }, { settleMs: 0 });
    await expect(run).rejects.toMatchObject({ code: 'APPLY', conflicts: [race.item] });
  });

  test.each(races)('writes the items of its plan and no other, also after deletions: %s', async (_, { change }) => {
    const { mock, other } = await open();
    // The counters are higher than all indexes that are left.
    await other.authorization.policies.create('gone', granting('a:x'));
    await other.authorization.policies.delete('gone');
    await other.authorization.roles.create('gone', { policies: [] });
    await other.authorization.roles.delete('gone');
    const made = await planned(other, change);
    const sent: string[] = [];
    mock.onRequest(({ method }) => void (method === 'GET' || sent.push(method)));
    expect(await apply(other, made, { settleMs: 0 })).toMatchObject({ wrote: 1, skipped: 0 });
    expect(sent).toHaveLength(1);
    expect((await planned(other, change)).changes).toEqual([]);
  });
});
