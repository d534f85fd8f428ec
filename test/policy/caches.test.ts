import { describe, expect, test } from 'vitest';
import { Grant, PolicyNode, RoleNode } from '../../src/policy/compile.ts';
import type { Policy } from '../../src/policy/index.ts';
import { Recent } from '../../src/policy/recent.ts';
import { Shelf } from '../../src/policy/shelf.ts';
import { allow, everywhere, policy } from './support/fixtures.ts';

// What decisions do not show: that work is kept, and that it is given up when it must be.

const node = (source: Policy) => new PolicyNode(source, []);

describe('Recent', () => {
  const grant = Grant.of('a:b', { allow: { any: true, matches: () => true }, deny: undefined }, undefined, null);

  test('remembers by user and action, a null too, and forgets one user or all', () => {
    const recent = new Recent();
    expect(recent.get('u', 'a')).toBeUndefined();
    recent.set('u', 'a', grant);
    recent.set('u', 'b', null);
    recent.set('v', 'a', null);
    expect([recent.get('u', 'a'), recent.get('u', 'b'), recent.get('v', 'a'), recent.get('v', 'b')]).toEqual([
      grant,
      null,
      null,
      undefined,
    ]);
    recent.forget('u');
    expect([recent.get('u', 'a'), recent.get('u', 'b'), recent.get('v', 'a')]).toEqual([undefined, undefined, null]);
    recent.clear();
    expect(recent.get('v', 'a')).toBeUndefined();
  });

  test('starts again at 1025 actions', () => {
    const recent = new Recent();
    for (let i = 0; i < 1024; i++) recent.set('u', `a${i}`, null);
    recent.set('v', 'a0', null);
    expect([recent.get('u', 'a0'), recent.get('u', 'a1023')]).toEqual([null, null]);
    recent.set('u', 'a1024', null);
    expect([recent.get('u', 'a0'), recent.get('u', 'a1024')]).toEqual([undefined, null]);
  });

  test('starts again after 65 536 entries; forgotten ones do not count', () => {
    const recent = new Recent();
    const fill = (count: number, action: string) => {
      for (let i = 0; i < count; i++) recent.set(`u${i}`, action, null);
    };
    fill(65_536, 'a');
    expect([recent.get('u0', 'a'), recent.get('u65535', 'a')]).toEqual([null, null]);
    recent.forget('u1');
    recent.forget('nobody');
    recent.set('more', 'b', null);
    expect([recent.get('u0', 'a'), recent.get('more', 'b')]).toEqual([null, null]);
    recent.set('again', 'b', null);
    expect([recent.get('u0', 'a'), recent.get('more', 'b'), recent.get('again', 'b')]).toEqual([
      undefined,
      undefined,
      null,
    ]);
    // The count starts again as well.
    fill(65_535, 'a');
    expect(recent.get('again', 'b')).toBeNull();
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
    const [first, second] = [{}, {}];
    const compiled = role.node('a:b', policies, first);
    expect(role.node('a:b', policies, first)).toBe(compiled);
    expect(role.node('a:c', policies, first)).not.toBe(compiled);
    // Another state of the world, the same policies.
    policies.set('other', node(everywhere));
    expect(role.node('a:b', policies, second)).toBe(compiled);
    policies.set('q', node(everywhere));
    // It looks only when the generation says that something changed.
    expect(role.node('a:b', policies, second)).toBe(compiled);
    expect(role.node('a:b', policies, {})).not.toBe(compiled);
  });

  test('remembers 256 actions', () => {
    const role = new RoleNode({ policies: ['p', 'q'] }, undefined);
    const [policies, generation] = [both(), {}];
    const nodes = Array.from({ length: 256 }, (_, i) => role.node(`a:${i}`, policies, generation));
    expect(nodes.every((one, i) => role.node(`a:${i}`, policies, generation) === one)).toBe(true);
    role.node('a:256', policies, generation);
    expect(role.node('a:0', policies, generation)).not.toBe(nodes[0]);
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

describe('Shelf', () => {
  /** A Map that says how often it was copied. */
  function counted() {
    const counter = { copies: 0 };
    const map = new Map([['a', 1]]);
    const iterate = map[Symbol.iterator].bind(map);
    map[Symbol.iterator] = () => {
      counter.copies++;
      return iterate();
    };
    return { map, counter };
  }

  test('is copied by the first write after a clone, not by the clone, a read or a second write', () => {
    const { map, counter } = counted();
    const shelf = new Shelf(map);
    shelf.set('b', 2);
    expect(map.get('b')).toBe(2);
    const clone = shelf.clone();
    expect([clone.get('a'), clone.delete('nothing'), counter.copies]).toEqual([1, false, 0]);
    clone.set('a', 3);
    clone.set('c', 4);
    expect(clone.delete('b')).toBe(true);
    expect(counter.copies).toBe(1);
    expect([shelf.get('a'), shelf.get('b'), shelf.get('c')]).toEqual([1, 2, undefined]);
    shelf.delete('a');
    expect([counter.copies, map.has('a'), shelf.get('a'), clone.get('a')]).toEqual([2, true, undefined, 3]);
  });
});
