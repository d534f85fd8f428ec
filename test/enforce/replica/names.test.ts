import { describe, expect, test } from 'vitest';
import { PolicyCopy } from '../../../src/enforce/replica/policy-copy.ts';
import type { Fidelity, Policy } from '../../../src/policy/index.ts';
import type { PoolItem } from '../../../src/policy/pool/pool-items.ts';
import { liveReplica, question } from './support/replicas.ts';
import { alicesPool, bindingItem, deletion, everywhere, policyItem, roleItem } from './support/scripted-pool.ts';

// How a copy reads the names of bindings: `user:role`, where both may contain a ":".

const narrow: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['orders:*'] }] };

/** A copy in which every role allows everything. */
function copyOf(fidelity: Fidelity, sharesNames = false) {
  const copy = new PolicyCopy(fidelity, sharesNames);
  copy.apply('policies', policyItem(1));
  for (const [i, role] of ['r', 'b:r', ':r', 'r:'].entries()) copy.apply('roles', roleItem(i + 1, role));
  let index = 0;
  return {
    copy,
    /** Applies the next change. */
    take: (item: (index: number) => PoolItem) => copy.apply('bindings', item(++index)),
    /** The users among these that are allowed. */
    allowed: (...users: string[]) =>
      users.filter((user) => copy.evaluator.evaluate({ user, action: 'orders:read', resource: 'orders' }).allowed),
  };
}

describe('sidecar fidelity: one binding for a name', () => {
  test('applies to every user that is a prefix of its name, up to a ":"', () => {
    const { take, allowed } = copyOf('sidecar');
    take((i) => bindingItem(i, 'a:b', 'r'));
    expect(allowed('a', 'a:b', 'a:b:r', 'b', 'a:')).toEqual(['a', 'a:b']);
    take((i) => bindingItem(i, 'c', 'b:r'));
    expect(allowed('c', 'c:b', 'c:b:r')).toEqual(['c', 'c:b']);
    take((i) => bindingItem(i, 'd:', 'r'));
    expect(allowed('d', 'd:', 'd::r')).toEqual(['d', 'd:']);
  });

  test('a binding of the same name replaces the earlier binding, and a deletion deletes by that name only', () => {
    const { take, allowed, copy } = copyOf('sidecar');
    take((i) => bindingItem(i, 'a:b', 'r'));
    copy.apply('roles', { name: 'b:r', index: 5, item: { policies: [] } });
    take((i) => bindingItem(i, 'a', 'b:r'));
    expect(allowed('a', 'a:b')).toEqual([]);
    expect(copy.evaluator.bindings('a:b')).toEqual([{ user: 'a', role: 'b:r', scope: everywhere }]);
    take((i) => bindingItem(i, 'a:b', 'r'));
    expect(allowed('a', 'a:b')).toEqual(['a', 'a:b']);
    take((i) => deletion(i, 'a:b:r'));
    expect([allowed('a', 'a:b'), copy.evaluator.bindings('a')]).toEqual([[], []]);
  });

  test('with two bindings to one role only what both allow is allowed, in any order', () => {
    for (const turn of [1, -1]) {
      const { take, allowed, copy } = copyOf('sidecar');
      const both = [bindingItem(1, 'a'), { ...bindingItem(2, 'a:b'), item: { role: 'r', scope: narrow } }];
      for (const one of turn > 0 ? both : both.reverse()) take((index) => ({ ...one, index }));
      expect(allowed('a', 'a:b')).toEqual([]);
      const asks = { action: 'orders:read', resource: 'orders:7' };
      expect(copy.evaluator.evaluate({ user: 'a', ...asks }).allowed).toBe(true);
      take((i) => deletion(i, 'a:b:r'));
      expect(allowed('a')).toEqual(['a']);
    }
  });
});

describe('documented fidelity: users stay apart', () => {
  test('bindings of one user never apply to another', () => {
    const { take, allowed } = copyOf('documented');
    take((i) => bindingItem(i, 'a:b', 'r'));
    expect(allowed('a', 'a:b')).toEqual(['a:b']);
    take((i) => deletion(i, 'a:b:r'));
    expect(allowed('a', 'a:b')).toEqual([]);
  });

  test('a service with one binding for a name takes it from the other user', () => {
    const { take, allowed } = copyOf('documented');
    take((i) => bindingItem(i, 'a:b', 'r'));
    take((i) => bindingItem(i, 'a', 'b:r'));
    expect(allowed('a', 'a:b')).toEqual(['a']);
    take((i) => deletion(i, 'a:b:r'));
    expect(allowed('a', 'a:b')).toEqual([]);
  });

  test('if a mock has both, a deletion removes both until the mock sends the remaining one again', () => {
    const { take, allowed } = copyOf('documented', true);
    take((i) => bindingItem(i, 'a:b', 'r'));
    take((i) => bindingItem(i, 'a', 'b:r'));
    expect(allowed('a', 'a:b')).toEqual(['a', 'a:b']);
    take((i) => deletion(i, 'a:b:r'));
    take((i) => bindingItem(i, 'a:b', 'r'));
    expect(allowed('a', 'a:b')).toEqual(['a:b']);
  });
});

describe.each<Fidelity>(['documented', 'sidecar'])('names that bind no user, %s', (fidelity) => {
  const odd: readonly [string, string, string][] = [
    ['bob', 'r', 'has no ":" between a user and a role, and binds no user'],
    ['bob:', '', 'has an empty role, and binds no user'],
    ['bob', '', 'has an empty role, and binds no user'],
    ['', '', 'has an empty role, and binds no user'],
    [':r', 'r', 'has an empty user, and binds no user'],
    ['bob:x', 'r', 'does not end with ":" and the role of its item, and binds no user'],
  ];

  test.each(odd)('%j with role %j grants nothing, and is reported', (name, role, message) => {
    const { copy, take, allowed } = copyOf(fidelity);
    const item = (index: number) => ({ name, index, item: { role, scope: everywhere } });
    take(item);
    expect(copy.indexes.bindings).toBe(1);
    expect(allowed('bob', 'bo', 'b', 'bob:')).toEqual([]);
    expect(copy.faults()).toEqual([{ path: ['bindings', name], message, role }]);
    expect(copy.faults('bob').length).toBe(name.startsWith('bob') ? 1 : 0);
    expect(copy.faults('bo')).toEqual([]);
    take((i) => deletion(i, name));
    expect(copy.faults()).toEqual([]);
  });

  test('a replica with such bindings is ready, knows their index and reports them', async () => {
    const transport = alicesPool();
    transport.state.bindings.push(
      { name: 'nobody', index: 2, item: { role: 'r', scope: everywhere } },
      { name: 'bob:', index: 3, item: { role: '', scope: everywhere } },
    );
    const replica = await liveReplica({ transport, fidelity });
    expect(replica.status).toMatchObject({ state: 'live', indexes: { bindings: 3 } });
    expect([replica.isAllowed(question), replica.isAllowed({ ...question, user: 'bob' })]).toEqual([true, false]);
    expect(replica.faults().map(({ path }) => path[1])).toEqual(['nobody', 'bob:']);
    expect([replica.faults('alice'), replica.faults('bob').length]).toEqual([[], 1]);
  });
});
