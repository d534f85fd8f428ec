import { describe, expect, test } from 'vitest';
import { type BindingNode, linked } from '../../../src/policy/evaluate/binding.ts';
import { PolicyNode, type RoleNode } from '../../../src/policy/evaluate/compile.ts';
import { GrantCache } from '../../../src/policy/evaluate/grant-cache.ts';
import type { Policy } from '../../../src/policy/index.ts';
import { allow, everywhere, policy } from '../support/fixtures.ts';

// Invisible in decisions: results are cached, and no more of them are invalidated than necessary.

const node = (source: Policy) => new PolicyNode(source, []);
const scope = node(everywhere);

/** A cache over mutable policies and roles, and the number of lookups of a policy. */
function setUp(roleNames: Readonly<Record<string, readonly string[]>>) {
  const policies = new Map<string, PolicyNode>();
  const roles = new Map<string, RoleNode>();
  const looked: string[] = [];
  for (const [role, names] of Object.entries(roleNames)) {
    roles.set(role, { source: { policies: names }, scope: undefined });
    for (const name of names) policies.set(name, node(policy(allow('x'))));
  }
  const lookUp = (name: string) => {
    looked.push(name);
    return policies.get(name);
  };
  const cache = new GrantCache({ get: lookUp }, roles);
  const bound = (...names: string[]) => {
    let last: BindingNode | undefined;
    for (const role of names) last = linked({ role, scope }, last);
    return last as BindingNode;
  };
  return { cache, policies, roles, looked, bound };
}

describe('the cache', () => {
  test('is keyed by user and action, and caches empty grants, too', () => {
    const { cache, bound } = setUp({ r: ['p'] });
    const granted = cache.compile('u', bound('r'), 'a:b');
    const nothing = cache.compile('v', bound('missing'), 'a:b');
    expect([granted.allows('x'), granted.allows('y'), nothing.allows('x')]).toEqual([true, false, false]);
    expect([cache.find('u', 'a:b'), cache.find('v', 'a:b')]).toEqual([granted, nothing]);
    expect([cache.find('u', 'a:c'), cache.find('w', 'a:b')]).toEqual([undefined, undefined]);
  });

  test('compiles a role once for an action, for all users', () => {
    const { cache, bound, looked } = setUp({ r: ['p', 'q'] });
    const compiled = cache.node('r', 'a:b');
    cache.compile('u', bound('r'), 'a:b');
    cache.compile('v', bound('r'), 'a:b');
    expect(cache.node('r', 'a:b')).toBe(compiled);
    expect(cache.node('r', 'a:c')).not.toBe(compiled);
    expect(looked).toEqual(['p', 'q']);
  });

  test('parses a pattern once that many policies have', () => {
    const { cache, policies } = setUp({ r: ['p'], s: ['q'] });
    for (const name of ['p', 'q']) policies.set(name, node(policy(allow('x:*:z'))));
    expect(cache.node('r', 'a:b').allow).toBe(cache.node('s', 'a:b').allow);
  });

  test.each([
    ['u'.repeat(256), 'a:b', true],
    ['u'.repeat(257), 'a:b', false],
    ['u', `a:${'b'.repeat(254)}`, true],
    ['u', `a:${'b'.repeat(255)}`, false],
  ])('caches texts of at most 256 characters (%#)', (user, action, isRemembered) => {
    const { cache, bound } = setUp({ r: ['p'] });
    expect(cache.compile(user, bound('r'), action).allows('x')).toBe(true);
    expect(cache.find(user, action) !== undefined).toBe(isRemembered);
    const compiled = cache.node('r', action);
    expect(cache.node('r', action) === compiled).toBe(action.length <= 256);
  });

  test('holds 1 024 actions, then starts over', () => {
    const { cache, bound } = setUp({ r: ['p'] });
    for (let i = 0; i <= 1024; i++) cache.compile('u', bound('r'), `a:${i}`);
    expect(cache.find('u', 'a:0')).toBeDefined();
    cache.compile('u', bound('r'), 'a:0');
    expect([cache.find('u', 'a:0'), cache.find('u', 'a:1')]).toEqual([expect.anything(), undefined]);
  });

  test('invalidated entries free their space', () => {
    const { cache, bound, policies } = setUp({ r: ['p'], other: ['q'] });
    policies.set('p', node(policy(allow(...Array.from({ length: 2_000 }, (_, i) => `r${i}`)))));
    const kept = cache.compile('u', bound('other'), 'a:b');
    for (let i = 0; i < 1_000; i++) {
      cache.node('r', 'a:b');
      cache.forgetPolicy('p');
    }
    expect(cache.find('u', 'a:b')).toBe(kept);
    // Invalidating missing entries frees no space.
    for (let i = 0; i < 1_000; i++) cache.forgetPolicy('p');
    let compiled = 0;
    while (cache.find('u', 'a:b') !== undefined && compiled < 1_000) cache.node('r', `a:${compiled++}`);
    expect(compiled).toBeGreaterThan(100);
    expect(compiled).toBeLessThan(1_000);
  });

  test('starts over when users fill it, sooner if they have more bindings', () => {
    const startsAgain = (...names: string[]) => {
      const { cache, bound } = setUp({ r: ['p'] });
      const last = bound(...names);
      cache.compile('first', last, 'a:b');
      let users = 0;
      while (cache.find('first', 'a:b') !== undefined) cache.compile(`u${users++}`, last, 'a:b');
      return users;
    };
    const [one, ten] = [startsAgain('r'), startsAgain(...Array.from({ length: 10 }, () => 'r'))];
    expect(one).toBeGreaterThan(65_536);
    expect(one).toBeLessThan(262_144);
    expect(ten).toBeGreaterThan(16_384);
    expect(ten).toBeLessThan(one / 3);
  });
});

