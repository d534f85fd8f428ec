import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { createMock } from '../../../src/mock/index.ts';
import { poolKinds, poolMethods } from '../../../src/policy/pool/pool-items.ts';
import { PoolService } from './support/pool-service.ts';
import { question, replicaOf } from './support/replicas.ts';
import { alicesPool, bindingItem, deletion } from './support/scripted-pool.ts';
import { alicesService, pass } from './support/services.ts';

// A replica is live once its three streams of changes were accepted. Uses Vitest's fake timers.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const notReady = expect.objectContaining({ code: 'REPLICA', reason: 'NOT_READY' });
const permissions = {
  policies: 'rbac:PoolPolicy',
  roles: 'rbac:PoolRole',
  bindings: 'rbac:PoolUserRoleBinding',
  groupBindings: 'rbac:PoolGroupRoleBinding',
};

describe('ready', () => {
  test.each([
    ['an empty deployment', new PoolService()],
    ['a quiet deployment', alicesService()],
  ])('takes at most 5 s: %s', async (_, service) => {
    const replica = replicaOf({ transport: service });
    let isReady = false;
    void replica.ready().then(() => {
      isReady = true;
    });
    await pass(900);
    expect([isReady, replica.status.state, service.reads]).toEqual([false, 'connecting', 3]);
    expect(() => replica.isAllowed(question)).toThrow(notReady);
    await pass(4_000);
    expect([isReady, replica.status.state]).toEqual([true, 'live']);
  });

  test.each(poolKinds)('needs the first message of each stream: %s', async (kind) => {
    const transport = alicesPool();
    transport.bindsGroups = kind === 'groupBindings';
    transport.onOpen = ({ method }) => method === poolMethods[kind].changes;
    const replica = replicaOf({ transport });
    await pass(1_000);
    expect(replica.status).toMatchObject({ state: 'connecting', indexes: { policies: 1, roles: 1, bindings: 1 } });
    expect(() => replica.isAllowed(question)).toThrow(notReady);
    transport.last(poolMethods[kind].changes).send(...transport.after(kind, 0));
    await pass(1);
    expect([replica.live, replica.isAllowed(question)]).toEqual([true, true]);
  });

  test.each(poolKinds)(
    'rejects at once without the permission for the %s, and names the missing permission',
    async (kind) => {
      const service = alicesService();
      service.bindsGroups = true;
      service.refusal = 7;
      service.refuses = (one, isRead) => one === kind && !isRead;
      const replica = replicaOf({ transport: service });
      const refused = replica.ready().catch((error) => error);
      await pass(200);
      const error = await refused;
      expect(error).toEqual(notReady);
      expect(error.message).toContain(
        `the permission ${permissions[kind]} on the resource "", which only the pattern *`,
      );
      expect(replica.live).toBe(false);
      service.refusal = undefined;
      await pass(3_000);
      expect(replica.live).toBe(true);
    },
  );
});

test('a deployment that denies everything refuses the streams, so that a replica is never ready there', async () => {
  const mock = await createMock({ authorization: { type: 'never' } });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const refused = replicaOf({ transport: mockPool(mock) })
    .ready()
    .catch((error) => error);
  await pass(3_000);
  expect(await refused).toEqual(notReady);
  expect((await refused).message).toMatch(/PERMISSION_DENIED.*the permission rbac:Pool/);
});

test('a stream may lack its first item if that was replaced: its next changes apply, and only these are reported', async () => {
  const transport = alicesPool();
  const replica = replicaOf({ transport });
  const told: unknown[] = [];
  await pass(1);
  replica.on('change', (change) => told.push(change));
  transport.onOpen = ({ method }) => method === 'PoolUserRoleBindingChanges';
  transport.last('PoolUserRoleBindingChanges').fail(14);
  await pass(250);
  transport.last('PoolUserRoleBindingChanges').send(deletion(2, 'alice:r'), bindingItem(3, 'bob'));
  await pass(1);
  expect(told).toEqual([{ kind: 'bindings', names: ['alice:r', 'bob:r'] }]);
  expect([replica.isAllowed(question), replica.isAllowed({ ...question, user: 'bob' })]).toEqual([false, true]);
});

describe('a refusal of a live replica', () => {
  test.each([7, 12, 16])('makes the replica stale at once: code %s', async (code) => {
    const service = alicesService();
    const replica = replicaOf({ transport: service, whenStale: 'refuse' });
    const states: string[] = [];
    replica.on('status', ({ state }) => states.push(state));
    await pass(3_000);
    service.refusal = code;
    service.refuses = (kind, isRead) => kind === 'roles' && !isRead;
    service.cut();
    await pass(400);
    expect(states).toEqual(['live', 'stale']);
    expect(() => replica.isAllowed(question)).toThrow(
      expect.objectContaining({
        reason: 'STALE',
        message: expect.stringMatching(/^STALE: the service no longer confirms the state; the last failure was /),
      }),
    );
    // Messages of the other streams are not evidence for this one.
    await pass(30_000);
    expect(states).toEqual(['live', 'stale']);
    service.refusal = undefined;
    await pass(20_000);
    expect([states, replica.isAllowed(question)]).toEqual([['live', 'stale', 'live'], true]);
  });

  test('also during the read after a break, until a read succeeds', async () => {
    const service = alicesService();
    const replica = replicaOf({ transport: service });
    const states: string[] = [];
    replica.on('status', ({ state }) => states.push(state));
    await pass(3_000);
    service.refusal = 16;
    service.refuses = (_, isRead) => isRead;
    service.cut();
    await pass(30_000);
    expect(states).toEqual(['live', 'stale']);
    service.refusal = undefined;
    await pass(20_000);
    expect(states).toEqual(['live', 'stale', 'live']);
  });
});
