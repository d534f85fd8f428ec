import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LoggedDecisions, replay } from '../../../../src/policy/analysis/index.ts';
import type { DecisionLine } from '../../../../src/policy/decision-line/line.ts';
import { readDecisions } from '../../../../src/policy/decisions/index.ts';
import { createEvaluator, explain, type Fidelity, type PolicyState } from '../../../../src/policy/index.ts';
import { failureOf } from '../../../support/failure.ts';
import { runsOf } from '../../../support/thorough.ts';
import { faultyStateArb, requestFor, stateArb } from '../../support/arbitrary.ts';
import { dice } from '../support/rewrite.ts';
import { decisionOf, everywhere, logOf } from './support.ts';

const state: PolicyState = {
  policies: {
    reader: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:*'] }] },
    secrets: { statements: [{ effect: 'Deny', actions: ['*'], resources: ['order:secret:*'] }] },
  },
  roles: { viewer: { policies: ['secrets', 'reader'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
};

test('decisions are compared with those of the log, by statement and user', async () => {
  const { log, gained, revoked, unchanged, error } = await replay(
    [
      decisionOf({ time: '2026-11-23T10:00:00Z', effect: 'Deny' }),
      decisionOf({ time: '2026-11-24T09:00:00+02:00', effect: 'Deny' }),
      decisionOf({ effect: 'Allow' }),
      decisionOf({ effect: 'Allow', resource: 'order:secret:1' }),
      decisionOf({ effect: 'Allow', subject: { user: 'bob', groups: [] }, resource: 'order:8' }),
      decisionOf({ effect: 'Deny', subject: { user: 'bob' } }),
    ],
    state,
  );
  expect(log).toMatchObject({ count: 6, questions: 4, users: 2, days: 2 });
  expect(gained).toMatchObject({
    count: 2,
    firstSeen: '2026-11-23T10:00:00Z',
    lastSeen: '2026-11-24T09:00:00+02:00',
    groups: [
      {
        cause: { reason: 'allowed', role: 'viewer', policy: 'reader', statement: 0 },
        subject: { user: 'alice' },
        questions: [{ action: 'orders:read', resource: 'order:7', count: 2 }],
      },
    ],
  });
  expect(revoked.groups).toMatchObject([
    { cause: { reason: 'explicit-deny', role: 'viewer', policy: 'secrets', statement: 0 }, count: 1 },
    { cause: { reason: 'no-binding' }, subject: { user: 'bob' }, count: 1 },
  ]);
  expect(unchanged.count).toBe(2);
  expect(error).toEqual({ count: 0, firstSeen: undefined, lastSeen: undefined, groups: [] });
});

test('a baseline replaces the effects of the log', async () => {
  const lines = [decisionOf({ effect: 'Deny' }), decisionOf({ effect: 'Allow' })];
  expect(await replay(lines, state, { baseline: state })).toMatchObject({ unchanged: { count: 2 } });
  expect(await replay(lines, state, { baseline: {} })).toMatchObject({ gained: { count: 2 } });
  expect(await replay(lines, {}, { baseline: state })).toMatchObject({ revoked: { count: 2 } });
});

test('lines without a question are errors or undecided, whatever their effect', async () => {
  const { error, log, undecided } = await replay(
    [
      decisionOf({ reason: 'failed', effect: 'Deny' }),
      decisionOf({ subject: { userHash: 'x' } }),
      decisionOf({ masked: ['/resource'] }),
      decisionOf({ subject: {}, effect: 'Deny' }),
      decisionOf({ masked: ['/requestId', '/context'] }),
    ],
    state,
  );
  expect(error.groups.map(({ reason, count }) => [reason, count])).toEqual([
    ['failed', 1],
    ['no-subject', 1],
  ]);
  expect(undecided).toMatchObject({ count: 2, groups: [{ reason: 'masked', count: 2, lines: [] }] });
  expect(log.count).toBe(1);
});

test('names that hold the text of other fields stay apart', async () => {
  const lines = [
    decisionOf({ action: 'a', resource: 'b:c', effect: 'Deny' }),
    decisionOf({ action: 'ab', resource: ':c', effect: 'Deny' }),
    decisionOf({ subject: { user: 'alice', groups: ['a', 'b'] } }),
    decisionOf({ subject: { user: 'alice', groups: ['a","b'] } }),
    decisionOf({ subject: { user: '__proto__' }, effect: 'Deny' }),
    decisionOf({ subject: { user: 'x\n{"v":1,"kind":"decision"}\u001b[31m' }, effect: 'Deny' }),
  ];
  const { log, unchanged } = await replay(lines, state);
  expect(log).toMatchObject({ count: 6, questions: 6, users: 3 });
  expect(unchanged.count).toBe(6);
});

test('the recorded permissive lines predict the recorded answers of the type central', async () => {
  interface Recorded {
    readonly state: PolicyState;
    readonly steps: readonly {
      readonly request: { readonly path: string };
      readonly response: { effect?: string };
      readonly log: readonly string[];
    }[];
  }
  const read = (file: string): Recorded =>
    JSON.parse(readFileSync(new URL(`../../../vectors/logs/${file}`, import.meta.url), 'utf8'));
  const central = read('central-json-info.json');
  for (const file of ['central-permissive-json-info.json', 'central-permissive-pretty-info.json']) {
    let compared = 0;
    for (const [i, { request, log }] of read(file).steps.entries()) {
      if (!request.path.endsWith('/evaluate') || log.length === 0) continue;
      const answer = central.steps[i]?.response.effect;
      const decisions = readDecisions(new Blob([log.join('\n'), '\n']).stream());
      // Without a baseline state: every decision that differs from that of the log would be a change.
      const { log: covered, unchanged } = await replay(decisions, read(file).state, { fidelity: 'sidecar' });
      expect([covered.count, unchanged.count]).toEqual([1, 1]);
      const against = await replay(
        readDecisions(new Blob([log.join('\n'), '\n']).stream()),
        {},
        { baseline: read(file).state, fidelity: 'sidecar' },
      );
      expect(against.revoked.count === 1 ? 'Allow' : 'Deny').toBe(answer);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(35);
  }
});

describe.each(['documented', 'sidecar'] as const)('random states in %s fidelity', (fidelity: Fidelity) => {
  test('changes are those of the evaluators, for the reasons of explain', async () => {
    const anyState = fidelity === 'sidecar' ? faultyStateArb : stateArb;
    await fc.assert(
      fc.asyncProperty(anyState, anyState, fc.nat({ max: 0x7fffffff }), async (before, after, seed) => {
        const below = dice(seed);
        const [was, now] = [createEvaluator(before, { fidelity }), createEvaluator(after, { fidelity })];
        const asked = Array.from({ length: 30 }, () => requestFor(below(2) === 0 ? before : after, below(0x7fffffff)));
        const lines = asked.map(({ user, roles, action, resource }): DecisionLine => {
          const effect = was.evaluate({ user, ...(roles && { roles }), action, resource }).effect;
          return decisionOf({ subject: { user, ...(roles && { groups: roles }) }, action, resource, effect });
        });
        const result = await replay(logOf(lines), now);
        const count = (from: string, to: string) =>
          lines.filter(
            ({ effect, subject: { user = '', groups }, action, resource }) =>
              effect === from &&
              now.evaluate({ user, ...(groups && { roles: groups }), action, resource }).effect === to,
          ).length;
        expect(result.gained.count).toBe(count('Deny', 'Allow'));
        expect(result.revoked.count).toBe(count('Allow', 'Deny'));
        expect(result.unchanged.count).toBe(lines.length - result.gained.count - result.revoked.count);
        for (const { cause, questions } of [...result.gained.groups, ...result.revoked.groups]) {
          for (const { subject, action, resource } of questions) {
            const { reason, considered } = explain(now, { ...subject, action, resource });
            expect(cause.reason).toBe(reason);
            if (cause.role === undefined) continue;
            const outcomes = reason === 'allowed' ? ['allowed'] : ['denied', 'scope-denied'];
            const deciding = considered.filter(({ outcome }) => outcomes.includes(outcome));
            const found = deciding.map(({ role, outcome, statement, scopeStatement }) => {
              const by = outcome === 'scope-denied' ? scopeStatement : statement;
              return JSON.stringify([role, by?.policy, by?.index]);
            });
            expect(found).toContain(JSON.stringify([cause.role, cause.policy, cause.statement]));
          }
        }
      }),
      runsOf(150),
    );
  });
});

test.each([undefined, {}, Promise.resolve([]), 7])('%s is not a log', async (log) => {
  await expect(replay(log as unknown as LoggedDecisions, {})).rejects.toThrow('log: expected an iterable');
});

test('a log that yields a gap or another value than a decision is refused', async () => {
  const gap = { v: 1, kind: 'gap', time: '2026-11-23T10:00:00Z', dropped: 1 };
  await expect(replay([gap as unknown as DecisionLine], {})).rejects.toThrow('log: expected decisions');
  const text = JSON.stringify(decisionOf({ resource: 'canary-7d1e' }));
  for (const line of [text, null, undefined, 7, { kind: 'decision' }, { decision: text }]) {
    const failure = await failureOf(replay([line as unknown as DecisionLine], {}));
    expect([line, failure.message]).toEqual([line, 'log: expected decisions, as readDecisions yields them']);
  }
  // @ts-expect-error: not a state
  await expect(replay([], {}, { baseline: 7 })).rejects.toThrow('baseline: expected');
});