describe('a question that is asked for the first time', () => {
  test('is not cached; from the second time on it is', () => {
    const { cache, bound } = setUp({ r: ['p'] });
    const ask = () => cache.compile('u', bound('r'), 'a:b', 'x', 7);
    expect([ask().allows('x'), cache.find('u', 'a:b')]).toEqual([true, undefined]);
    const again = ask();
    expect([again.allows('x'), again.allows('y'), cache.find('u', 'a:b')]).toEqual([true, false, again]);
  });

  test('compiles no more bindings than it takes to allow the resource, and all of them the next time', () => {
    const { cache, bound, looked } = setUp({ r: ['p'], s: ['q'], t: ['o'] });
    const last = bound('r', 's', 't');
    const ask = (resource: string) => cache.compile('u', last, 'a:b', resource, 7);
    expect([ask('x').allows('x'), [...looked]]).toEqual([true, ['o']]);
    expect(ask('x').next?.next).not.toBe(null);
    expect(looked).toEqual(['o', 'q', 'p']);
    expect(cache.compile('v', last, 'a:b', 'y', 8).allows('y')).toBe(false);
  });

  test('is cached in the end, also if others that share its mark are asked in turns', () => {
    const { cache, bound } = setUp({ r: ['p'] });
    // Hashes that differ in their upper half only have one place for their marks.
    const users = Array.from({ length: 3 }, (_, i) => ({ user: `u${i}`, hash: (i + 1) << 16 }));
    const left = () => users.filter(({ user }) => cache.find(user, 'a:b') === undefined);
    for (let turn = 0; turn < 10_000 && left().length > 0; turn++) {
      for (const { user, hash } of left()) cache.compile(user, bound('r'), 'a:b', 'x', hash);
    }
    expect(left()).toEqual([]);
  });

  test('is not cached if the same user asked about another action, or another user about the same action', () => {
    const { cache, bound } = setUp({ r: ['p'] });
    for (const action of ['a:a', 'a:b']) cache.node('r', action);
    for (const hash of [1, 40_000])
      for (const action of ['a:a', 'a:b']) {
        cache.compile(`${hash}`, bound('r'), action, 'x', hash);
        expect(cache.find(`${hash}`, action)).toBe(undefined);
      }
  });
});

