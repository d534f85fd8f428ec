import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMock, type Mock, type MockConfig } from '../../../../src/mock/index.ts';
import { compare, leastPrivilege, permissionUsage } from '../../../../src/policy/analysis/index.ts';
import { readDecisions } from '../../../../src/policy/decisions/index.ts';
import { createEvaluator, type Statement } from '../../../../src/policy/index.ts';
import { partOf, runsOf } from '../../../support/thorough.ts';
import { everywhere } from './support.ts';

const rules = { fidelity: 'sidecar' } as const;
const users = ['alice', 'bob', 'carol'];
const names = ['x', 'y:1', 'a"b'];
const actions = ['rbac:GetPolicy', 'rbac:GetRole', 'rbac:*', 'orders:read', '*'];
const resources = ['x', 'x', 'y:*', 'y:1', 'orders:*', '*'];

const statementArb: fc.Arbitrary<Statement> = fc.record({
  effect: fc.constantFrom('Allow', 'Allow', 'Allow', 'Deny'),
  actions: fc.array(fc.constantFrom(...actions), { minLength: 1, maxLength: 2 }),
  resources: fc.array(fc.constantFrom(...resources), { minLength: 1, maxLength: 2 }),
});
const stateArb = fc.record({
  policies: fc.array(fc.array(statementArb, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 3 }),
  bindings: fc.uniqueArray(fc.record({ user: fc.constantFrom(...users), role: fc.nat({ max: 2 }) }), {
    selector: ({ user, role }) => `${user}:${role}`,
    maxLength: 5,
  }),
});
/** A call of the management service, or a question. */
const askedArb = fc.record({
  user: fc.constantFrom(...users),
  kind: fc.constantFrom('policy', 'role', 'question'),
  name: fc.constantFrom(...names),
  action: fc.constantFrom('rbac:GetRole', 'rbac:ListRoles', 'orders:read'),
});

async function ask(
  mock: Mock,
  { user, kind, name, action }: typeof askedArb extends fc.Arbitrary<infer A> ? A : never,
) {
  if (kind === 'question') {
    const body = JSON.stringify({ user, action, resource: name });
    await mock.fetch('http://mock.test/_integration/authorization/v1/evaluate', { method: 'POST', body });
    return;
  }
  const headers = { authorization: `bearer ${await mock.tokens.issue({ user })}` };
  await mock.fetch(`http://mock.test/_management/permissions/${kind}/${encodeURIComponent(name)}`, { headers });
}

test('the file from a pretty log grants at least what that from JSON grants, and less is called unused', async () => {
  const seen = { unclear: 0, kept: 0, told: 0 };
  await fc.assert(
    fc.asyncProperty(
      stateArb,
      fc.array(askedArb, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('central-permissive' as const, 'always' as const, 'central' as const),
      fc.constantFrom('debug' as const, 'info' as const),
      async (given, questions, type, level) => {
        const config = {
          fidelity: 'sidecar',
          policies: Object.fromEntries(given.policies.map((statements, i) => [`p${i}`, { statements }])),
          roles: Object.fromEntries(given.policies.map((_, i) => [`r${i}`, { policies: [`p${i}`] }])),
          bindings: given.bindings.map(({ user, role }) => ({ user, role: `r${role}`, scope: everywhere })),
        } satisfies MockConfig;
        await using mock = await createMock({ ...config, authorization: { type } });
        const logs = { json: '', pretty: '' };
        for (const format of ['json', 'pretty'] as const) {
          await mock.platformLog({
            format,
            level,
            write: (line) => {
              logs[format] += line;
            },
          });
        }
        for (const question of questions) await ask(mock, question);
        const read = (format: 'json' | 'pretty') => readDecisions(new Blob([logs[format]]).stream());

        const [json, pretty] = [
          await leastPrivilege(read('json'), config, rules),
          await leastPrivilege(read('pretty'), config, rules),
        ];
        expect(compare(json.state, pretty.state).lost).toEqual([]);
        // Neither grants what was not granted.
        const before = createEvaluator(config, rules);
        expect(compare(before, pretty.state).gained).toEqual([]);
        seen.unclear += pretty.undecided.count;
        seen.told += type === 'central-permissive' ? json.log.count : 0;
        seen.kept += pretty.state.bindings().length;

        const [inJson, inPretty] = [
          await permissionUsage(read('json'), config, rules),
          await permissionUsage(read('pretty'), config, rules),
        ];
        for (const part of ['statements', 'policies', 'roles', 'bindings'] as const) {
          expect(inJson[part]).toEqual(expect.arrayContaining([...inPretty[part]]));
        }
        // The roles and statements that decided a call of the management service, by the state itself.
        for (const { user, kind, name } of questions) {
          if (kind === 'question' || type === 'central') continue;
          const action = kind === 'policy' ? 'rbac:GetPolicy' : 'rbac:GetRole';
          const asked = { user, action, resource: name };
          if (before.isAllowed(asked)) expect([asked, pretty.state.isAllowed(asked)]).toEqual([asked, true]);
        }
      },
    ),
    runsOf(120),
  );
  expect(Math.min(seen.unclear, seen.kept, seen.told)).toBeGreaterThan(partOf(50));
}, 120_000);
