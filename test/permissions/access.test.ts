import { describe, expect, test } from 'vitest';
import {
  explainAccess,
  findHolders,
  formatExplainedAccess,
  formatHolders,
  PermissionsError,
  type PermissionsState,
  readPermissions,
} from '../../src/permissions/index.ts';
import type { Policy } from '../../src/policy/index.ts';

const everywhere: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
const reader: Policy = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['orders:*'] }] };
const state: PermissionsState = {
  policies: new Map([['reader', reader]]),
  roles: new Map([['viewer', { policies: ['reader'] }]]),
  bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
  users: 'all',
};
const files = () =>
  readPermissions('p.yaml', {
    read: () => `
policies: { reader: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["orders:*"] }] } }
roles: { viewer: { policies: [reader] } }
bindings: [{ user: alice, role: viewer, scope: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }]
`,
  });
const question = { action: 'orders:read', resource: 'orders:7' };

const explanation = `Allow: user "alice", "orders:read" on "orders:7": granted
- bound to role "viewer": allows
    policy "reader" statement 0: Allow orders:read on orders:*
    scope statement 0: Allow * on *`;
const holders = `user "alice"
    by role "viewer", policy "reader" statement 0
requests that name the role "viewer"
    by role "viewer", policy "reader" statement 0`;
const fromFiles = 'By the files alone: a deployment may have more policies, roles and bindings.';

describe('access', () => {
  test('is explained for a user, and says if it holds for the files alone', async () => {
    const alice = { user: 'alice', ...question };
    expect(formatExplainedAccess(explainAccess(state, alice))).toBe(explanation);
    expect(formatExplainedAccess(explainAccess({ ...state, users: ['alice'] }, alice))).toBe(explanation);
    expect(formatExplainedAccess(explainAccess(await files(), alice))).toBe(`${explanation}\n\n${fromFiles}`);
    const { known, explanation: data } = explainAccess(await files(), { user: 'eve', ...question });
    expect([known, data.reason]).toEqual(['files', 'no-binding']);
  });

  test('of a user whose bindings are not known is refused', () => {
    const eve = { user: 'eve', ...question };
    expect(explainAccess(state, eve).explanation.reason).toBe('no-binding');
    expect(() => explainAccess({ ...state, users: ['alice'] }, eve)).toThrow(PermissionsError);
    expect(() => explainAccess({ ...state, users: ['alice'] }, eve)).toThrow(
      'The bindings of user "eve" are not known',
    );
  });

  test('has its holders, and says if they are among the known users only', async () => {
    expect(formatHolders(findHolders(state, question))).toBe(holders);
    expect(formatHolders(findHolders(await files(), question))).toBe(`${holders}\n\n${fromFiles}`);
    expect(formatHolders(findHolders({ ...state, users: ['alice', 'bob'] }, question))).toBe(
      `${holders}\n\nBy the bindings of 2 named users; those of others are not known.`,
    );
    expect(formatHolders(findHolders(state, { ...question, action: 'orders:write' }))).toBe('No user has it.');
  });

  test('may be asked for patterns, and by the rules of a fidelity', () => {
    const some = { action: 'orders:*', resource: 'orders:7' };
    expect(findHolders(state, some).holders).toEqual([]);
    expect(findHolders(state, some, { match: 'any', fidelity: 'sidecar' }).holders).toMatchObject([{ user: 'alice' }]);
  });

  test('is data as JSON', () => {
    const { holders: found, known } = JSON.parse(
      formatHolders(findHolders({ ...state, users: ['alice'] }, question), 'json'),
    );
    expect([found[0].user, known]).toEqual(['alice', ['alice']]);
    const explained = explainAccess(state, { user: 'alice', ...question });
    expect(JSON.parse(formatExplainedAccess(explained, 'json'))).toEqual(JSON.parse(JSON.stringify(explained)));
  });
});
