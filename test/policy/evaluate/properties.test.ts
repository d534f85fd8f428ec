import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createEvaluator,
  explain,
  formatExplanation,
  type Policy,
  type PolicyState,
} from '../../../src/policy/index.ts';
import { runsOf } from '../../support/thorough.ts';
import {
  bindingArb,
  everything,
  requestFor,
  type State,
  scopeArb,
  stateArb,
  statementArb,
  userNames,
} from '../support/arbitrary.ts';
import { naiveEvaluate, naiveMatch } from '../support/naive.ts';

const seeds = fc.array(fc.nat(), { minLength: 20, maxLength: 20 });

type Requests = readonly ReturnType<typeof requestFor>[];

/** Calls `check` with random states, each with requests derived from it. */
function forStates(check: (state: State, requests: Requests) => void, numRuns = 100): void {
  const property = fc.property(stateArb, seeds, (state, numbers) => {
    check(
      state,
      numbers.map((number) => requestFor(state, number)),
    );
  });
  fc.assert(property, runsOf(numRuns));
}

/** Tells for each request if a state allows it. */
function allowed(state: PolicyState, requests: Requests): boolean[] {
  const evaluator = createEvaluator(state);
  return requests.map((request) => evaluator.evaluate(request).allowed);
}

const userOnly = (requests: Requests): Requests =>
  requests.map(({ user, action, resource }) => ({ user, action, resource }));

