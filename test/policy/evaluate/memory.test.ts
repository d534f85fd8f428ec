import { expect, test } from 'vitest';
import { createEvaluator, type Evaluator } from '../../../src/policy/index.ts';
import { heldBytes } from '../../support/heap.ts';
import { everywhere, policy } from '../support/fixtures.ts';

/**
 * The memory that the evaluator keeps for questions, in MiB: the growth of the heap. Without bounds it is 40 and
 * more.
 */
function grown(evaluator: Evaluator, ask: (evaluator: Evaluator) => void): number {
  const before = heldBytes();
  ask(evaluator);
  const after = heldBytes();
  // Keeps the evaluator alive until the heap is measured.
  expect(evaluator.evaluate({ user: 'nobody', action: 'a:b', resource: 'x' }).allowed).toBe(false);
  return (after - before) / (1024 * 1024);
}

const some = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const rolesNamed = (names: readonly string[]) => new Map(names.map((name) => [name, { policies: ['p'] }]));
const bound = (user: string, roles: readonly string[]) => roles.map((role) => ({ user, role, scope: everywhere }));
const many = policy({ effect: 'Allow', actions: ['*'], resources: some(2_000, 'r') });

test('does not cache texts of a megabyte', () => {
  const evaluator = createEvaluator({
    policies: { p: everywhere },
    roles: { r: { policies: ['p'] } },
    bindings: bound('u', ['r']),
  });
  const used = grown(evaluator, () => {
    for (let i = 0; i < 200; i++) {
      const long = `${i}${'x'.repeat(1024 * 1024)}`;
      expect(evaluator.evaluate({ user: 'u', action: `a:${long}`, resource: 'x' }).allowed).toBe(true);
      expect(evaluator.evaluate({ roles: ['r'], action: `b:${long}`, resource: long }).allowed).toBe(true);
      expect(evaluator.evaluate({ user: long, action: 'a:b', resource: long }).allowed).toBe(false);
    }
  });
  expect(used).toBeLessThan(16);
});

test('20 000 roles with one question each stay within the bound', () => {
  const names = some(20_000, 'role');
  const evaluator = createEvaluator({ policies: { p: everywhere }, roles: rolesNamed(names) });
  const used = grown(evaluator, () => {
    for (const [i, role] of names.entries()) {
      expect(evaluator.evaluate({ roles: [role], action: `a:${i % 1000}`, resource: 'x' }).allowed).toBe(true);
    }
  });
  expect(used).toBeLessThan(32);
});

test('600 roles × 1 000 actions stay within the bound', () => {
  const names = some(600, 'role');
  const evaluator = createEvaluator({ policies: { p: everywhere }, roles: rolesNamed(names) });
  const used = grown(evaluator, () => {
    let allowed = 0;
    for (const action of some(1_000, 'a:')) {
      for (const role of names) if (evaluator.evaluate({ roles: [role], action, resource: 'x' }).allowed) allowed++;
    }
    expect(allowed).toBe(600_000);
  });
  expect(used).toBeLessThan(32);
});

test('a policy of 2 000 resources and 1 000 actions stays within the bound', () => {
  const evaluator = createEvaluator({ policies: { p: many }, roles: { r: { policies: ['p'] } } });
  const used = grown(evaluator, () => {
    for (const action of some(1_000, 'a:')) evaluator.evaluate({ roles: ['r'], action, resource: 'r1' });
  });
  expect(used).toBeLessThan(32);
});

test('a user with 500 roles and 1 000 actions stays within the bound', () => {
  const names = some(500, 'role');
  const evaluator = createEvaluator({
    policies: { p: everywhere },
    roles: rolesNamed(names),
    bindings: bound('u', names),
  });
  const used = grown(evaluator, () => {
    for (const action of some(1_000, 'a:')) evaluator.evaluate({ user: 'u', action, resource: 'x' });
  });
  expect(used).toBeLessThan(32);
});

test('different scopes, set again and again, stay within the bound', () => {
  const evaluator = createEvaluator({ policies: { p: everywhere }, roles: rolesNamed(['r']) });
  const used = grown(evaluator, () => {
    for (let i = 0; i < 20_000; i++) {
      const resources = some(20, `a long name of a resource that is in this scope only ${i} `);
      evaluator.setBinding({ user: 'u', role: 'r', scope: policy({ effect: 'Allow', actions: ['*'], resources }) });
    }
  });
  expect(used).toBeLessThan(24);
});
