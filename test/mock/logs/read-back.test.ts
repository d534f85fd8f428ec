import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMock, type MockConfig } from '../../../src/mock/index.js';
import { collect } from '../../policy/decisions/collect.ts';
import { stateArb } from '../../policy/support/arbitrary.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { ask, questionArb } from './ask.ts';

test('decisions read from the log are those of central, also for odd names', async () => {
  const seen = { Allow: 0, Deny: 0, superuser: 0, permitted: 0 };
  await fc.assert(
    fc.asyncProperty(stateArb, fc.array(questionArb, { minLength: 1, maxLength: 4 }), async (state, questions) => {
      const bindings = new Map(state.bindings.map((binding) => [`${binding.user}:${binding.role}`, binding]));
      const config: MockConfig = {
        fidelity: 'sidecar',
        policies: Object.fromEntries(state.policies),
        roles: Object.fromEntries(state.roles),
        bindings: [...bindings.values()],
      };
      await using central = await createMock(config);
      await using permissive = await createMock({ ...config, authorization: { type: 'central-permissive' } });
      const written = { json: '', pretty: '' };
      for (const format of ['json', 'pretty'] as const) {
        await permissive.platformLog({
          format,
          write: (line) => {
            written[format] += line;
          },
        });
      }
      const expected: object[] = [];
      for (const question of questions) {
        const { user, roles, items } = question;
        const effects = await ask(central, question);
        const answered = await ask(permissive, question);
        seen.permitted += answered.filter((effect) => effect === 'Allow').length;
        expect(answered).toEqual(items.map(() => 'Allow'));
        if (user === undefined) {
          // The superuser has no line.
          seen.superuser += 1;
          expect(effects).toEqual(items.map(() => 'Allow'));
          continue;
        }
        for (const [index, { action, resource }] of items.entries()) {
          const effect = effects[index];
          seen[effect === 'Allow' ? 'Allow' : 'Deny'] += 1;
          expected.push({ subject: { user, groups: roles }, action, resource, effect, enforced: false });
        }
      }
      for (const format of ['json', 'pretty'] as const) {
        const { decisions, summary } = await collect(written[format]);
        expect(summary.skipped).toEqual([]);
        expect(
          decisions.map(({ subject, action, resource, effect, enforced }) => ({
            subject,
            action,
            resource,
            effect,
            enforced,
          })),
        ).toEqual(expected);
      }
    }),
    { ...runsOf(500), seed: 44 },
  );
  expect(seen.Allow).toBeGreaterThan(partOf(100));
  expect(seen.Deny).toBeGreaterThan(partOf(500));
  expect(seen.superuser).toBeGreaterThan(partOf(50));
}, 120_000);