describe('invalidation', () => {
  const names = { r: ['p', 'shared'], s: ['q', 'shared'], t: ['other'] };
  const known = (cache: GrantCache) => ['r', 's', 't', 'both'].filter((user) => cache.find(user, 'a:b') !== undefined);
  const ready = () => {
    const made = setUp(names);
    for (const role of ['r', 's', 't']) made.cache.compile(role, made.bound(role), 'a:b');
    made.cache.compile('both', made.bound('r', 's', 'missing'), 'a:b');
    return made;
  };

  test.each([
    ['p', ['s', 't']],
    ['q', ['r', 't']],
    ['shared', ['t']],
    ['other', ['r', 's', 'both']],
    ['unknown', ['r', 's', 't', 'both']],
  ])('policy %s: the roles that name it and the users bound to them', (name, left) => {
    const { cache, looked } = ready();
    const nodes = ['r', 's', 't'].map((role) => cache.node(role, 'a:b'));
    looked.length = 0;
    cache.forgetPolicy(name);
    expect(known(cache)).toEqual(left);
    const kept = ['r', 's', 't'].filter((role, i) => cache.node(role, 'a:b') === nodes[i]);
    expect(kept).toEqual(['r', 's', 't'].filter((role) => !names[role as 'r'].includes(name)));
    expect(new Set(looked)).toEqual(new Set(Object.values(names).flatMap((all) => (all.includes(name) ? all : []))));
  });

  test.each([
    ['r', ['s', 't']],
    ['t', ['r', 's', 'both']],
    ['missing', ['r', 's', 't']],
    ['unknown', ['r', 's', 't', 'both']],
  ])('role %s: the users bound to it', (name, left) => {
    const { cache } = ready();
    cache.forgetRole(name);
    expect(known(cache)).toEqual(left);
  });

  test('of a user drops the entries of all actions', () => {
    const { cache, bound } = ready();
    cache.compile('r', bound('r'), 'a:c');
    cache.forgetUser('r');
    expect([known(cache), cache.find('r', 'a:c')]).toEqual([['s', 't', 'both'], undefined]);
  });

  test('of a policy works again for entries that were compiled after the last one', () => {
    const { cache, bound, policies } = ready();
    for (const resource of ['y', 'z']) {
      policies.set('p', node(policy(allow(resource))));
      cache.forgetPolicy('p');
      expect(known(cache)).toEqual(['s', 't']);
      expect(cache.compile('r', bound('r'), 'a:b').allows(resource)).toBe(true);
      expect(cache.compile('both', bound('r', 's', 'missing'), 'a:b').allows(resource)).toBe(true);
      expect(known(cache)).toEqual(['r', 's', 't', 'both']);
    }
  });

  test('of a policy follows the policies that each role names now', () => {
    const { cache, bound, roles, policies } = ready();
    policies.set('new', node(everywhere));
    roles.set('r', { source: { policies: ['new'] }, scope: undefined });
    cache.forgetRole('r');
    expect(cache.compile('r', bound('r'), 'a:b').allows('anything')).toBe(true);
    policies.delete('new');
    cache.forgetPolicy('new');
    expect(cache.find('r', 'a:b')).toBeUndefined();
    expect(cache.compile('r', bound('r'), 'a:b').allows('anything')).toBe(false);
  });
});

test('a policy whose statements all have the action * shares one node for all actions, another one has a node for each', () => {
  const all = node(policy(allow('x'), allow('y')));
  expect(all.node('a:b')).toBe(all.node('c:d'));
  const some = node(policy({ ...allow('x'), actions: ['a:*'] }, allow('y')));
  expect(some.node('a:b').allow?.matches('x')).toBe(true);
  expect(some.node('c:d').allow?.matches('x')).toBe(false);
  const named = node(policy({ ...allow('x'), actions: ['a:b'] }));
  expect([named.node('a:b').allow?.matches('x'), named.node('c:d').allow]).toEqual([true, undefined]);
});
