import { describe, expect, onTestFinished, test } from 'vitest';
import type { ConsoleApi } from '../../src/console/api.js';
import { createDeploymentConsole } from '../../src/console/deployment-api.js';
import { createMockConsole } from '../../src/console/mock/mock-api.js';
import { mockPool } from '../../src/console/mock/node.ts';
import { createReplica } from '../../src/enforce/replica/index.js';
import { createClient, credentials } from '../../src/index.js';
import { createMock, type Mock, type MockConfig } from '../../src/mock/index.js';
import { call, everything } from '../support/calls.js';
import { evaluatePath, shop } from './support/shop.js';

const groupBindings = [
  { group: 'clerks', role: 'viewer', scope: everything },
  { group: 'clerks:west', role: 'clerk', scope: everything },
  { group: 'lost', role: 'gone', scope: everything },
];
const fidelities = ['documented', 'sidecar'] as const;

async function open(config: MockConfig): Promise<Mock> {
  const mock = await createMock({ ...shop, ...config });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

/** The consoles of a mock: its own, and that of a deployment whose replica follows it. */
async function consolesOf(mock: Mock): Promise<readonly ConsoleApi[]> {
  const token = credentials.bearer(await mock.tokens.issue({ user: null }));
  const client = createClient({ ...mock.connection, credentials: token });
  const replica = createReplica({ transport: mockPool(mock), credentials: token });
  await replica.ready();
  onTestFinished(async () => {
    await replica.close();
    await client.close();
  });
  return [createMockConsole(mock), createDeploymentConsole({ url: 'http://db.test', replica, client })];
}

const read = { action: 'orders:read', resource: 'order:7' };
const actions = ['orders:read', 'orders:delete'];

describe.each(fidelities)('groups in the consoles of a mock and of a deployment, %s', (fidelity) => {
  const isSidecar = fidelity === 'sidecar';

  test('are rows of the matrix, for a resource and for a pattern', async () => {
    for (const api of await consolesOf(await open({ platform: 'next', fidelity, groupBindings }))) {
      const names = (await api.state()).groups;
      expect(names).toEqual(['clerks', 'clerks:west', 'lost']);
      const asked = { of: 'groups', names: [...names, 'unknown'], actions } as const;
      const { cells } = await api.matrix({ ...asked, resource: 'order:7' });
      expect(cells).toEqual([
        // In sidecar fidelity the group has the bindings of `clerks:west`, too.
        ['allow', isSidecar ? 'explicit-deny' : 'deny'],
        ['allow', 'explicit-deny'],
        ['deny', 'deny'],
        ['nothing', 'nothing'],
      ]);
      const pattern = await api.matrix({ ...asked, resource: 'order:*' });
      expect(pattern.cells.map(([cell]) => cell)).toEqual(['all', 'all', 'none', 'none']);
      expect(pattern.granted?.[0]?.[0]).toContain('orders:read on order:*');
    }
  });

  test('have grants, holders, bindings and findings', async () => {
    for (const api of await consolesOf(await open({ platform: 'next', fidelity, groupBindings }))) {
      expect((await api.grants({ roles: ['clerks:west'] })).map(({ text }) => text).sort()).toEqual([
        'orders:list on orders',
        'orders:read on order:*',
      ]);
      const { groups, partly } = await api.who({ action: 'orders:read', resource: '' });
      expect([groups, partly.groups]).toEqual([[], ['clerks', 'clerks:west']]);
      expect((await api.who(read)).groups).toEqual(['clerks', 'clerks:west']);
      const state = await api.state();
      expect(state.groupBindings).toMatchObject(groupBindings);
      expect(state.findings.map(({ about }) => about)).toContainEqual({
        kind: 'groupBinding',
        group: 'lost',
        role: 'gone',
      });
    }
  });

  test('of a user count in a question, and the reasons name them', async () => {
    for (const api of await consolesOf(await open({ platform: 'next', fidelity, groupBindings }))) {
      const { tree } = await api.explain({ subject: { user: 'carol', roles: ['other', 'clerks'] }, ...read });
      expect(tree?.effect).toBe('Allow');
      expect(tree?.bindings).toContainEqual(
        expect.objectContaining({ via: 'group', group: expect.stringMatching(/^clerks/), granted: true }),
      );
      expect((await api.explain({ subject: { user: 'carol', roles: ['other'] }, ...read })).tree?.effect).toBe('Deny');
    }
  });

  test('of logged requests are listed, and explain the decisions of these requests', async () => {
    const mock = await open({ platform: 'next', fidelity, groupBindings });
    const [api] = await consolesOf(mock);
    mock.requests.clear();
    const token = await mock.tokens.issue({ user: 'carol', groups: ['clerks', 'guests'] });
    await call(mock, 'POST', evaluatePath, { user: 'carol', roles: ['clerks'], ...read });
    await call(mock, 'POST', '/_integration/authorization/v1/evaluate-token', { token, ...read });
    const { rows = [] } = (await api?.requests({})) ?? {};
    expect(rows).toHaveLength(2);
    for (const { id } of rows) {
      expect((await api?.request({ id }))?.decisions).toMatchObject([{ effect: 'Allow', agrees: 'same' }]);
    }
    expect((await api?.state())?.groups).toContain('guests');
  });

  test('questions that are neither of a user nor of groups are refused', async () => {
    const [api] = await consolesOf(await open({ platform: 'next', fidelity, groupBindings }));
    for (const subject of [{ token: 'x' }, {}, { roles: 'clerks' }]) {
      await expect(api?.grants(subject as never)).rejects.toMatchObject({ code: 'invalid' });
    }
    const matrix = { of: 'others', names: [], actions: [], resource: '' };
    await expect(api?.matrix(matrix as never)).rejects.toMatchObject({ code: 'invalid', field: 'of' });
  });
});

test.each(
  (['1.4.4', 'recorded', '1.4.5', 'next'] as const).flatMap((platform) =>
    fidelities.map((fidelity) => ({ platform, fidelity })),
  ),
)('both consoles show what a mock of $platform, $fidelity decides', async ({ platform, fidelity }) => {
  const isNext = platform === 'next';
  const mock = await open({ platform, fidelity, ...(isNext && { groupBindings }) });
  const wanted = (await call(mock, 'POST', evaluatePath, { user: 'carol', roles: ['clerks'], ...read })).body;
  expect(wanted).toMatchObject({ effect: isNext ? 'Allow' : 'Deny' });
  const [own, deployment] = await consolesOf(mock);
  for (const api of [own, deployment]) {
    const { tree } = (await api?.explain({ subject: { user: 'carol', roles: ['clerks'] }, ...read })) ?? {};
    expect(tree?.effect).toBe(isNext ? 'Allow' : 'Deny');
    const { groups, groupBindings: bound } = (await api?.state()) ?? {};
    // The groups of logged requests are known to the mock's console only.
    if (!isNext) expect([groups, bound]).toEqual([api === own ? ['clerks'] : [], []]);
    expect((await api?.matrix({ of: 'users', names: ['alice'], actions, resource: 'order:7' }))?.cells).toEqual([
      ['allow', 'deny'],
    ]);
  }
});
