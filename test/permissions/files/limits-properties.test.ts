import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PermissionsError, readPermissions } from '../../../src/permissions/index.ts';
import { createEvaluator, type Policy } from '../../../src/policy/index.ts';
import { Pattern } from '../../../src/policy/model/pattern.ts';
import { runsOf } from '../../support/thorough.ts';
import { reading } from '../support/files.ts';

const policyOf = (actions: string[], resources: string[]): fc.Arbitrary<Policy> =>
  fc.record({
    statements: fc.array(
      fc.record({
        effect: fc.constantFrom('Allow' as const, 'Allow' as const, 'Deny' as const),
        actions: fc.subarray(actions, { minLength: 1, maxLength: 2 }),
        resources: fc.subarray(resources, { minLength: 1, maxLength: 2 }),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  });
const policyArb = policyOf(['s:read', 's:*', 's:write', 'p:read', '*'], ['a', 'a:*', 'a:x', '*:x', 'b', '*']);
/** Most of a team's policies are within most limits. */
const teamPolicyArb = fc.oneof({ weight: 3, arbitrary: policyOf(['s:read', 's:write'], ['a:x', 'a:*']) }, policyArb);
const bindingArb = (users: readonly string[], roles: readonly string[]) =>
  fc.record({ user: fc.constantFrom(...users), role: fc.constantFrom(...roles), scope: policyArb });
const uniqueBindings = (users: readonly string[], roles: readonly string[]) =>
  fc.uniqueArray(bindingArb(users, roles), { maxLength: 3, selector: ({ user, role }) => `${user} ${role}` });

const limitArb = fc.record(
  {
    actions: fc.constantFrom(['s:*'], ['s:read'], ['*']),
    resources: fc.constantFrom(['a', 'a:*'], ['a:*'], ['*:x'], ['*']),
    roles: fc.constantFrom(['t*'], ['t*', 'shared'], ['*']),
  },
  { requiredKeys: ['actions'] },
);
/** The first file: its role "mixed" has a policy of the team. */
const mainArb = fc.record({
  policies: fc.record({ r1: policyArb, r2: policyArb }),
  roles: fc.constant({
    shared: { policies: ['r1'] },
    boss: { policies: ['r1', 'r2'] },
    mixed: { policies: ['r1', 't1'] },
  }),
  bindings: uniqueBindings(['u2', 'u3'], ['boss', 'mixed']),
  limits: fc.record({ 'team.yaml': limitArb }),
});
const teamArb = fc.record({
  policies: fc.record({ t1: teamPolicyArb, t2: teamPolicyArb }),
  roles: fc.record({ t: fc.record({ policies: fc.subarray(['t1', 't2', 'r1', 'r2']) }) }),
  bindings: uniqueBindings(['u1'], ['t', 'shared', 'boss', 'mixed', 'tx']),
});

const askers = [{ user: 'u1' }, { user: 'u2' }, { user: 'u3' }, { user: 'u4', roles: ['t'] }];
const questions = askers.flatMap((asker) =>
  ['s:read', 's:write', 'p:read'].flatMap((action) =>
    ['a', 'a:x', 'a:y', 'b', 'b:x'].map((resource) => ({ ...asker, action, resource })),
  ),
);

test('a team’s file that is accepted adds no access beyond its limits', async () => {
  const seen = { accepted: 0, refused: 0, added: 0 };
  await fc.assert(
    fc.asyncProperty(mainArb, teamArb, async (main, team) => {
      const text = JSON.stringify({ include: ['team.yaml'], ...main });
      const read = reading({ 'main.yaml': text, 'team.yaml': JSON.stringify(team) });
      const whole = await readPermissions('main.yaml', { read }).catch((error: unknown) => error);
      if (whole instanceof PermissionsError) {
        expect(whole.message).toContain('the limits of this file');
        seen.refused++;
        return;
      }
      // The cast: nothing else is thrown.
      const state = createEvaluator(whole as Awaited<ReturnType<typeof readPermissions>>);
      const without = createEvaluator({ policies: main.policies, roles: main.roles, bindings: main.bindings });
      seen.accepted++;
      const { actions, resources = ['*'] } = main.limits['team.yaml'];
      const isWithin = (patterns: readonly string[], value: string) =>
        patterns.some((pattern) => new Pattern(pattern).matches(value));
      for (const question of questions) {
        if (!state.isAllowed(question) || without.isAllowed(question)) continue;
        seen.added++;
        const { action, resource } = question;
        expect({ question, isWithin: isWithin(actions, action) && isWithin(resources, resource) }).toMatchObject({
          isWithin: true,
        });
      }
    }),
    runsOf(600),
  );
  expect(Math.min(seen.accepted, seen.refused, seen.added)).toBeGreaterThan(20);
});
