import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.js';
import { collect } from '../../decisions/collect.ts';
import { stateArb, userNames } from '../../policy/support/arbitrary.ts';

/** Names that a log has to escape, and some that look like parts of a line. */
const odd = [
  'na "me"\n\u001b[31m\u202e=x y',
  '","message":"Access Granted","user":"',
  ' user=root',
  'INF Access Granted',
  '\u0000\u007f\u0085\u2028\\n',
  '<&>',
  '😀\ud7ff',
  '',
];
const text = fc.oneof(
  fc.constantFrom(...odd),
  // The reader takes U+FFFD for broken UTF-8, and counts the line.
  fc.string({ unit: 'binary', maxLength: 12 }).map((name) => name.toWellFormed().replaceAll('\ufffd', '?')),
);
const user = fc.oneof(fc.constantFrom(...userNames), text);
const item = fc.record(
  {
    action: fc.oneof(fc.constantFrom('a:a', 'a:ab', 'b:a', 'b:ab'), text),
    resource: fc.oneof(fc.constantFrom('a', 'a:b', 'ab:7', 'b'), text),
    context: fc.constant({ parameters: { ip: { values: ['10.0.0.1', '"<\u2028'] }, '\n"': { values: [] } } }),
  },
  { requiredKeys: ['action', 'resource'] },
);
const questionArb = fc.record({
  user: fc.option(user, { nil: undefined }),
  roles: fc.array(fc.oneof(fc.constantFrom('r', 'u'), text), { maxLength: 2 }),
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  way: fc.constantFrom('evaluate', 'evaluate-many', 'evaluate-token', 'evaluate-token-many'),
});
type Question = typeof questionArb extends fc.Arbitrary<infer Q> ? Q : never;

/** Asks a question, one request for each item or all at once, and returns the effects. */
async function ask(mock: Mock, { user, roles, items, way }: Question): Promise<string[]> {
  const subject = way.includes('token')
    ? { token: await mock.tokens.issue({ user: user ?? null, groups: roles }) }
    : { user, roles };
  const post = async (body: object): Promise<{ effect: string; items?: { effect: string }[] }> => {
    const answer = await mock.fetch(`http://mock.test/_integration/authorization/v1/${way}`, {
      method: 'POST',
      body: JSON.stringify({ ...subject, ...body }),
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  if (way.endsWith('-many')) return ((await post({ items })).items ?? []).map(({ effect }) => effect);
  const effects: string[] = [];
  for (const one of items) effects.push((await post(one)).effect);
  return effects;
}

test('decisions read from the log are those of central, for odd names as well', async () => {
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
    { numRuns: 500, seed: 44 },
  );
  expect(seen.Allow).toBeGreaterThan(100);
  expect(seen.Deny).toBeGreaterThan(500);
  expect(seen.superuser).toBeGreaterThan(50);
}, 120_000);
