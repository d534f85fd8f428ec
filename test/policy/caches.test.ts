import { describe, expect, test } from 'vitest';
import { CopyOnWriteMap } from '../../src/lib/copy-on-write-map.ts';
import { Grant, PolicyNode, RoleNode } from '../../src/policy/compile.ts';
import { GrantCache } from '../../src/policy/grant-cache.ts';
import type { Policy } from '../../src/policy/index.ts';
import { allow, everywhere, policy } from './support/fixtures.ts';

// What decisions do not show: that work is kept, and that it is given up when it must be.

const node = (source: Policy) => new PolicyNode(source, []);

describe('GrantCache', () => {
  const grant = Grant.of('a:b', { allow: { any: true, matches: () => true }, deny: undefined }, undefined, null);

  test('remembers by user and action, a null too, and forgets one user or all', () => {
    const recent = new GrantCache();
    const all = () => [recent.get('u', 0), recent.get('u', 7), recent.get('v', 0), recent.get('v', 7)];
    expect(all()).toEqual([undefined, undefined, undefined, undefined]);
    recent.set('u', 0, grant);
    recent.set('u', 7, null);
    recent.set('v', 0, null);
    expect(all()).toEqual([grant, null, null, undefined]);
    recent.forget('u');
    expect(all()).toEqual([undefined, undefined, null, undefined]);
    recent.clear();
    expect(all()).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('starts again after 65 536 entries; forgotten ones do not count', () => {
    const recent = new GrantCache();
    const fill = (count: number, action: number) => {
      for (let i = 0; i < count; i++) recent.set(`u${i}`, action, null);
    };
    fill(65_536, 1);
    expect([recent.get('u0', 1), recent.get('u65535', 1)]).toEqual([null, null]);
    recent.forget('u1');
    recent.forget('nobody');
    recent.set('more', 2, null);
    expect([recent.get('u0', 1), recent.get('more', 2)]).toEqual([null, null]);
    recent.set('again', 2, null);
    expect([recent.get('u0', 1), recent.get('more', 2), recent.get('again', 2)]).toEqual([undefined, undefined, null]);
    // The count starts again as well.
    fill(65_535, 1);
    expect(recent.get('again', 2)).toBeNull();
  });
});

describe('RoleNode', () => {
  const both = () =>
    new Map([
      ['p', node(policy({ ...allow('x'), actions: ['a:b'] }))],
      ['q', node(everywhere)],
    ]);

  test('compiles an action once, and again only when one of its own policies changed', () => {
    const role = new RoleNode({ policies: ['p', 'q', 'missing'] }, undefined);
    const policies = both();
    const first = { actions: new Map() };
    const second = { actions: first.actions };
    const compiled = role.node('a:b', 0, policies, first);
    expect(role.node('a:b', 0, policies, first)).toBe(compiled);
    expect(role.node('a:c', 1, policies, first)).not.toBe(compiled);
    // Another state of the world, the same policies.
    policies.set('other', node(everywhere));
    expect(role.node('a:b', 0, policies, second)).toBe(compiled);
    policies.set('q', node(everywhere));
    // It looks only when the generation says that something changed.
    expect(role.node('a:b', 0, policies, second)).toBe(compiled);
    expect(role.node('a:b', 0, policies, { actions: first.actions })).not.toBe(compiled);
  });

  test('compiles again where actions have new numbers', () => {
    const role = new RoleNode({ policies: ['p', 'q'] }, undefined);
    const policies = both();
    const compiled = role.node('a:b', 0, policies, { actions: new Map() });
    expect(role.node('a:c', 0, policies, { actions: new Map() })).not.toBe(compiled);
  });
});

describe('PolicyNode', () => {
  test('about all actions: one node for each of them, else one for each action', () => {
    const all = node(policy(allow('x'), allow('y')));
    expect(all.node('a:b')).toBe(all.node('c:d'));
    const some = node(policy({ ...allow('x'), actions: ['a:*'] }, allow('y')));
    expect(some.node('a:b').allow?.matches('x')).toBe(true);
    expect(some.node('c:d').allow?.matches('x')).toBe(false);
    const named = node(policy({ ...allow('x'), actions: ['a:b'] }));
    expect([named.node('a:b').allow?.matches('x'), named.node('c:d').allow]).toEqual([true, undefined]);
  });
});

describe('CopyOnWriteMap', () => {
  /** A Map of 16 that says how often it was read whole. */
  function counted() {
    const counter = { copies: 0 };
    const map = new Map<string, number | undefined>(Array.from({ length: 16 }, (_, i) => [`name-${i}`, i]));
    const iterate = map[Symbol.iterator].bind(map);
    map[Symbol.iterator] = () => {
      counter.copies++;
      return iterate();
    };
    return { map, counter };
  }

  test('a clone, a read and a few writes after a clone never copy what is large; many do once', () => {
    const { map, counter } = counted();
    const shelf = new CopyOnWriteMap(map);
    shelf.set('own', 2);
    expect(map.get('own')).toBe(2);
    for (let round = 0; round < 3; round++) {
      const clone = shelf.clone();
      expect([clone.get('name-1'), clone.delete('nothing')]).toEqual([1, false]);
      clone.set('name-1', 100);
      expect(clone.delete('name-2')).toBe(true);
      expect([clone.get('name-1'), clone.get('name-2'), clone.get('name-3')]).toEqual([100, undefined, 3]);
      expect([shelf.get('name-1'), shelf.get('name-2')]).toEqual([1, 2]);
    }
    expect(counter.copies).toBe(0);
    const many = shelf.clone();
    for (const name of ['x', 'y', 'z']) many.set(name, 1);
    const next = many.clone();
    next.set('x', 2);
    next.set('y', 2);
    expect([counter.copies, next.get('x'), many.get('x'), next.get('name-1')]).toEqual([1, 2, 1, 1]);
  });
});
