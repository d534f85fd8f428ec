import { describe, expect, test } from 'vitest';
import { leastPrivilege, permissionUsage, replay } from '../../../../src/policy/analysis/index.ts';
import { addTo, QuestionsReader } from '../../../../src/policy/analysis/log/read-questions.ts';
import { readDecisions } from '../../../../src/policy/decisions/index.ts';
import type { PolicyState } from '../../../../src/policy/index.ts';
import { allow, everywhere } from './support.ts';

// Steps of an evaluation tell no decision. The line of the decision does, if it belongs to them.

const state: PolicyState = {
  policies: { reader: { statements: [allow(['orders:read'], ['*'])] } },
  roles: { admin: { policies: ['reader'] } },
  bindings: [],
};
const bound: PolicyState = { ...state, bindings: [{ user: 'alice', role: 'admin', scope: everywhere }] };
const at = (second: number): string => new Date(Date.UTC(2026, 10, 23, 12, 0, second)).toISOString();
const line = (second: number, fields: object, message: string): string =>
  `${JSON.stringify({ level: 'info', user: 'alice', action: 'orders:read', resource: 'o:1', time: at(second), ...fields, message })}\n`;
const step = (second: number, fields: object = {}): string =>
  line(second, { level: 'debug', policies: 1, effect: 'Allow', ...fields }, 'AUTHZ-EVAL-DIAG EvaluatePolicies');
const decision = (second: number, message: string, fields: object = {}): string =>
  line(second, { method: 'Permissive.Evaluate', roles: [], context: 'null', ...fields }, message);
const logOf = (...lines: readonly string[]) => readDecisions(new Blob([lines.join('')]).stream());
const undecidedOf = async (...lines: readonly string[]): Promise<number> =>
  (await replay(logOf(...lines), bound)).undecided.count;

describe('two joined logs', () => {
  const central = step(0);
  const denied = decision(3_600, 'Access Denied');

  test.each([
    ['before', [central, denied]],
    ['after', [denied, central]],
  ])('keep the role of a group that steps name, an hour %s a decision without the group', async (_, lines) => {
    const { roles, undecided } = await permissionUsage(logOf(...lines), state, { fidelity: 'documented' });
    expect([roles, undecided.count]).toEqual([[], 1]);
    const { state: least } = await leastPrivilege(logOf(...lines), state, { fidelity: 'documented' });
    expect(least.isAllowed({ user: 'alice', roles: ['admin'], action: 'orders:read', resource: 'o:1' })).toBe(true);
  });

  test('take nothing that was granted after a denial of last week', async () => {
    const lines = [decision(0, 'Access Denied'), step(3_600)];
    const { state: least } = await leastPrivilege(logOf(...lines), bound, { fidelity: 'sidecar' });
    expect(least.isAllowed({ user: 'alice', action: 'orders:read', resource: 'o:1' })).toBe(true);
    expect(await undecidedOf(...lines)).toBe(1);
  });
});

describe('a decision decides the steps near it in its log', () => {
  test.each<[string, number, readonly string[]]>([
    ['before it', 0, [step(0), step(1), decision(2, 'Access Denied')]],
    ['after it', 0, [decision(0, 'Access Denied'), step(1)]],
    [
      'of a batch',
      0,
      [
        step(0),
        step(0, { resource: 'o:2' }),
        decision(5, 'Access Granted'),
        decision(5, 'Access Granted', { resource: 'o:2' }),
      ],
    ],
    ['and none that are too old', 1, [step(0), step(6), decision(7, 'Access Denied')]],
    ['and none that are too late', 1, [decision(0, 'Access Denied'), step(6)]],
    ['and none of a long row', 2, [step(0), step(4), step(8), decision(12, 'Access Denied')]],
    ['of its question alone', 1, [step(0), decision(0, 'Access Denied', { resource: 'o:2' })]],
    ['of its user alone', 1, [step(0), decision(0, 'Access Denied', { user: 'bob' })]],
    [
      'with the same roles',
      0,
      [step(0, { roles: ['g'] }), decision(0, 'Access Denied', { roles: ['g'] }), step(0, { roles: ['g'] })],
    ],
    ['with no other roles', 2, [step(0, { roles: ['g'] }), decision(0, 'Access Denied'), step(0, { roles: ['g'] })]],
    ['whatever the roles of the decision are', 0, [step(0), decision(0, 'Access Denied', { roles: ['g'] }), step(0)]],
    [
      'if it is ambiguous, too',
      1,
      [step(0, { action: 'rbac:GetRole' }), decision(0, 'Access Granted', { action: 'rbac:GetRole' })],
    ],
    [
      'in the order of the log, which may be turned',
      0,
      [decision(5, 'Access Denied'), step(5), decision(0, 'Access Denied'), step(0)],
    ],
  ])('%s', async (_, count, lines) => {
    expect(await undecidedOf(...lines)).toBe(count);
  });

  test('in its own file only', async () => {
    const reader = new QuestionsReader();
    for (const [file, text] of [
      ['a.log', step(0)],
      ['b.log', decision(0, 'Access Denied')],
      ['c.log', step(0) + step(0, { resource: 'o:2' })],
    ] as const) {
      reader.file = file;
      await addTo(reader, logOf(text));
    }
    const { undecided, hidden } = reader.read();
    expect([undecided.flatMap(({ lines }) => lines), hidden.length]).toEqual([
      [
        { file: 'a.log', line: 1 },
        { file: 'c.log', line: 1 },
        { file: 'c.log', line: 2 },
      ],
      2,
    ]);
    // Reading changes nothing: the console reads while lines are added.
    expect(reader.read()).toEqual({ ...reader.read(), undecided });
  });

  test('and at most 20 lines without a decision are named', async () => {
    const lines = Array.from({ length: 30 }, (_, i) => step(i * 10));
    const { undecided } = await replay(logOf(...lines, step(300), step(301)), bound);
    expect([undecided.count, undecided.groups[0]?.lines.length, undecided.lastSeen]).toEqual([32, 20, at(301)]);
  });
});
