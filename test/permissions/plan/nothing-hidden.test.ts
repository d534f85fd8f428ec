import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Hold, type PermissionsState, plan } from '../../../src/permissions/index.ts';
import type { AccessRegion } from '../../../src/policy/analysis/analysis-types.ts';
import { regionContains } from '../../../src/policy/analysis/index.ts';
import { createEvaluator, type Policy } from '../../../src/policy/index.ts';
import { runsOf } from '../../support/thorough.ts';
import { readText } from '../support/files.ts';

// Over histories of files, holds and writes by hand: a right that no file gives, or that a hold takes, is lost by the
// next plan or named as orphaned. The right answer is computed from the files alone, by the policy engine.

const users = ['ann', 'bob', 'cid'];
const roles = ['reader', 'writer'];
const actions = { reader: 'd:read', writer: 'd:write' } as const;
const allow = (action: string): Policy => ({ statements: [{ effect: 'Allow', actions: [action], resources: ['*'] }] });
const everywhere = allow('*');
const pairs = users.flatMap((user) => roles.map((role) => ({ user, role })));

interface Version {
  readonly bindings: readonly (typeof pairs)[number][];
  readonly manage: readonly string[];
  readonly manageRoles: readonly string[];
}

const versionArb: fc.Arbitrary<Version> = fc.record({
  bindings: fc.subarray(pairs),
  // Literal names, patterns, and no owner at all.
  manage: fc.subarray([...users, 'a*', '*'], { maxLength: 2 }),
  // Bindings that are owned by their roles.
  manageRoles: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.subarray(['reader', 'wr*'])),
});
const holdsArb: fc.Arbitrary<Hold[]> = fc.array(
  fc.record({
    user: fc.constantFrom(...users),
    roles: fc.option(fc.subarray(roles, { minLength: 1 }), { nil: undefined }),
    until: fc.constant('2999-01-01T00:00:00Z'),
    reason: fc.constant('r'),
  }),
  { maxLength: 2 },
);
/** A write by hand: a binding that is made or removed, or the content of a role's policy. */
const writeArb = fc.oneof(
  fc.record({ pair: fc.constantFrom(...pairs), makes: fc.boolean() }),
  fc.record({ policy: fc.constantFrom(...roles), action: fc.constantFrom('d:*', 'd:write', 'x:y') }),
);
const stepArb = fc.record({
  version: versionArb,
  holds: holdsArb,
  writes: fc.array(writeArb, { maxLength: 3 }),
  applies: fc.boolean(),
});

const textOf = ({ bindings, manage, manageRoles }: Version): string =>
  JSON.stringify({
    policies: Object.fromEntries(roles.map((role) => [role, allow(actions[role as keyof typeof actions])])),
    roles: Object.fromEntries(roles.map((role) => [role, { policies: [role] }])),
    bindings: bindings.map((one) => ({ ...one, scope: everywhere })),
    manage: { users: manage, bindings: { roles: manageRoles } },
  });

const isIn = (regions: readonly AccessRegion[], user: string, action: string): boolean =>
  regions.some((one) => one.users.includes(user) && regionContains(one, { user, action, resource: 'd:1' }));

test('a right that no file gives, or that a hold takes, is in the losses or the orphans of the next plan', async () => {
  const seen = { lost: 0, orphaned: 0, held: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(stepArb, { minLength: 1, maxLength: 6 }), async (history) => {
      let current: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: [] };
      let last: readonly string[] = [];
      for (const { version, holds, writes, applies } of history) {
        for (const write of writes) {
          if ('policy' in write) {
            current = { ...current, policies: new Map([...current.policies, [write.policy, allow(write.action)]]) };
            continue;
          }
          const { user, role } = write.pair;
          const others = current.bindings.filter((one) => one.user !== user || one.role !== role);
          current = { ...current, bindings: write.makes ? [...others, { user, role, scope: everywhere }] : others };
        }
        const desired = await readText(textOf(version));
        // As the command: those of the file and of the last apply.
        const known = [...new Set([...desired.users, ...last])];
        const read = {
          ...current,
          bindings: current.bindings.filter(({ user }) => known.includes(user)),
          users: known,
        };
        const made = plan(read, desired, { prune: true, holds });
        const isHeld = (user: string, role: string) =>
          holds.some((hold) => hold.user === user && (hold.roles?.includes(role) ?? true));
        const granted = createEvaluator({
          policies: desired.policies,
          roles: desired.roles,
          bindings: desired.bindings.filter(({ user, role }) => !isHeld(user, role)),
        });
        const now = createEvaluator(current);
        const literal = version.manage.filter((name) => !name.includes('*'));
        const answeredFor = new Set([...version.bindings.map(({ user }) => user), ...literal, ...last]);
        const orphaned = new Set(made.orphaned.map(({ user }) => user));
        for (const user of answeredFor) {
          for (const action of ['d:read', 'd:write', 'd:other', 'x:y']) {
            const question = { user, action, resource: 'd:1' };
            if (!now.isAllowed(question) || granted.isAllowed(question)) continue;
            const isLost = isIn(made.access.lost, user, action);
            seen.lost += Number(isLost);
            seen.orphaned += Number(orphaned.has(user));
            seen.held += Number(desired.bindings.some((one) => one.user === user && isHeld(user, one.role)));
            if (!isLost && !orphaned.has(user)) expect({ question, made }).toBe('listed');
          }
        }
        // Nothing is given that is held.
        for (const change of made.changes) {
          if (change.kind === 'binding' && change.after) expect(isHeld(change.user ?? '', change.role)).toBe(false);
        }
        if (!applies) continue;
        const deleted = new Set(made.changes.map(({ user, role }) => `${user} ${role}`));
        const kept = current.bindings.filter(({ user, role }) => !deleted.has(`${user} ${role}`));
        const written = made.changes.flatMap(({ kind, user = '', role = '', after }) =>
          kind === 'binding' && after ? [{ user, role, scope: after as Policy }] : [],
        );
        current = { ...desired, users: 'all', bindings: [...kept, ...written] };
        last = [...new Set(current.bindings.flatMap(({ user }) => (known.includes(user) ? user : [])))];
      }
    }),
    runsOf(150),
  );
  // The histories reach each of the cases.
  expect(Math.min(seen.lost, seen.orphaned, seen.held)).toBeGreaterThan(5);
});
