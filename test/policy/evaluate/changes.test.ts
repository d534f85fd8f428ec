import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEvaluator, type Policy } from '../../../src/policy/index.ts';
import { bindingArb, policyArb, requestFor, type State, stateArb, userNames } from '../support/arbitrary.ts';

const seeds = fc.array(fc.nat(), { minLength: 10, maxLength: 10 });

describe('properties of changes', () => {
  type Change = (evaluator: ReturnType<typeof createEvaluator>, state: Mutable) => void;
  interface Mutable {
    policies: Map<string, Policy>;
    roles: Map<string, { policies: readonly string[] }>;
    bindings: { user: string; role: string; scope?: Policy | null | undefined }[];
  }
  const name = fc.constantFrom('u', 'r', 'p', '__proto__', 'constructor', 'r:r', 'u:r', 'p:p', 'toString', 'q');
  const without = (state: Mutable, user: string, role: string) =>
    state.bindings.filter((one) => one.user !== user || one.role !== role);
  const changeArb: fc.Arbitrary<Change> = fc.oneof(
    fc.tuple(name, policyArb).map(
      ([key, policy]): Change =>
        (evaluator, state) => {
          evaluator.setPolicy(key, policy);
          state.policies.set(key, policy);
        },
    ),
    name.map(
      (key): Change =>
        (evaluator, state) => {
          expect(evaluator.deletePolicy(key)).toBe(state.policies.delete(key));
        },
    ),
    fc.tuple(name, fc.array(name, { maxLength: 3 })).map(
      ([key, policies]): Change =>
        (evaluator, state) => {
          evaluator.setRole(key, { policies });
          state.roles.set(key, { policies });
        },
    ),
    name.map(
      (key): Change =>
        (evaluator, state) => {
          expect(evaluator.deleteRole(key)).toBe(state.roles.delete(key));
        },
    ),
    bindingArb.map(
      (binding): Change =>
        (evaluator, state) => {
          evaluator.setBinding(binding);
          state.bindings = [...without(state, binding.user, binding.role), binding];
        },
    ),
    fc.tuple(fc.constantFrom(...userNames), name).map(
      ([user, role]): Change =>
        (evaluator, state) => {
          const rest = without(state, user, role);
          expect(evaluator.deleteBinding(user, role)).toBe(rest.length < state.bindings.length);
          state.bindings = rest;
        },
    ),
  );
  const mutable = (state: State | Mutable): Mutable => ({
    policies: new Map(state.policies),
    roles: new Map(state.roles),
    bindings: [...state.bindings],
  });

  test('after any sequence of set and delete the evaluator decides like a fresh one, and so does every clone on the way', () => {
    fc.assert(
      fc.property(stateArb, fc.array(changeArb, { maxLength: 10 }), seeds, (start, changes, numbers) => {
        const evaluator = createEvaluator(start);
        const state = mutable(start);
        const kept: [ReturnType<typeof createEvaluator>, Mutable][] = [];
        const agree = (some: ReturnType<typeof createEvaluator>, expected: Mutable) => {
          const fresh = createEvaluator(expected);
          for (const number of numbers) {
            const request = requestFor(
              { ...expected, bindings: expected.bindings.length > 0 ? expected.bindings : start.bindings },
              number,
            );
            // The first time it may be decided without the cache, later from it.
            for (let time = 0; time < 3; time++) expect(some.evaluate(request)).toBe(fresh.evaluate(request));
          }
        };
        for (const change of changes) {
          kept.push([evaluator.clone(), mutable(state)]);
          change(evaluator, state);
          agree(evaluator, state);
        }
        for (const [clone, then] of kept) agree(clone, then);
        // A write to a clone does not change its origin.
        for (const [clone, then] of kept) {
          const copy = clone.clone();
          const other = mutable(then);
          for (const change of changes) change(copy, other);
          agree(copy, other);
          agree(clone, then);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('an evaluator that is filled by calls', () => {
  test('decides like a loaded one, in any order of calls', () => {
    fc.assert(
      fc.property(stateArb, seeds, fc.constantFrom(0, 1, 2), (state, numbers, turn) => {
        const last = new Map(state.bindings.map((binding) => [JSON.stringify([binding.user, binding.role]), binding]));
        const unique: State = { ...state, bindings: [...last.values()] };
        const filled = createEvaluator();
        const kinds = [
          () => unique.policies.forEach((policy, name) => void filled.setPolicy(name, policy)),
          () => unique.roles.forEach((role, name) => void filled.setRole(name, role)),
          () => state.bindings.forEach((binding) => void filled.setBinding(binding)),
        ];
        const loaded = createEvaluator(unique);
        const requests = numbers.map((number) => requestFor(unique, number));
        for (const fill of [...kinds.slice(turn), ...kinds.slice(0, turn)]) {
          fill();
          // A partial state decides, too, and later changes invalidate its caches.
          for (let time = 0; time < 3; time++) for (const request of requests) filled.evaluate(request);
        }
        for (const request of requests) expect(filled.evaluate(request)).toBe(loaded.evaluate(request));
      }),
    );
  });

  test('stores equal scopes once, like a loaded one', () => {
    const scope = (): Policy => ({ statements: [{ effect: 'Allow', actions: ['*'], resources: ['t1:*'] }] });
    const filled = createEvaluator();
    for (const user of ['u', 'v']) filled.setBinding({ user, role: 'r', scope: scope() });
    const copy = filled.clone();
    copy.setBinding({ user: 'w', role: 'r', scope: scope() });
    const scopes = ['u', 'v', 'w'].map((user) => copy.bindings(user)[0]?.scope);
    expect(new Set(scopes).size).toBe(1);
    copy.setBinding({ user: 'w', role: 'r', scope: { ...scope(), description: 'another one' } });
    expect(copy.bindings('w')[0]?.scope).not.toBe(scopes[0]);
  });
});
