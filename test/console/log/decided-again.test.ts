import { expect, test } from 'vitest';
import { toReplayed, toUnused } from '../../../src/console/page/log/reader/decided-again.js';
import { LogIndex } from '../../../src/console/page/log/reader/log-index.js';
import type { LogState } from '../../../src/console/page/log/reader-messages.js';
import { permissionUsage, rehearse, replay } from '../../../src/policy/analysis/index.js';
import { decisionOf, shopState } from './logs-of-tests.js';

const decisions = [
  decisionOf(),
  decisionOf({ effect: 'Deny' }),
  decisionOf({ action: 'orders:write', resource: 'order:2' }),
  decisionOf({ subject: { user: 'bob', groups: ['clerk'] }, effect: 'Deny' }),
  decisionOf({ subject: { user: 'eve' }, effect: 'Deny' }),
  decisionOf({ reason: 'failed', effect: 'Deny' }),
  decisionOf({ subject: { userHash: 'h' }, masked: ['/subject/user'] }),
];
const log = new LogIndex();
for (const [i, decision] of decisions.entries()) log.add({ line: i + 1, decision });

const { policies, roles, bindings, fidelity } = shopState;
const plain = {
  policies: Object.fromEntries(policies.map(({ name, policy }) => [name, policy])),
  roles: Object.fromEntries(roles.map(({ name, role }) => [name, role])),
  bindings: bindings.map(({ user, role, scope }) => ({ user, role, scope: scope ?? undefined })),
};

test('the reader decides a log again as replay does', async () => {
  const own = toReplayed(log, { state: shopState, baseline: undefined, most: 100 });
  const { gained, revoked, error, undecided, log: extent } = await replay(decisions, plain, { fidelity });
  expect([own.decisions, own.gained.count, own.revoked.count]).toEqual([extent.count, gained.count, revoked.count]);
  expect([own.gained.count, own.revoked.count]).toEqual([2, 1]);
  expect(own.revoked.rows).toEqual([
    {
      who: { kind: 'user', name: 'alice' },
      groups: [],
      cause: { reason: 'nothing-allows' },
      count: 1,
      lastSeen: '2026-11-20T12:00:00Z',
      questions: { rows: [{ action: 'orders:write', resource: 'order:2', count: 1 }], all: 1 },
    },
  ]);
  expect(own.gained.rows.map(({ who, groups }) => [who.name, ...groups])).toEqual([['alice'], ['bob', 'clerk']]);
  expect(own.notReplayed).toEqual(
    [...error.groups, ...undecided.groups].map(({ reason, count }) => ({ reason, count })),
  );
});

test('the reader finds whom enforcing would deny, as rehearse does', async () => {
  const inVain = [...decisions, decisionOf({ subject: { user: 'eve' }, effect: 'Deny', enforced: false })];
  const permissive = new LogIndex();
  for (const [i, decision] of inVain.entries()) permissive.add({ line: i + 1, decision });
  const { denied } = toReplayed(permissive, { state: shopState, baseline: undefined, most: 100 });
  const wanted = await rehearse(inVain, plain, { fidelity });
  expect([denied.count, denied.users, denied.actions]).toEqual([2, 2, 2]);
  expect([wanted.denied.count, wanted.denied.users, wanted.denied.actions]).toEqual([2, 2, 2]);
  expect(denied.rows.map(({ who, cause }) => [who.name, cause.reason])).toEqual([
    ['alice', 'nothing-allows'],
    ['eve', 'no-binding'],
  ]);
});

test('the reader compares two states if there is a baseline', () => {
  const without = { ...shopState, bindings: [] };
  const { gained, revoked } = toReplayed(log, { state: without, baseline: shopState, most: 1 });
  expect([gained.count, revoked.count, revoked.rows.length, revoked.all]).toEqual([0, 2, 1, 1]);
  expect(revoked.rows[0]?.cause).toEqual({ reason: 'no-binding' });
});

test('the reader decides by the bindings of groups', () => {
  const { scope } = shopState.bindings[0] ?? {};
  const state = { ...shopState, groupBindings: [{ group: 'clerk', role: 'clerk', scope: scope ?? null }] };
  const seen = new LogIndex();
  const decision = decisionOf({ subject: { user: 'eve', groups: ['clerk'] }, effect: 'Deny' });
  seen.add({ line: 1, decision });
  const gains = (one: LogState) =>
    toReplayed(seen, { state: { ...one, fidelity: 'sidecar' }, baseline: undefined, most: 1 }).gained.count;
  expect([gains(shopState), gains(state)]).toEqual([0, 1]);
});

test('the reader finds what usage finds, as text', async () => {
  const own = toUnused(log, { state: shopState, most: 100 });
  const found = await permissionUsage(decisions, plain, { fidelity });
  expect(own.policies).toEqual({ rows: ['idle'], all: found.policies.length });
  expect(own.roles).toEqual({ rows: ['auditor'], all: found.roles.length });
  // The hash of a user may be bob's.
  expect([own.bindings, found.bindings]).toEqual([{ rows: [], all: 0 }, []]);
  const told = new LogIndex();
  for (const [i, decision] of decisions.entries()) if (!decision.subject.userHash) told.add({ line: i + 1, decision });
  expect(toUnused(told, { state: shopState, most: 100 }).bindings).toEqual({ rows: ['bob → clerk'], all: 1 });
  expect(own.statements.rows).toEqual(['read-orders, statement 2: Allow orders:list on *']);
  expect(own).toMatchObject({ since: '2026-11-20T12:00:00Z', users: 3, days: 1 });
});
