import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { plan } from '../../../src/permissions/index.ts';
import { compare, grants, regionContains, whoCan } from '../../../src/policy/analysis/index.ts';
import { createEvaluator, type EvaluatorSubject, type GroupBinding } from '../../../src/policy/index.ts';
import { stateArb } from '../../policy/support/arbitrary.ts';
import { nextQuestion, withGroups } from '../../policy/support/group-states.ts';
import { type GroupState, naiveWithGroups } from '../../policy/support/naive-groups.ts';
import { call } from '../../support/calls.ts';
import { isThorough, runsOf } from '../../support/thorough.ts';

const perState = 100;
const evaluatePath = '/_integration/authorization/v1/evaluate';

/** A state that a service can hold: each binding once, and bindings of users with a scope. */
function holdable(random: GroupState, fidelity: 'documented' | 'sidecar'): GroupState {
  const keyOf = ({ group, role }: GroupBinding) =>
    fidelity === 'sidecar' ? `${group}:${role}` : JSON.stringify([group, role]);
  const once = <T>(list: readonly T[], key: (one: T) => string) => [
    ...new Map(list.map((one) => [key(one), one])).values(),
  ];
  const scoped = random.bindings.filter(({ scope }) => scope);
  return {
    ...random,
    bindings: once(scoped, (one) => keyOf({ ...one, group: one.user })),
    groupBindings: once(random.groupBindings, keyOf),
  };
}

/** The two states before and after one binding of a group is added, with the access that the analyses see in it. */
function change(state: GroupState, fidelity: 'documented' | 'sidecar') {
  const live = state.groupBindings.filter(({ scope, role }) => scope && state.roles.has(role));
  // No plan binds a group whose name has a `:`.
  const added = live.find(({ group }) => !group.includes(':'));
  if (added === undefined) return undefined;
  const before = { ...state, groupBindings: state.groupBindings.filter((one) => one !== added) };
  const compared = compare(before, state, { fidelity });
  const whole = { users: 'all', groups: 'all' } as const;
  const planned = plan({ ...before, ...whole }, { ...state, ...whole }, { fidelity });
  expect(planned.changes).toMatchObject([{ kind: 'binding', group: added.group, role: added.role, before: null }]);
  return { before, group: added.group, compared, planned };
}

// Many questions for each state, because a mock and a replica take longer to make than to ask.
test.each(['documented', 'sidecar'] as const)(
  'evaluator, mock, replica, grants, whoCan, compare and plan agree with the naive evaluator on random groups: %s',
  { timeout: 900_000 },
  async (fidelity) => {
    const runs = isThorough ? { numRuns: 1_000 } : runsOf(200);
    const seen = { cases: 0, own: 0, group: 0, collision: 0, missing: 0, none: 0, holders: 0, gained: 0 };
    await fc.assert(
      fc.asyncProperty(withGroups(stateArb), fc.nat(), async (random, first) => {
        const state = holdable(random, fidelity);
        const evaluator = createEvaluator(state, { fidelity });
        await using mock = await createMock({
          ...state,
          platform: 'next',
          fidelity,
          policies: Object.fromEntries(state.policies),
          roles: Object.fromEntries(state.roles),
          limits: { log: 0 },
        });
        await using replica = createReplica({ transport: mockPool(mock) });
        await replica.ready();
        const granted = new Map<string, ReturnType<typeof grants>>();
        const regionsOf = (subject: EvaluatorSubject) => {
          const key = JSON.stringify(subject);
          const regions = granted.get(key) ?? grants(evaluator, subject);
          granted.set(key, regions);
          return regions;
        };
        const changed = change(state, fidelity);
        for (let nth = 0; nth < perState; nth++) {
          const asked = nextQuestion(state, fidelity, first + nth * 7_919);
          const { action, resource, ...subject } = asked;
          const question = { action, resource };
          const { allowed, part } = naiveWithGroups(state, fidelity, asked);
          seen.cases++;
          seen[part]++;
          const answers: Record<string, boolean> = {
            engine: evaluator.isAllowed(asked),
            grants: regionsOf(subject).some((region) => regionContains(region, question)),
          };
          // A replica refuses what no program asks, and for services a missing user is the superuser.
          if (asked.user && asked.action) answers.local = replica.isAllowed(asked);
          if (asked.user !== undefined) {
            answers.mock =
              ((await call(mock, 'POST', evaluatePath, asked)).body as { effect: string }).effect === 'Allow';
          }
          if (Object.values(answers).some((one) => one !== allowed)) expect({ asked, answers }).toBe(allowed);
          if (changed) {
            const { before, group, compared, planned } = changed;
            const one = { roles: [group], ...question };
            const [was, is] = [before, state].map((each) => naiveWithGroups(each, fidelity, one).allowed);
            const isGained = [compared.gained, planned.access.gained].map((regions) =>
              regions.some((region) => region.groups?.includes(group) && regionContains(region, question)),
            );
            if (isGained.some((gained) => gained !== (is && !was))) expect({ one, isGained, was, is }).toBe('agrees');
            if (is && !was) seen.gained++;
          }
          if (nth % 25 > 0 || action === '' || /[*]/.test(action + resource)) continue;
          const holders = whoCan(evaluator, question);
          for (const group of evaluator.groups()) {
            const isHolder = holders.some((holder) => holder.group === group);
            const may = naiveWithGroups(state, fidelity, { roles: [group], ...question }).allowed;
            if (isHolder !== may) expect({ group, question, isHolder }).toBe(may);
            seen.holders++;
          }
          for (const user of evaluator.users()) {
            const isHolder = holders.some((holder) => holder.user === user);
            const may = naiveWithGroups(state, fidelity, { user, ...question }).allowed;
            if (isHolder !== may) expect({ user, question, isHolder }).toBe(may);
            seen.holders++;
          }
        }
      }),
      { ...runs, endOnFailure: true },
    );
    console.log(`${fidelity}: ${JSON.stringify(seen)}`);
    expect(seen.cases).toBeGreaterThanOrEqual(runs.numRuns * perState);
    expect(seen.group / seen.cases).toBeGreaterThan(0.25);
    expect((seen.collision + seen.missing) / seen.cases).toBeGreaterThan(0.25);
    expect(seen.gained / seen.cases).toBeGreaterThan(0.02);
  },
);
