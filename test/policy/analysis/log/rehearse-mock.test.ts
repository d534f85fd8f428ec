import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMock, type MockConfig } from '../../../../src/mock/index.ts';
import { type LoggedQuestion, rehearse } from '../../../../src/policy/analysis/index.ts';
import { readDecisions } from '../../../../src/policy/decisions/index.ts';
import { ask, type Question, questionArb } from '../../../mock/logs/ask.ts';
import { partOf, runsOf } from '../../../support/thorough.ts';
import { requestFor, type State, stateArb } from '../../support/arbitrary.ts';
import { dice } from '../support/rewrite.ts';

/** Questions with odd names, and some near the statements of a state, in the same ways. */
function questionsFor(state: State, questions: readonly Question[], seed: number): Question[] {
  const below = dice(seed);
  const near = questions.map((one): Question => {
    const { user, roles = [] } = requestFor(state, below(0x7fffffff));
    const items = one.items.map((item) => {
      const { action, resource } = requestFor(state, below(0x7fffffff));
      return { ...item, action, resource };
    });
    return { ...one, user: one.user === undefined ? undefined : user, roles: [...roles], items };
  });
  return [...questions, ...near];
}

test('denials predicted from the log of central-permissive are the denials of central', async () => {
  const seen = { denied: 0, allowed: 0, superuser: 0, granted: 0, left: 0 };
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      stateArb,
      fc.array(questionArb, { minLength: 1, maxLength: 3 }),
      fc.nat({ max: 0x7fffffff }),
      async (state, odd, seed) => {
        runs += 1;
        const questions = questionsFor(state, odd, seed);
        const bindings = new Map(state.bindings.map((binding) => [`${binding.user}:${binding.role}`, binding]));
        const config = {
          fidelity: 'sidecar',
          policies: Object.fromEntries(state.policies),
          roles: Object.fromEntries(state.roles),
          bindings: [...bindings.values()],
        } satisfies MockConfig;
        let log = '';
        await using permissive = await createMock({ ...config, authorization: { type: 'central-permissive' } });
        await permissive.platformLog({
          format: runs % 2 === 0 ? 'json' : 'pretty',
          write: (line) => {
            log += line;
          },
        });
        for (const question of questions) await ask(permissive, question);

        const read = readDecisions(new Blob([log]).stream());
        const { denied, change, notGranted, log: covered } = await rehearse(read, config);
        expect(read.summary.skipped).toEqual([]);
        const keyOf = ({ user = '' }: { user?: string | undefined }, action: string, resource: string) =>
          JSON.stringify([user, action, resource]);
        const keys = (list: readonly LoggedQuestion[]) =>
          new Set(list.map(({ subject, action, resource }) => keyOf(subject, action, resource)));
        const predicted = keys(denied.groups.flatMap((group) => group.questions));
        const left = keys(notGranted);

        await using central = await createMock(config);
        const after = {
          ...config,
          policies: Object.fromEntries(change.state.policies().map((name) => [name, change.state.policy(name)])),
          roles: Object.fromEntries(change.state.roles().map((name) => [name, change.state.role(name)])),
          bindings: [...change.state.bindings()],
        } as MockConfig;
        await using changed = await createMock(after);
        let [asked, refused] = [0, 0];
        for (const question of questions) {
          const { user, items } = question;
          const [effects, effectsAfter] = [await ask(central, question), await ask(changed, question)];
          if (user === undefined) {
            seen.superuser += 1;
            expect(effects).toEqual(items.map(() => 'Allow'));
            continue;
          }
          for (const [i, { action, resource }] of items.entries()) {
            const key = keyOf({ user }, action, resource);
            asked += 1;
            expect([key, effects[i]]).toEqual([key, predicted.has(key) ? 'Deny' : 'Allow']);
            expect([key, effectsAfter[i]]).toEqual([key, left.has(key) ? 'Deny' : 'Allow']);
            if (effects[i] === 'Allow') seen.allowed += 1;
            else {
              refused += 1;
              seen[left.has(key) ? 'left' : 'granted'] += 1;
            }
          }
        }
        seen.denied += refused;
        expect([denied.count, covered.count, change.isExact]).toEqual([refused, asked, true]);
      },
    ),
    runsOf(1_000),
  );
  expect(runs).toBe(partOf(1_000));
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(partOf(300));
}, 240_000);