describe('properties of every decision', () => {
  test('an explicit Deny wins inside a binding, in any order', () => {
    fc.assert(
      fc.property(stateArb, statementArb, fc.boolean(), seeds, (state, statement, first, numbers) => {
        const deny = { ...statement, effect: 'Deny' } as const;
        const policies = new Map<string, Policy>(
          [...state.policies].map(([name, { statements }]) => [
            name,
            { statements: first ? [deny, ...statements] : [...statements, deny] },
          ]),
        );
        const roles = new Map(
          [...state.roles].map(([name, role]) => [name, { policies: [...role.policies, 'denier'] }]),
        );
        const evaluator = createEvaluator({
          ...state,
          roles,
          policies: new Map(policies).set('denier', { statements: [deny] }),
        });
        for (const number of numbers) {
          const request = requestFor(state, number);
          const hit = deny.actions.some((one) => naiveMatch(one, request.action)) && request.action !== '';
          if (hit && deny.resources.some((one) => naiveMatch(one, request.resource))) {
            expect(evaluator.evaluate(request).allowed).toBe(false);
          }
        }
      }),
    );
  });

  test('bindings are alternatives: together they allow what any of them allows alone', () => {
    forStates((state, all) => {
      const requests = userOnly(all);
      const alone = state.bindings.map((binding) => allowed({ ...state, bindings: [binding] }, requests));
      expect(allowed(state, requests)).toEqual(requests.map((_, i) => alone.some((one) => one[i])));
    });
  });

  test('a Deny in one binding does not affect another: no global override', () => {
    const deny: Policy = { statements: [{ effect: 'Deny', actions: ['*'], resources: ['*'] }] };
    const state = {
      policies: { all: everything, none: deny },
      roles: { giver: { policies: ['all'] }, denier: { policies: ['none', 'all'] } },
      bindings: [
        { user: 'erin', role: 'denier', scope: everything },
        { user: 'erin', role: 'giver', scope: everything },
      ],
    };
    const request = { user: 'erin', action: 'orders:read', resource: 'secret' };
    expect(createEvaluator(state).evaluate(request).allowed).toBe(true);
    expect(createEvaluator({ ...state, bindings: state.bindings.slice(0, 1) }).evaluate(request).allowed).toBe(false);
  });

  test('a scope never widens: it allows nothing that is denied without it', () => {
    forStates((state, all) => {
      const requests = userOnly(all);
      const bindings = state.bindings.map((one) => (one.scope ? { ...one, scope: everything } : one));
      const wide = allowed({ ...state, bindings }, requests);
      for (const [i, inside] of allowed(state, requests).entries()) expect(wide[i] || !inside).toBe(true);
    });
  });

  test('an Allow needs the scope: a scope that denies or does not match removes it', () => {
    forStates((state, all) => {
      for (const statements of [[], [{ effect: 'Deny', actions: ['*'], resources: ['*'] } as const]]) {
        const bindings = state.bindings.map((one) => ({ ...one, scope: { statements } }));
        expect(allowed({ ...state, bindings }, userOnly(all))).not.toContain(true);
      }
    }, 50);
  });

  test('another binding never revokes', () => {
    fc.assert(
      fc.property(stateArb, bindingArb, seeds, (state, binding, numbers) => {
        const more = createEvaluator({ ...state, bindings: [...state.bindings, binding] });
        const before = createEvaluator(state);
        for (const number of numbers) {
          const request = requestFor(state, number);
          if (before.evaluate(request).allowed) expect(more.evaluate(request).allowed).toBe(true);
        }
      }),
    );
  });

  test('order and duplicates do not matter', () => {
    const mirror = <T>(list: readonly T[]): T[] => [...list, ...list].reverse();
    const turn = ({ statements }: Policy): Policy => ({
      statements: mirror(statements).map(({ effect, actions, resources }) => ({
        effect,
        actions: mirror(actions),
        resources: mirror(resources),
      })),
    });
    forStates((state, requests) => {
      const turned = {
        policies: new Map([...state.policies].reverse().map(([name, policy]) => [name, turn(policy)])),
        roles: new Map(
          [...state.roles]
            .reverse()
            .map(([name, { policies, scope }]) => [name, { policies: mirror(policies), scope: scope && turn(scope) }]),
        ),
        bindings: mirror(state.bindings).map((one) => ({ ...one, scope: one.scope && turn(one.scope) })),
      };
      expect(allowed(turned, requests)).toEqual(allowed(state, requests));
    });
  });

  test("one user's bindings never change another's decisions, even if one name is the other plus a colon", () => {
    fc.assert(
      fc.property(stateArb, fc.constantFrom(...userNames), scopeArb, seeds, (state, changed, scope, numbers) => {
        const evaluator = createEvaluator(state);
        const requests = numbers.map((number) => requestFor(state, number)).filter(({ user }) => user !== changed);
        const before = requests.map((request) => evaluator.evaluate(request));
        for (const role of state.roles.keys()) evaluator.setBinding({ user: changed, role, scope });
        expect(requests.map((request) => evaluator.evaluate(request))).toEqual(before);
        for (const role of state.roles.keys()) evaluator.deleteBinding(changed, role);
        expect(requests.map((request) => evaluator.evaluate(request))).toEqual(before);
        expect(evaluator.bindings(changed)).toEqual(
          state.bindings.filter((one) => one.user === changed && !state.roles.has(one.role)),
        );
      }),
    );
  });

  test('comparison is by code point: no folding, no normalization, no cut inside a character', () => {
    const one = (pattern: string): Policy => ({
      statements: [{ effect: 'Allow', actions: ['*'], resources: [pattern] }],
    });
    const match = (pattern: string, resource: string) =>
      createEvaluator({
        policies: { p: one(pattern) },
        roles: { r: { policies: ['p'] } },
        bindings: [{ user: 'u', role: 'r', scope: everything }],
      }).evaluate({ user: 'u', action: 'a:b', resource }).allowed;
    expect(match('ü', 'ü')).toBe(true);
    expect(match('ü', 'u\u0308')).toBe(false);
    expect(match('a', 'A')).toBe(false);
    expect(match('😀*', '😀x')).toBe(true);
    expect(match('😀*', '😁')).toBe(false);
    expect(match('*😀', 'x😀')).toBe(true);
    expect(() => match('\ud83d*', '😀')).toThrow('lone surrogate');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary' }), (pattern, resource) => {
        fc.pre(!pattern.split(':').some((part) => /^\*.+\*$/su.test(part) || part === '**'));
        expect(match(pattern, resource)).toBe(naiveMatch(pattern, resource));
      }),
      runsOf(500),
    );
  });

  test('decides and explains alike', () => {
    forStates((state, requests) => {
      const evaluator = createEvaluator(state);
      for (const request of requests) {
        const explanation = explain(evaluator, request);
        const { effect, explicit } = naiveEvaluate(state, 'documented', request);
        expect(explanation.decision.effect).toBe(effect);
        expect(explanation.by?.outcome).toBe(effect === 'Allow' ? 'allowed' : undefined);
        expect(explanation.explicit).toBe(explicit);
        expect(formatExplanation(explanation).split(':')[0]).toBe(effect);
      }
    });
  });
});
