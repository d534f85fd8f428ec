import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator, type GroupBinding } from '../../../src/policy/index.ts';
import { groupStateArb, nextQuestion } from '../../policy/support/group-states.ts';
import { naiveWithGroups } from '../../policy/support/naive-groups.ts';
import { call } from '../../support/calls.ts';
import { partOf, runsOf } from '../../support/thorough.ts';

const perState = 100;

// Many questions for each state, because a mock and a replica take longer to make than to ask.
test.each(['documented', 'sidecar'] as const)(
  'evaluator, mock and replica decide about random groups as the naive evaluator does: %s',
  async (fidelity) => {
    const cases = 10_000;
    const seen = { cases: 0, own: 0, group: 0, collision: 0, missing: 0, none: 0 };
    await fc.assert(
      fc.asyncProperty(groupStateArb(fidelity), fc.nat(), async (random, first) => {
        const { policies, roles, bindings } = random;
        // A configuration has each binding once.
        const keyOf = ({ group, role }: GroupBinding) =>
          fidelity === 'sidecar' ? `${group}:${role}` : JSON.stringify([group, role]);
        const groupBindings = [...new Map(random.groupBindings.map((one) => [keyOf(one), one])).values()];
        // No service holds a binding without a scope, so the pool streams have none.
        const scoped = bindings.filter(({ scope }) => scope);
        const own = [...new Map(scoped.map((one) => [keyOf({ ...one, group: one.user }), one])).values()];
        const state = { policies, roles, bindings: own, groupBindings };
        const evaluator = createEvaluator(state, { fidelity });
        await using mock = await createMock({
          platform: 'next',
          fidelity,
          policies: Object.fromEntries(policies),
          roles: Object.fromEntries(roles),
          bindings: own,
          groupBindings,
        });
        await using replica = createReplica({ transport: mockPool(mock) });
        await replica.ready();
        for (let nth = 0; nth < perState; nth++) {
          const asked = nextQuestion(state, fidelity, first + nth * 7_919);
          const expected = naiveWithGroups(state, fidelity, asked);
          // A replica refuses what no program asks, and for services a missing user is the superuser.
          const isLocal = !!asked.user && !!asked.action;
          const local = isLocal ? replica.isAllowed(asked) : expected.allowed;
          const effect = expected.allowed ? 'Allow' : 'Deny';
          const path = '/_integration/authorization/v1/evaluate';
          const answer = asked.user === undefined ? { effect } : (await call(mock, 'POST', path, asked)).body;
          expect({ asked, engine: evaluator.isAllowed(asked), local, answer }).toMatchObject({
            asked,
            engine: expected.allowed,
            local: expected.allowed,
            answer: { effect },
          });
          seen.cases++;
          seen[expected.part]++;
        }
      }),
      runsOf(cases / perState),
    );
    expect(seen.cases).toBeGreaterThanOrEqual(partOf(cases));
    expect(seen.group / seen.cases).toBeGreaterThan(0.2);
  },
);
