import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toPermissions } from '../../../src/console/answers/policy-views.js';
import { toReplayed, toUnused } from '../../../src/console/page/log/reader/decided-again.js';
import { LogIndex } from '../../../src/console/page/log/reader/log-index.js';
import { toView } from '../../../src/console/page/log/reader/view.js';
import type { LogState } from '../../../src/console/page/log/reader-messages.js';
import { permissionUsage, rehearse, replay } from '../../../src/policy/analysis/index.js';
import type { DecisionLine } from '../../../src/policy/decision-line/line.js';
import { readDecisions } from '../../../src/policy/decisions/index.js';
import { createEvaluator, type Evaluator, type PolicyState } from '../../../src/policy/index.js';
import { faultyStateArb, requestFor, stateArb } from '../../policy/support/arbitrary.js';
import { partOf, runsOf } from '../../support/thorough.ts';
import { folderOf } from '../../tools/command/support/deployment.js';
import { permissions } from '../../tools/command/support/in-process.js';
import { decisionOf } from './logs-of-tests.js';

const most = 1_000_000;
const all = { who: undefined, action: undefined, most };

function indexOf(decisions: readonly DecisionLine[]): LogIndex {
  const log = new LogIndex();
  for (const [i, decision] of decisions.entries()) log.add({ line: i + 1, decision });
  return log;
}

/** The state of an evaluator as the page gets it: by JSON, and by a message to the reader. */
const sentState = (evaluator: Evaluator): LogState =>
  structuredClone({ ...JSON.parse(JSON.stringify(toPermissions(evaluator))), fidelity: evaluator.fidelity });

const groupsOf = ({ count, groups }: { count: number; groups: readonly object[] }) => [count, groups.length];

/** Compares what the page shows of a log with what the functions behind the command find. */
async function expectSameNumbers(decisions: readonly DecisionLine[], evaluator: Evaluator): Promise<number> {
  const log = indexOf(decisions);
  const state = sentState(evaluator);
  const shown = toReplayed(log, { state, baseline: undefined, most });
  const rehearsed = await rehearse(decisions, evaluator);
  const replayed = await replay(decisions, evaluator);
  expect([shown.decisions, shown.denied.users, shown.denied.actions]).toEqual([
    rehearsed.log.count,
    rehearsed.denied.users,
    rehearsed.denied.actions,
  ]);
  expect([shown.denied.count, shown.denied.all]).toEqual(groupsOf(rehearsed.denied));
  expect([shown.revoked.count, shown.revoked.all]).toEqual(groupsOf(replayed.revoked));
  expect([shown.gained.count, shown.gained.all]).toEqual(groupsOf(replayed.gained));
  expect(shown.denied.rows.map(({ cause, count, lastSeen }) => [cause, count, lastSeen])).toEqual(
    rehearsed.denied.groups.map(({ cause, count, lastSeen }) => [cause, count, lastSeen]),
  );
  const unused = toUnused(log, { state, most });
  const found = await permissionUsage(decisions, evaluator);
  expect([unused.policies.rows, unused.roles.rows, unused.bindings.all]).toEqual([
    found.policies,
    found.roles,
    found.bindings.length,
  ]);
  expect(unused.statements.all).toBe(found.statements.filter(({ policy }) => !found.policies.includes(policy)).length);
  expect([unused.users, unused.days]).toEqual([found.log.users, found.log.days]);
  const view = toView(log, all);
  expect(view.denied + view.allowed).toBe(found.log.count);
  return shown.denied.count + shown.gained.count + shown.revoked.count;
}

/** Times of several days and zones, not in order. */
const times = [
  '2026-11-20T23:30:00Z',
  '2026-11-21T00:30:00+02:00',
  '2026-11-20T22:59:59.999-05:00',
  '2026-11-25T12:00Z',
  '2026-03-29T02:30:00+01:00',
];

describe.each([
  ['documented', stateArb],
  ['sidecar', faultyStateArb],
] as const)('in %s fidelity', (fidelity, states) => {
  test('the page has the numbers of rehearse, replay and usage for any state and log', async () => {
    const line = fc.record({
      seed: fc.nat(),
      time: fc.constantFrom(...times),
      effect: fc.constantFrom('Allow' as const, 'Deny' as const),
      enforced: fc.boolean(),
      odd: fc.constantFrom<Partial<DecisionLine>[]>(
        ...[{}, {}, {}, {}, {}, {}, { subject: {} }, { subject: { groups: ['r'] } }, { subject: { user: '' } }],
        { reason: 'failed' },
        { subject: { userHash: 'h' }, masked: ['/action'] },
      ),
    });
    let flips = 0;
    await fc.assert(
      fc.asyncProperty(states, fc.array(line, { maxLength: 30 }), async (state, lines) => {
        const decisions = lines.map(({ seed, odd, ...rest }) => {
          const { user, action, resource } = requestFor(state, seed);
          return decisionOf({ subject: { user }, action, resource, ...rest, ...odd });
        });
        flips += await expectSameNumbers(decisions, createEvaluator(state, { fidelity }));
      }),
      runsOf(150),
    );
    expect(flips).toBeGreaterThan(partOf(100));
  });
});

interface Recorded {
  readonly state: PolicyState;
  readonly began: readonly string[];
  readonly steps: readonly { readonly log: readonly string[] }[];
}

describe.each([
  'central-permissive-json-info.json',
  'central-permissive-json-debug.json',
  'central-permissive-pretty-info.json',
])('the recorded %s', (name) => {
  const text = readFileSync(new URL(`../../vectors/logs/${name}`, import.meta.url), 'utf8');
  // The cast: a recording of ours.
  const { state, began, steps } = JSON.parse(text) as Recorded;
  const lines = [...began, ...steps.flatMap(({ log }) => log)].map((line) => `${line}\n`).join('');

  test('has the numbers of the command', async () => {
    const folder = folderOf({ 'sidecar.log': lines });
    writeFileSync(
      join(folder, 'permissions.json'),
      JSON.stringify({ ...state, bindings: [...(state.bindings ?? [])] }),
    );
    const ask = async (command: string) => {
      const flags = ['--file', join(folder, 'permissions.json'), '--log', join(folder, 'sidecar.log'), '--json'];
      return JSON.parse((await permissions([command, ...flags, '--fidelity', 'sidecar'])).out);
    };
    const index = new LogIndex();
    for await (const item of readDecisions(new Blob([lines]).stream())) index.add(item);
    const sent = sentState(createEvaluator(state, { fidelity: 'sidecar' }));
    const shown = toReplayed(index, { state: sent, baseline: undefined, most });
    const rehearsed = await ask('rehearse');
    expect([shown.decisions, shown.denied.count, shown.denied.users, shown.denied.actions]).toEqual([
      rehearsed.log.count,
      rehearsed.denied.count,
      rehearsed.denied.users,
      rehearsed.denied.actions,
    ]);
    const replayed = await ask('replay');
    expect([shown.revoked.count, shown.gained.count]).toEqual([replayed.revoked.count, replayed.gained.count]);
    const unused = toUnused(index, { state: sent, most });
    const found = await ask('usage');
    expect([unused.policies.all, unused.roles.all, unused.bindings.all, unused.days, unused.since]).toEqual([
      found.policies.length,
      found.roles.length,
      found.bindings.length,
      found.log.days,
      found.log.firstSeen,
    ]);
    expect(shown.denied.count).toBeGreaterThan(30);
  });
});
