import { describe, expect, test, vi } from 'vitest';
import type { Replica, ReplicaChange } from '../../../src/enforce/replica/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { liveReplica, question, replicaOf } from './support/replicas.ts';
import {
  alicesPool,
  bindingItem,
  deletion,
  everywhere,
  policyItem,
  roleItem,
  type ScriptedPool,
} from './support/scripted-pool.ts';

const nothing = { statements: [] };

describe('the contents of a replica', () => {
  async function start(): Promise<[Replica, ScriptedPool]> {
    const transport = alicesPool();
    transport.state.policies.push(policyItem(2, 'a', nothing));
    transport.state.roles.push(roleItem(2, 'b:c'));
    transport.state.bindings.push(bindingItem(2, 'ann', 'b:c'), bindingItem(3, 'alice', 'a'));
    return [await liveReplica({ transport }), transport];
  }

  test('can be listed, as an evaluator lists it', async () => {
    const [replica] = await start();
    const expected = createEvaluator(
      {
        policies: { p: everywhere, a: nothing },
        roles: { r: { policies: ['p'] }, 'b:c': { policies: ['p'] } },
        bindings: [
          { user: 'alice', role: 'r', scope: everywhere },
          { user: 'ann', role: 'b:c', scope: everywhere },
          { user: 'alice', role: 'a', scope: everywhere },
        ],
      },
      { fidelity: 'sidecar' },
    );
    for (const one of [replica, replica.evaluator()]) {
      expect(one.policies()).toEqual(['a', 'p']);
      expect(one.roles()).toEqual(['b:c', 'r']);
      expect(one.users()).toEqual(['alice', 'ann', 'ann:b']);
      expect(one.bindings()).toEqual(expected.bindings());
      expect(one.bindings('ann')).toEqual([{ user: 'ann', role: 'b:c', scope: everywhere }]);
      expect(one.bindings('nobody')).toEqual([]);
    }
    expect(replica.bindings().map(({ role }) => role)).toEqual(['r', 'a', 'b:c']);
  });

  test('cannot be requested for an invalid name, or before the replica is ready', async () => {
    const [replica] = await start();
    for (const odd of ['', 5, null]) {
      expect(() => replica.bindings(odd as string)).toThrow('user: expected a non-empty name');
    }
    const early = replicaOf({ transport: alicesPool() });
    for (const ask of ['evaluator', 'users', 'policies', 'roles', 'bindings'] as const) {
      expect(() => early[ask]()).toThrow(expect.objectContaining({ reason: 'NOT_READY' }));
    }
    await early.close();
    expect(() => early.evaluator()).toThrow(expect.objectContaining({ reason: 'CLOSED' }));
  });

  test('an evaluator of the replica is independent, and accepts changed scopes', async () => {
    const [replica, transport] = await start();
    const evaluator = replica.evaluator();
    evaluator.deleteBinding('alice', 'r');
    expect([replica.isAllowed(question), evaluator.isAllowed(question)]).toEqual([true, false]);
    const scope = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['orders'] }] };
    evaluator.setBinding({ user: 'alice', role: 'r', scope });
    expect(evaluator.isAllowed(question)).toBe(true);
    scope.statements.pop();
    evaluator.setBinding({ user: 'alice', role: 'r', scope });
    expect(evaluator.isAllowed(question)).toBe(false);
    transport.last('PoolPolicyChanges').send(deletion(3, 'p'));
    await expect.poll(() => replica.isAllowed(question)).toBe(false);
    expect([replica.policies(), evaluator.policies()]).toEqual([['a'], ['a', 'p']]);
  });
});

describe('a change event after a full read', () => {
  /** Causes a full read of the pool's current content. */
  async function readAgain(transport: ScriptedPool): Promise<void> {
    const count = transport.of('PoolPolicyChanges').length;
    transport.last('PoolPolicyChanges').fail(11, 'out of bounds');
    await vi.waitFor(() => expect(transport.of('PoolPolicyChanges').length).toBe(count + 1), 5_000);
  }

  test('names added, removed and changed items only', async () => {
    const transport = alicesPool();
    const unchanged = Array.from({ length: 3_000 }, (_, i) => bindingItem(i + 2, `u${i}`));
    const narrow = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['orders'] }] };
    const replica = replicaOf({ transport });
    const changes: ReplicaChange[] = [];
    replica.on('change', (change) => changes.push(change));
    transport.state.policies.push(policyItem(2, 'same'), policyItem(3, 'gone'));
    transport.state.bindings.push(...unchanged, { name: 'odd', index: 4_000, item: { role: 'r', scope: null } });
    await replica.ready();
    expect(changes.splice(0)).toEqual([{ kind: 'all', names: [] }]);
    transport.state.policies = [policyItem(9, 'p', narrow), policyItem(2, 'same'), policyItem(10, 'new')];
    transport.state.bindings = [
      ...unchanged.toReversed(),
      { name: 'alice:r', index: 5_000, item: { role: 'r', scope: narrow } },
      bindingItem(5_001, 'zoe'),
      { name: 'zoe:none', index: 5_002, item: { role: 'none', scope: null } },
    ];
    await readAgain(transport);
    await vi.waitFor(() => expect(changes.length).toBe(2), 5_000);
    const found = changes.map(({ kind, names }) => [kind, names.toSorted()]);
    expect(found).toEqual([
      ['policies', ['gone', 'new', 'p']],
      ['bindings', ['alice:r', 'odd', 'zoe:none', 'zoe:r']],
    ]);
  });

  test('is not emitted if nothing changed', async () => {
    const transport = alicesPool();
    const replica = await liveReplica({ transport });
    const changes: ReplicaChange[] = [];
    replica.on('change', (change) => changes.push(change));
    await readAgain(transport);
    transport.state.roles = [roleItem(2, 'r', ['p', 'q'])];
    await readAgain(transport);
    await vi.waitFor(() => expect(changes).toEqual([{ kind: 'roles', names: ['r'] }]), 5_000);
  });
});
