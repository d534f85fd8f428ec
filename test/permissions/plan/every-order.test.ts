import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccessRegion,
  type Caller,
  formatPlan,
  type PermissionsState,
  type Plan,
  type PlanChange,
  plan,
} from '../../../src/permissions/index.ts';
import { write } from '../../../src/permissions/plan/effects.ts';
import { createEvaluator, type Evaluator, type Fidelity, type Policy } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { manageAll, stateArb } from '../support/states.ts';

/** The most calls whose orders are all looked at. */
const mostCalls = 7;

// Every question that the patterns of the universe tell apart.
const questions = [
  ...['ann', 'bob', 'ann:r1'].map((user) => ({ user })),
  ...['r1', 'r2', 'r1:x'].map((role) => ({ roles: [role] })),
].flatMap((subject) =>
  ['a:x', 'a:y', 'a:z', 'b:q'].flatMap((action) =>
    ['d:1', 'd:2', 'd:3', 'e'].map((resource) => ({ ...subject, action, resource })),
  ),
);
const answersOf = (state: Evaluator): boolean[] => questions.map((one) => state.isAllowed(one));

/** The state after the whole of some changes. */
function withAll(start: Evaluator, changes: readonly PlanChange[]): Evaluator {
  const state = start.clone();
  for (const change of changes) write(state, change, change.after);
  return state;
}

/** States whose roles name the same policies, which ann and bob have in one or two roles. */
const shared = (policies: Readonly<Record<string, Policy>>): PermissionsState => ({
  policies: new Map(Object.entries(policies)),
  roles: new Map([
    ['r1', { policies: Object.keys(policies) }],
    ['r2', { policies: Object.keys(policies).slice(0, 2) }],
  ]),
  bindings: [
    { user: 'ann', role: 'r1', scope: everything },
    { user: 'bob', role: 'r2', scope: everything },
  ],
  users: 'all',
});
const actionArb = fc.constantFrom('a:x', 'a:y', 'a:z', 'b:q');
const statementArb = fc.record({
  effect: fc.constantFrom('Allow' as const, 'Deny' as const),
  actions: actionArb.map((one) => [one]),
  resources: fc.constant(['*']),
});
const policyArb = fc.array(statementArb, { maxLength: 2 }).map((statements): Policy => ({ statements }));
const plus = ({ statements }: Policy, more: Policy): Policy => ({ statements: [...statements, ...more.statements] });
/** One policy hands an action on to another, which allows one more that the first denies afterwards. */
const handedOn = fc
  .tuple(actionArb, actionArb, fc.tuple(policyArb, policyArb, policyArb, policyArb))
  .map(([kept, denied, [one, two, three, four]]): [PermissionsState, PermissionsState] => {
    const deny: Policy = { statements: [{ effect: 'Deny', actions: [denied], resources: ['*'] }] };
    return [
      shared({ p: plus(granting(kept), one), q: two, s: four }),
      shared({ p: plus(deny, one), q: plus(granting(kept, denied), three), s: four }),
    ];
  });
/** A role gets a policy that no role named before, and all of them change. */
const joined = fc
  .tuple(policyArb, policyArb, policyArb, policyArb, actionArb)
  .map(([one, two, three, four, kept]): [PermissionsState, PermissionsState] => {
    const side = (p: Policy, q: Policy, names: readonly string[]): PermissionsState => ({
      ...shared({ p, q }),
      roles: new Map([['r1', { policies: names }]]),
    });
    return [side(plus(one, granting(kept)), two, ['p']), side(plus(three, granting(kept)), four, ['p', 'q'])];
  });
const pairArb = fc.oneof(fc.tuple(stateArb, stateArb), handedOn, joined);

interface Reached {
  readonly state: Evaluator;
  /** The stage that runs, and true if it has run. */
  readonly stage: number;
  readonly isDone: boolean;
}

/** Every state that an order of the calls inside the stages can reach. */
function* statesOf(start: Evaluator, { changes, stages }: Plan): Generator<Reached> {
  const before = start.clone();
  for (const [stage, steps] of stages.entries()) {
    for (let bits = 0; bits < 2 ** steps.length; bits++) {
      const state = before.clone();
      for (const [i, { change, content }] of steps.entries()) {
        if (bits & (1 << i)) write(state, changes[change] as PlanChange, content);
      }
      yield { state, stage, isDone: bits === 2 ** steps.length - 1 };
    }
    for (const { change, content } of steps) write(before, changes[change] as PlanChange, content);
  }
}

