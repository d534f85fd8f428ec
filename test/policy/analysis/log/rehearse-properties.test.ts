import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChangedItem, compare, rehearse } from '../../../../src/policy/analysis/index.ts';
import type { DecisionLine } from '../../../../src/policy/decision-line/line.ts';
import { createEvaluator, type Evaluator } from '../../../../src/policy/index.ts';
import { partOf, runsOf } from '../../../support/thorough.ts';
import { faultyStateArb, requestFor, stateArb, userNames } from '../../support/arbitrary.ts';
import { dice } from '../support/rewrite.ts';
import { decisionOf } from './support.ts';

const isAllowed = (by: Evaluator, { subject: { user = '', groups }, action, resource }: DecisionLine): boolean =>
  by.isAllowed({ user, ...(groups && { roles: groups }), action, resource });

/** Yields a copy of a changed state without each statement that the change added, and without each new binding. */
function* withoutOne(after: Evaluator, items: readonly ChangedItem[]) {
  const isAdded = (item: ChangedItem, one: object) =>
    'statements' in item &&
    item.statements.some(
      ({ actions, resources }) => JSON.stringify({ effect: 'Allow', actions, resources }) === JSON.stringify(one),
    );
  for (const item of items) {
    if (item.kind === 'policy') {
      const { statements = [] } = after.policy(item.name) ?? {};
      for (const [i, one] of statements.entries()) {
        if (!isAdded(item, one)) continue;
        const copy = after.clone();
        copy.setPolicy(item.name, { statements: statements.filter((_, at) => at !== i) });
        yield { copy, what: `${item.name} ${i}` };
      }
    }
    if (item.kind !== 'binding') continue;
    const scope = after.bindings().find((one) => one.user === item.user && one.role === item.role)?.scope;
    const copy = after.clone();
    if (item.action === 'create') copy.deleteBinding(item.user, item.role);
    else {
      const statements = scope?.statements.filter((one) => !isAdded(item, one)) ?? [];
      copy.setBinding({ user: item.user, role: item.role, scope: { statements } });
    }
    yield { copy, what: `${item.user} ${item.role}` };
  }
}

describe.each(['documented', 'sidecar'] as const)('random states in %s fidelity', (fidelity) => {
  const anyState = fidelity === 'sidecar' ? faultyStateArb : stateArb;

  test.each([undefined, 'resources', 'statements'] as const)(
    'rehearse proposes a change that allows the denied requests and takes nothing away (generalise: %s)',
    async (generalise) => {
      const kinds = new Set<string>();
      let removed = 0;
      await fc.assert(
        fc.asyncProperty(anyState, fc.nat({ max: 0x7fffffff }), async (given, seed) => {
          const below = dice(seed);
          const evaluator = createEvaluator(given, { fidelity });
          const users = [...userNames, 'stranger'];
          const lines = Array.from({ length: 40 }, () => {
            const { user: own, roles, action, resource } = requestFor(given, below(0x7fffffff));
            const user = below(2) === 0 ? own : (users[below(users.length)] ?? own);
            const fields = { action, resource, effect: 'Deny', enforced: false } as const;
            return decisionOf({ ...fields, subject: { user, ...(roles && { groups: roles }) } });
          });
          const { denied, change, notGranted } = await rehearse(lines, evaluator, { generalise });
          expect(denied.count).toBe(lines.filter((one) => !isAllowed(evaluator, one)).length);

          const nameOf = ({ user = '' }: { user?: string | undefined }, action: string, resource: string) =>
            JSON.stringify([user, action, resource]);
          const left = new Set(notGranted.map(({ subject, action, resource }) => nameOf(subject, action, resource)));
          const granted = lines.filter(
            (one) => !isAllowed(evaluator, one) && !left.has(nameOf(one.subject, one.action, one.resource)),
          );
          expect(granted.filter((one) => !isAllowed(change.state, one))).toEqual([]);
          expect(compare(evaluator, change.state).lost).toEqual([]);
          for (const item of change.items) kinds.add(`${item.kind} ${item.action}`);
          if (generalise !== undefined) return;

          // Nothing else is gained, by the evaluators themselves as well as by `compare`.
          expect(change.isExact).toBe(true);
          const asked = new Set(granted.map(({ subject, action, resource }) => nameOf(subject, action, resource)));
          for (const { action, resource } of lines) {
            for (const user of [...users, 'a', 'u:rehearsed-1']) {
              const gains =
                !evaluator.isAllowed({ user, action, resource }) && change.state.isAllowed({ user, action, resource });
              if (gains) expect(asked).toContain(nameOf({ user }, action, resource));
            }
            for (const role of change.state.roles()) {
              const question = { roles: [role], action, resource };
              expect(change.state.isAllowed(question)).toBe(evaluator.isAllowed(question));
            }
          }
          for (const { copy, what } of withoutOne(change.state, change.items)) {
            removed += 1;
            expect([what, granted.some((one) => !isAllowed(copy, one))]).toEqual([what, true]);
          }
        }),
        runsOf(200),
      );
      expect([...kinds].sort()).toEqual(expect.arrayContaining(['binding create', 'policy create', 'role create']));
      if (generalise === undefined) expect(removed).toBeGreaterThan(partOf(200));
    },
  );
});
