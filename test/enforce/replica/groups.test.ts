import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listenGrpc, mockPool } from '../../../src/console/mock/node.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import { bearer, call, everything } from '../../support/calls.ts';
import { PoolService } from './support/pool-service.ts';
import { liveReplica, replicaOf } from './support/replicas.ts';

const config: MockConfig = {
  platform: 'next',
  policies: { everything },
  roles: { admin: { policies: ['everything'] } },
  // A kind without items is read only when the service has been quiet for 2 s.
  bindings: [{ user: 'root', role: 'admin', scope: everything }],
  groupBindings: [{ group: 'dev', role: 'admin', scope: everything }],
};
const asDev = { user: 'alice', roles: ['dev'], action: 'a:b', resource: 'c' };

async function open(given: MockConfig): Promise<Mock> {
  const mock = await createMock(given);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

describe.each(['documented', 'sidecar'] as const)('groups in %s fidelity', (fidelity) => {
  test.each(['in memory', 'over gRPC'])('are followed %s: from the state, and each change', async (way) => {
    const mock = await open({ ...config, fidelity });
    const token = await mock.tokens.issue({ user: null });
    const server = way === 'over gRPC' ? await listenGrpc(mock, { port: 0 }) : undefined;
    onTestFinished(() => server?.close());
    const transport = server
      ? { address: server.address, credentials: fixed(token), fidelity }
      : { transport: mockPool(mock) };
    const replica = await liveReplica(transport);
    expect([replica.isAllowed(asDev), replica.isAllowed({ ...asDev, roles: ['ops'] })]).toEqual([true, false]);
    expect([replica.groups(), replica.groupBindings('dev').length]).toEqual([['dev'], 1]);
    const seen: unknown[] = [];
    replica.on('change', (change) => seen.push(change));
    const path = '/_management/permissions/group';
    await call(mock, 'POST', `${path}/ops/role/admin`, { scope: everything }, bearer(token));
    await call(mock, 'DELETE', `${path}/dev/role/admin`, undefined, bearer(token));
    await expect.poll(() => replica.isAllowed(asDev)).toBe(false);
    expect(replica.isAllowed({ ...asDev, roles: ['ops'] })).toBe(true);
    expect(replica.status.indexes.groupBindings).toBe(3);
    expect(seen).toContainEqual({ kind: 'groupBindings', names: ['dev:admin'] });
    const proposed = replica.overlay([{ kind: 'binding', group: 'ops', role: 'admin', after: null }]);
    expect(proposed.isAllowed({ ...asDev, roles: ['ops'] })).toBe(false);
  });

  test.each(['1.4.4', 'recorded'] as const)('a service of %s has none, and the replica is live', async (platform) => {
    const { groupBindings: _, ...older } = config;
    const mock = await open({ ...older, platform, fidelity });
    const server = await listenGrpc(mock, { port: 0 });
    onTestFinished(() => server.close());
    const token = await mock.tokens.issue({ user: null });
    for (const options of [
      { transport: mockPool(mock) },
      { address: server.address, credentials: fixed(token), fidelity },
    ]) {
      const replica = await liveReplica(options);
      expect([replica.live, replica.groups(), replica.status.lastError]).toEqual([true, [], undefined]);
    }
  });
});

const fixed = (token: string) => ({ authorize: () => `bearer ${token}` });

describe('a service that learns about groups', () => {
  test('is asked again over the same connection, and its groups count until it has no groups any more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const service = new PoolService();
    service.write('policies', 'p', everything);
    service.write('roles', 'r', { policies: ['p'] });
    const replica = replicaOf({ transport: service });
    await vi.advanceTimersByTimeAsync(90_000);
    expect([replica.live, replica.isAllowed(asDev)]).toEqual([true, false]);
    service.bindsGroups = true;
    service.write('groupBindings', 'dev:r', { role: 'r', scope: everything });
    await vi.advanceTimersByTimeAsync(20_000);
    expect([replica.live, replica.isAllowed(asDev)]).toEqual([true, true]);
    service.bindsGroups = false;
    service.cut();
    await vi.advanceTimersByTimeAsync(20_000);
    expect([replica.live, replica.isAllowed(asDev), replica.status.indexes.groupBindings]).toEqual([true, false, 0]);
  });

  test('follows groups only with the permission, and otherwise names the missing permission', async () => {
    const mock = await open({
      ...config,
      policies: {
        everything,
        pools: {
          statements: [
            {
              effect: 'Allow',
              actions: ['rbac:PoolPolicy', 'rbac:PoolRole', 'rbac:PoolUserRoleBinding'],
              resources: ['*'],
            },
          ],
        },
      },
      roles: { pools: { policies: ['pools'] } },
      bindings: [{ user: 'sidecar', role: 'pools', scope: everything }],
    });
    const token = await mock.tokens.issue({ user: 'sidecar' });
    const replica = replicaOf({ transport: mockPool(mock), credentials: fixed(token) });
    await expect(replica.ready()).rejects.toThrow('rbac:PoolGroupRoleBinding');
  });
});