const isAbout = (region: AccessRegion, question: (typeof questions)[number]): boolean =>
  'user' in question ? region.users.includes(question.user) : region.roles.includes(question.roles[0] ?? '');

describe.each<readonly ['revoke-first' | 'grant-first', Fidelity]>([
  ['revoke-first', 'documented'],
  ['revoke-first', 'sidecar'],
  ['grant-first', 'documented'],
])('all orders of at most seven calls, %s, in %s fidelity', (order, fidelity) => {
  test('each gap is listed with its stages, and revoke-first never allows more than one of the two sides', () => {
    let gaps = 0;
    fc.assert(
      fc.property(pairArb, ([from, to]) => {
        const made = plan(from, to, { prune: true, manage: manageAll, order, fidelity });
        if (made.changes.length > mostCalls || made.stages.some((stage) => stage.length > mostCalls)) return;
        const start = createEvaluator(from, { fidelity });
        const [before, after] = [answersOf(start), answersOf(withAll(start, made.changes))];
        const differs = (now: boolean, i: number): boolean => now !== before[i] && now !== after[i];
        const listed = [...made.meanwhile.gained, ...made.meanwhile.lost];
        for (const { state, stage, isDone } of statesOf(start, made)) {
          for (const [i, now] of answersOf(state).entries()) {
            if (!differs(now, i)) continue;
            const isListed = listed.some(
              (one) =>
                isAbout(one, questions[i] as (typeof questions)[number]) &&
                one.stages[0] <= stage &&
                (isDone ? stage < one.stages[1] : stage <= one.stages[1]),
            );
            expect([questions[i], stage, isListed]).toEqual([questions[i], stage, true]);
          }
        }
        for (const { witness, stages } of listed) {
          const [now, had, has] = [
            [...statesOf(start, made)].filter(({ stage, isDone }) => isDone && stage === stages[0])[0]?.state,
            start,
            withAll(start, made.changes),
          ].map((state) => state?.isAllowed(witness));
          expect(now).not.toBe(had);
          expect(now).not.toBe(has);
        }
        if (order === 'revoke-first') expect(made.meanwhile.gained).toEqual([]);
        if (listed.length > 0) gaps++;
      }),
      runsOf(300),
    );
    // Otherwise it would have shown nothing.
    expect(gaps).toBeGreaterThan(partOf(3));
  });
});

const granting = (...actions: string[]): Policy => ({ statements: [{ effect: 'Allow', actions, resources: ['*'] }] });
const denying = (...resources: string[]): Policy => ({
  statements: [{ effect: 'Deny', actions: ['*'], resources }],
});

