import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Binding, createEvaluator } from '../../../src/policy/index.ts';
import { stateArb } from '../support/arbitrary.ts';

const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const sorted = (texts: Iterable<string>) => [...new Set(texts)].sort();
const nameOf = ({ user, role }: Binding) => `${user}:${role}`;
/** All prefixes of a name that end before a `:`. */
const prefixes = (name: string) => [...name].flatMap((_, i) => (name[i] === ':' && i > 0 ? name.slice(0, i) : []));
const own = (one: Binding) => JSON.stringify([one.user, one.role, one.scope ?? null]);

describe('names and bindings of an evaluator', () => {
  test('are sorted by code unit, the bindings by user and then by age', () => {
    const evaluator = createEvaluator({
      policies: { b: { statements: [] }, B: { statements: [] }, ä: { statements: [] }, a: { statements: [] } },
      roles: { z: { policies: [] }, y: { policies: ['none'] } },
      bindings: [
        { user: 'eve', role: 'z' },
        { user: 'bob', role: 'y', scope },
        { user: 'eve', role: 'missing', scope },
        { user: 'eve', role: 'z', scope },
        { user: 'Bob', role: 'z' },
      ],
    });
    expect(evaluator.policies()).toEqual(['B', 'a', 'b', 'ä']);
    expect(evaluator.roles()).toEqual(['y', 'z']);
    expect(evaluator.users()).toEqual(['Bob', 'bob', 'eve']);
    expect(evaluator.bindings()).toEqual([
      { user: 'Bob', role: 'z' },
      { user: 'bob', role: 'y', scope },
      { user: 'eve', role: 'z' },
      { user: 'eve', role: 'missing', scope },
      { user: 'eve', role: 'z', scope },
    ]);
  });

  test('follow changes; those of a clone are independent', () => {
    const evaluator = createEvaluator();
    const empty = [evaluator.policies(), evaluator.roles(), evaluator.users(), evaluator.bindings()];
    evaluator.setPolicy('p', { statements: [] });
    evaluator.setRole('r', { policies: ['p'] });
    evaluator.setBinding({ user: 'u', role: 'r' });
    const clone = evaluator.clone();
    evaluator.deletePolicy('p');
    evaluator.deleteRole('r');
    evaluator.deleteBinding('u', 'r');
    expect([evaluator.policies(), evaluator.roles(), evaluator.users(), evaluator.bindings()]).toEqual(empty);
    expect(empty).toEqual([[], [], [], []]);
    expect([clone.policies(), clone.roles(), clone.users()]).toEqual([['p'], ['r'], ['u']]);
    expect(clone.bindings()).toEqual([{ user: 'u', role: 'r' }]);
  });

  test('documented fidelity: users and bindings go by exact names', () => {
    fc.assert(
      fc.property(stateArb, (state) => {
        const evaluator = createEvaluator(state);
        const users = sorted(state.bindings.map(({ user }) => user));
        expect(evaluator.users()).toEqual(users);
        expect(evaluator.policies()).toEqual(sorted(state.policies.keys()));
        expect(evaluator.roles()).toEqual(sorted(state.roles.keys()));
        const expected = users.flatMap((user) => state.bindings.filter((one) => one.user === user));
        expect(evaluator.bindings().map(own)).toEqual(expected.map(own));
        expect(evaluator.bindings()).toEqual(users.flatMap((user) => evaluator.bindings(user)));
      }),
    );
  });

  test('sidecar fidelity: a binding is listed once; its users are all prefixes of its name', () => {
    fc.assert(
      fc.property(stateArb, (state) => {
        const evaluator = createEvaluator(state, { fidelity: 'sidecar' });
        const byName = new Map(state.bindings.map((one) => [nameOf(one), one]));
        const found = evaluator.bindings();
        expect(found.map(own).sort()).toEqual([...byName.values()].map(own).sort());
        const longest = found.map((one) => prefixes(nameOf(one)).at(-1) as string);
        expect(longest).toEqual([...longest].sort());
        const users = sorted([...byName.keys()].flatMap(prefixes));
        expect(evaluator.users()).toEqual(users);
        for (const user of users) expect(evaluator.bindings(user).length).toBeGreaterThan(0);
        // A deleted binding no longer counts, although its name had a colon.
        for (const { user, role } of found) evaluator.deleteBinding(user, role);
        expect([evaluator.users(), evaluator.bindings()]).toEqual([[], []]);
      }),
    );
  });

  test('lists a user with more bindings than a call can take as arguments', () => {
    const evaluator = createEvaluator({}, { fidelity: 'sidecar' });
    const count = 150_000;
    const bindings = Array.from({ length: count }, (_, i) => ({ user: 'a:b', role: `r${i}` }));
    const many = createEvaluator({ bindings });
    expect([many.bindings('a:b').length, many.bindings().length]).toEqual([count, count]);
    evaluator.setBinding({ user: 'a:b', role: 'r' });
    expect(evaluator.bindings('a')).toEqual([{ user: 'a:b', role: 'r' }]);
  });
});
