import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccessRegion,
  type Caller,
  type Change,
  formatPlan,
  type PermissionsState,
  type Plan,
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
function withAll(start: Evaluator, changes: readonly Change[]): Evaluator {
  const state = start.clone();
  for (const change of changes) write(state, change, change.after);
  return state;
}

/** True if one of all orders of whole changes passes only through states that are wanted. */
function hasOrder(
  changes: readonly Change[],
  isWanted: (done: readonly Change[], left: readonly Change[]) => boolean,
): boolean {
  const full = 2 ** changes.length - 1;
  const wanted = Array.from({ length: full + 1 }, (_, bits) => {
    const isDone = (_one: Change, i: number) => (bits & (1 << i)) !== 0;
    return (
      bits === full ||
      isWanted(
        changes.filter(isDone),
        changes.filter((one, i) => !isDone(one, i)),
      )
    );
  });
  const reached = new Set<number>(wanted[0] ? [0] : []);
  for (const bits of reached) {
    for (let one = 0; one < changes.length; one++) if (wanted[bits | (1 << one)]) reached.add(bits | (1 << one));
  }
  return reached.has(full);
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
        if (bits & (1 << i)) write(state, changes[change] as Change, content);
      }
      yield { state, stage, isDone: bits === 2 ** steps.length - 1 };
    }
    for (const { change, content } of steps) write(before, changes[change] as Change, content);
  }
}

const isAbout = (region: AccessRegion, question: (typeof questions)[number]): boolean =>
  'user' in question ? region.users.includes(question.user) : region.roles.includes(question.roles[0] ?? '');

describe.each<readonly ['revoke-first' | 'grant-first', Fidelity]>([
  ['revoke-first', 'documented'],
  ['revoke-first', 'sidecar'],
  ['grant-first', 'documented'],
])('all orders of at most seven calls, %s, in %s fidelity', (order, fidelity) => {
  test('each gap is listed with its stages, and no order of whole calls avoids all of them', () => {
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
        if (listed.length === 0) return;
        gaps++;
        const isClean = (done: readonly Change[]) => !answersOf(withAll(start, done)).some(differs);
        expect(hasOrder(made.changes, isClean)).toBe(false);
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
function needsOf(change: Change): [action: string, resource: string][] {
  const { action, kind } = change;
  if (kind === 'binding') {
    const verb = { create: 'AssignUserRole', update: 'ReplaceUserRoleScope', delete: 'RemoveUserRole' }[action];
    return ['ListUserRoleBinding', verb].map((one) => [`rbac:${one}`, change.user]);
  }
  const verb = { create: 'Create', update: 'Update', delete: 'Delete' }[action];
  return ['Get', verb].map((one) => [`rbac:${one}${kind === 'policy' ? 'Policy' : 'Role'}`, change.name]);
}

test.each(['revoke-first', 'grant-first'] as const)(
  'a plan that takes permissions from its caller too early is one that no order of whole calls completes: %s',
  (order) => {
    const ends = { kept: 0, lost: 0 };
    fc.assert(
      fc.property(sideArb, sideArb, (one, to) => {
        const from = administered(one);
        const bindings = from.bindings.filter(({ user }) => user === 'ann');
        const caller: Caller = { user: 'ann', groups: [], bindings };
        const made = plan(from, to, { prune: true, manage: manageAll, order, caller });
        if (made.changes.length === 0 || made.changes.length > mostCalls) return;
        const start = createEvaluator(from);
        const may = (state: Evaluator, [action, resource]: readonly [string, string]) =>
          state.isAllowed({ user: 'ann', action, resource });
        if (!made.changes.flatMap(needsOf).every((need) => may(start, need))) return;
        const isAble = (done: readonly Change[], left: readonly Change[]) =>
          left.flatMap(needsOf).every((need) => may(withAll(start, done), need));
        const isLost = (made.own?.missing.length ?? 0) > 0;
        ends[isLost ? 'lost' : 'kept']++;
        if (isLost) expect(hasOrder(made.changes, isAble)).toBe(false);
        // Without a refusal, every order of the calls inside the stages is allowed.
        for (const [i, stage] of isLost ? [] : made.stages.entries()) {
          const state = start.clone();
          for (const { change, content } of made.stages.slice(0, i).flat()) {
            write(state, made.changes[change] as Change, content);
          }
          for (const { change } of stage) {
            for (const need of needsOf(made.changes[change] as Change)) expect(may(state, need)).toBe(true);
            const others = state.clone();
            for (const one of stage) {
              if (one.change !== change) write(others, made.changes[one.change] as Change, one.content);
            }
            for (const need of needsOf(made.changes[change] as Change)) expect(may(others, need)).toBe(true);
          }
        }
      }),
      runsOf(100),
    );
    // Otherwise it would have shown nothing.
    expect(Math.min(ends.kept, ends.lost)).toBeGreaterThan(partOf(2));
  },
);
