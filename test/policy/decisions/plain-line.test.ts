import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSchema } from '../../../src/policy/decisions/line-schema.ts';
import { isPlainDecision } from '../../../src/policy/decisions/plain-line.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { collect } from './collect.ts';

const line = {
  v: 1,
  kind: 'decision',
  time: '2026-11-23T12:00:00Z',
  subject: { user: 'alice', groups: ['g'] },
  action: 'orders:read',
  resource: 'order:7',
  effect: 'Allow',
  enforced: true,
  reason: 'allowed',
  because: [{ role: 'viewer', policy: 'p', statement: 0 }],
  durationUs: 0.5,
};
const odd = [undefined, null, 0, -1, 1.5, 2 ** 53, true, '', 'x', '2026-11-23', [], ['x'], [1], {}, { user: 1 }];
const statement = { role: 'r', statement: 0 };
const odder = [...odd, { groups: [1] }, { userHash: 7 }, [statement], [{ ...statement, policy: 1 }], 'failed', 'Deny'];

test('plain decisions are valid by the schema, for any value of a field', () => {
  const schema = createLineSchema();
  const names = [
    'decisionId',
    'traceId',
    'spanId',
    'requestId',
    'service',
    'operation',
    'source',
    'revision',
    'shadow',
  ];
  const fields = [...Object.keys(line), ...names, 'context', 'masked', 'added'];
  const changes = fc.array(fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...odder)), { maxLength: 2 });
  let plain = 0;
  fc.assert(
    fc.property(changes, (changed) => {
      const text = JSON.stringify({ ...line, ...Object.fromEntries(changed) });
      const parsed: Record<string, unknown> = JSON.parse(text);
      if (!isPlainDecision(parsed)) return;
      plain += 1;
      expect({ text, ...schema.safeParse(parsed) }).toMatchObject({ text, success: true });
    }),
    runsOf(3_000),
  );
  expect(plain).toBeGreaterThan(partOf(100));
  expect(isPlainDecision(line)).toBe(true);
});

test('lines that are not plain are left to the schema', async () => {
  const revision = { policies: 1, roles: 2, bindings: 3 };
  const lines = [
    { ...line, revision },
    { ...line, effect: 'Maybe' },
    { ...line, masked: ['/context'] },
  ];
  const { decisions, summary } = await collect(lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
  expect(decisions).toHaveLength(2);
  expect(summary.skipped).toEqual([{ reason: 'invalid', count: 1, firstLine: 2 }]);
});
