import { expect, test } from 'vitest';
import { permissionUsage } from '../../../../src/policy/analysis/index.ts';
import type { PolicyState } from '../../../../src/policy/index.ts';
import { decisionOf, everywhere } from './support.ts';

const state: PolicyState = {
  policies: {
    reader: {
      statements: [
        { effect: 'Allow', actions: ['orders:read'], resources: ['order:*'] },
        { effect: 'Allow', actions: ['orders:write'], resources: ['order:*'] },
        { effect: 'Deny', actions: ['*'], resources: ['order:secret:*'] },
      ],
    },
    idle: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] },
  },
  roles: { viewer: { policies: ['reader'] }, owner: { policies: ['idle'] } },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    { user: 'bob', role: 'viewer', scope: everywhere },
    { user: 'bob', role: 'owner', scope: everywhere },
  ],
};

test('parts that decided nothing are listed, with the days of the log', async () => {
  const found = await permissionUsage(
    [decisionOf(), decisionOf({ resource: 'order:secret:1', effect: 'Deny' })],
    state,
  );
  expect(found).toEqual({
    log: {
      count: 2,
      firstSeen: '2026-11-23T12:00:00Z',
      lastSeen: '2026-11-23T12:00:00Z',
      questions: 2,
      users: 1,
      days: 1,
    },
    statements: [
      { policy: 'idle', statement: 0 },
      { policy: 'reader', statement: 1 },
    ],
    policies: ['idle'],
    roles: ['owner'],
    bindings: [
      { user: 'bob', role: 'viewer' },
      { user: 'bob', role: 'owner' },
    ],
    undecided: { count: 0, firstSeen: undefined, lastSeen: undefined, groups: [] },
  });
});

test('each statement that allows a question counts, and a Deny only if it decided', async () => {
  const { statements } = await permissionUsage(
    [decisionOf({ subject: { user: 'bob' } }), decisionOf({ subject: { user: 'bob' }, resource: 'order:secret:1' })],
    state,
  );
  // The owner may read the secret, so the Deny of the viewer decided nothing.
  expect(statements).toEqual([
    { policy: 'reader', statement: 1 },
    { policy: 'reader', statement: 2 },
  ]);
});

test('nothing is used without decisions, and a superuser uses nothing', async () => {
  const unused = await permissionUsage([], state);
  expect(unused.statements).toHaveLength(4);
  expect(unused.log).toMatchObject({ count: 0, days: 0, firstSeen: undefined });
  const { statements, log } = await permissionUsage([decisionOf({ subject: {} })], state);
  expect([statements.length, log.users]).toEqual([4, 0]);
});