test('a Deny that no role names is narrowed before a role gets it, and no user is denied meanwhile', () => {
  const side = (deny: Policy, policies: readonly string[], allow: Policy): PermissionsState => ({
    policies: new Map([
      ['allow', allow],
      ['deny', deny],
    ]),
    roles: new Map([['viewer', { policies }]]),
    bindings: [{ user: 'alice', role: 'viewer', scope: everything }],
    users: 'all',
  });
  const [from, to] = [
    side(denying('*'), ['allow'], granting('orders:read', 'orders:write')),
    side(denying('secret:*'), ['allow', 'deny'], granting('orders:read', 'orders:list')),
  ];
  const made = plan(from, to, { order: 'revoke-first' });
  expect(made.meanwhile).toEqual({ gained: [], lost: [] });
  const start = createEvaluator(from);
  for (const { state } of statesOf(start, made)) {
    expect(state.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders:7' })).toBe(true);
  }
});

test('the text of a plan says how long access differs', () => {
  // Written first, the policy p takes "a:x" away; written last, "a:y" is allowed that p denies.
  const side = (p: Policy, q: Policy) => shared({ p, q });
  const made = plan(
    side(granting('a:x'), { statements: [] }),
    side({ statements: [{ effect: 'Deny', actions: ['a:y'], resources: ['*'] }] }, granting('a:x', 'a:y')),
  );
  expect(made.meanwhile.lost).toMatchObject([{ users: ['ann', 'bob'], action: 'a:x', stages: [0, 1] }]);
  expect(formatPlan(made)).toMatch(
    /Only while it is applied:\n {2}From stage 1 to 2, 1 pause \(2 s by default\):\n {2}-/,
  );
});

// Small states in which the rights of ann come and go.
const names = ['p1', 'p2', 'p3'];
const grants = ['rbac:*', 'rbac:*Policy', 'rbac:*Role', 'rbac:Get*', '*'];
const sideArb = fc
  .record({
    policies: fc.tuple(...names.map(() => fc.option(fc.constantFrom(...grants), { freq: 6 }))),
    roles: fc.tuple(...['r1', 'r2'].map(() => fc.option(fc.subarray(names, { minLength: 1 }), { freq: 6 }))),
    bindings: fc.subarray(['ann r1', 'ann r2', 'bob r1'], { minLength: 1 }),
  })
  .map(
    ({ policies, roles, bindings }): PermissionsState => ({
      policies: new Map(policies.flatMap((one, i) => (one ? [[names[i] as string, granting(one)]] : []))),
      roles: new Map(roles.flatMap((one, i) => (one ? [[`r${i + 1}`, { policies: one }]] : []))),
      bindings: bindings.map((one) => ({ user: one.slice(0, 3), role: one.slice(4), scope: everything })),
      users: 'all',
    }),
  );

/** The same state, in which ann may do everything by one role. */
const administered = (state: PermissionsState): PermissionsState => ({
  ...state,
  policies: new Map([...state.policies, ['p1', granting('rbac:*')]]),
  roles: new Map([...state.roles, ['r1', { policies: ['p1'] }]]),
  bindings: [
    ...state.bindings.filter(({ user, role }) => user !== 'ann' || role !== 'r1'),
    { user: 'ann', role: 'r1', scope: everything },
  ],
});

/** The permissions of a call that makes a whole change, and of the read before it. */
function needsOf(change: PlanChange): [action: string, resource: string][] {
  const { action, kind } = change;
  if (kind === 'binding') {
    const verb = { create: 'AssignUserRole', update: 'ReplaceUserRoleScope', delete: 'RemoveUserRole' }[action];
    return ['ListUserRoleBinding', verb].map((one) => [`rbac:${one}`, change.user ?? '']);
  }
  const verb = { create: 'Create', update: 'Update', delete: 'Delete' }[action];
  return ['Get', verb].map((one) => [`rbac:${one}${kind === 'policy' ? 'Policy' : 'Role'}`, change.name]);
}

/** The same state, in which ann keeps her permissions by another role. */
const keepingAnn = (state: PermissionsState): PermissionsState => ({
  ...state,
  policies: new Map([...state.policies, ['keep', granting('*')]]),
  roles: new Map([...state.roles, ['keeper', { policies: ['keep'] }]]),
  bindings: [...state.bindings, { user: 'ann', role: 'keeper', scope: everything }],
});

test.each(['revoke-first', 'grant-first'] as const)(
  'a caller who keeps all permissions in the end can make each call, in any order inside the stages: %s',
  (order) => {
    let late = 0;
    fc.assert(
      fc.property(sideArb, sideArb, fc.boolean(), (one, other, isKept) => {
        const [from, to] = [administered(one), isKept ? keepingAnn(other) : other];
        const bindings = from.bindings.filter(({ user }) => user === 'ann');
        const caller: Caller = { user: 'ann', groups: [], bindings };
        const options = { prune: true, manage: manageAll, order };
        const made = plan(from, to, { ...options, caller });
        if (isKept) expect(made.own).toMatchObject({ missing: [], lost: [] });
        if (made.own?.missing.length) return;
        if (JSON.stringify(made.stages) !== JSON.stringify(plan(from, to, options).stages)) late++;
        const start = createEvaluator(from);
        const may = (state: Evaluator, [action, resource]: readonly [string, string]) =>
          state.isAllowed({ user: 'ann', action, resource });
        for (const [i, stage] of made.stages.entries()) {
          const state = start.clone();
          for (const { change, content } of made.stages.slice(0, i).flat()) {
            write(state, made.changes[change] as PlanChange, content);
          }
          for (let bits = 0; bits < 2 ** stage.length; bits++) {
            const now = state.clone();
            const isDone = (at: number) => (bits & (1 << at)) !== 0;
            for (const [at, { change, content }] of stage.entries()) {
              if (isDone(at)) write(now, made.changes[change] as PlanChange, content);
            }
            for (const [at, { change }] of stage.entries()) {
              const needs = isDone(at) ? [] : needsOf(made.changes[change] as PlanChange);
              for (const need of needs) expect([need, may(now, need)]).toEqual([need, true]);
            }
          }
        }
      }),
      runsOf(600),
    );
    // Otherwise it would have shown nothing.
    expect(late).toBeGreaterThan(partOf(5));
  },
);
