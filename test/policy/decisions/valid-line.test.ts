import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSchema } from '../../../scripts/lib/schemas/line-schema.ts';
import { isDecision, isGap } from '../../../src/policy/decisions/valid-line.ts';
import { partOf, runsOf } from '../../support/thorough.ts';

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
const revision = { policies: 1, roles: 2, bindings: 3 };
const odder = [
  ...odd,
  ...[{ groups: [1] }, { userHash: 7 }, [statement], [{ ...statement, policy: 1 }], 'failed', 'Deny', 'gap'],
  ...[revision, { ...revision, roles: -1 }, { effect: 'Deny' }, { effect: 'Deny', source: 1 }, { effect: 'Maybe' }],
  ...[1e21, { constructor: null }, JSON.parse('{ "__proto__": { "user": 1 } }')],
  ...[
    { effect: 'Allow', reason: 'failed' },
    { effect: 'Allow', reason: 'other' },
  ],
];

test('a line is a decision or a gap if the schema accepts it, for any value of a field', () => {
  const schema = createLineSchema();
  const texts = ['decisionId', 'traceId', 'spanId', 'requestId', 'service', 'operation', 'source'];
  const fields = [...Object.keys(line), ...texts, 'revision', 'shadow', 'context', 'masked', 'dropped', 'added'];
  const changes = fc.array(fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...odder)), { maxLength: 3 });
  const valid = { decisions: 0, gaps: 0 };
  fc.assert(
    fc.property(fc.constantFrom(line, { v: 1, kind: 'gap', time: line.time, dropped: 3 }), changes, (from, changed) => {
      const text = JSON.stringify({ ...from, ...Object.fromEntries(changed) });
      const parsed: Record<string, unknown> = JSON.parse(text);
      expect([text, isDecision(parsed) || isGap(parsed)]).toEqual([text, schema.safeParse(parsed).success]);
      if (isDecision(parsed)) valid.decisions += 1;
      if (isGap(parsed)) valid.gaps += 1;
    }),
    runsOf(3_000),
  );
  expect(valid.decisions).toBeGreaterThan(partOf(300));
  expect(valid.gaps).toBeGreaterThan(partOf(300));
});

test.each(['revision', 'shadow', 'context', 'masked'])('%s is checked', (name) => {
  const values: readonly unknown[] = [revision, { effect: 'Allow', reason: 'failed' }, { ip: '::1' }, ['/context']];
  const schema = createLineSchema();
  const verdicts = [...values, ...odder].map((value) => isDecision({ ...line, [name]: value }));
  expect(verdicts).toEqual([...values, ...odder].map((value) => schema.safeParse({ ...line, [name]: value }).success));
  expect(new Set(verdicts).size).toBe(2);
});
