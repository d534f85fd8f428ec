import { describe, expect, test } from 'vitest';
import {
  answerWhoCan,
  explainAccess,
  formatExplainedAccess,
  formatWhoCan,
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
    policy "reader" statement 1: Allow orders:read on orders:*
    scope statement 1: Allow * on *`;
const holders = `user "alice"
    by role "viewer", policy "reader" statement 1
requests that name the role "viewer"
    by role "viewer", policy "reader" statement 1`;
const rules = '\n\nBy the documented rules.';
const other = (text: string) => `\nBy the rules of the deployed services (sidecar) ${text} (--fidelity sidecar).`;
const ignored = other('not: requests that name the role "viewer"');
const fromFiles =
  'By the documented rules and the files alone: a deployment may have more policies, roles and bindings.';

describe('access', () => {
  test('is explained for a user, and says if it holds for the files alone', async () => {
    const alice = { user: 'alice', ...question };
    expect(formatExplainedAccess(explainAccess(state, alice))).toBe(`${explanation}${rules}`);
    expect(formatExplainedAccess(explainAccess({ ...state, users: ['alice'] }, alice))).toBe(`${explanation}${rules}`);
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

  test('has its holders, and says if only known users were searched', async () => {
    expect(formatWhoCan(answerWhoCan(state, question))).toBe(`${holders}${rules}${ignored}`);
    expect(formatWhoCan(answerWhoCan(await files(), question))).toBe(`${holders}\n\n${fromFiles}`);
    expect(formatWhoCan(answerWhoCan({ ...state, users: ['alice', 'bob'] }, question))).toBe(
      `${holders}\n\nBy the documented rules and the bindings of 2 named users; those of others are not known.${ignored}`,
    );
    expect(formatWhoCan(answerWhoCan(state, { ...question, action: 'orders:write' }))).toBe(`No user has it.${rules}`);
  });

  test('may be asked for patterns, and by the rules of a fidelity', () => {
    const some = { action: 'orders:*', resource: 'orders:7' };
    expect(answerWhoCan(state, some).holders).toEqual([]);
    expect(answerWhoCan(state, some, { match: 'any', fidelity: 'sidecar' }).holders).toMatchObject([{ user: 'alice' }]);
  });

  test('groups users with the same reasons, and counts those who have some of a pattern', () => {
    const users = ['a', 'b', 'c', 'd', 'e'];
    const many = { ...state, bindings: users.map((user) => ({ user, role: 'viewer', scope: everywhere })) };
    const found = answerWhoCan(many, question, { fidelity: 'sidecar' });
    expect(formatWhoCan(found)).toMatch(/^5 users: "a", "b", "c" and 2 more \(--all\)\n {4}by role "viewer"/);
    expect(formatWhoCan(found, 'text', { all: true })).toMatch(/^5 users: "a", "b", "c", "d", "e"\n/);
    const some = answerWhoCan(many, { action: 'orders:*', resource: '*' }, { fidelity: 'sidecar' });
    expect([some.holders, some.partly]).toEqual([[], 5]);
    expect(formatWhoCan(some)).toContain('\n5 more may do some of it: --match any\n');
    expect(answerWhoCan(many, { action: '*', resource: '*' }, { match: 'any' }).partly).toBe(0);
  });

  test('is data as JSON', () => {
    const { holders: found, known } = JSON.parse(
      formatWhoCan(answerWhoCan({ ...state, users: ['alice'] }, question), 'json'),
    );
    expect([found[0].user, known]).toEqual(['alice', ['alice']]);
    const explained = explainAccess(state, { user: 'alice', ...question });
    expect(JSON.parse(formatExplainedAccess(explained, 'json'))).toEqual(JSON.parse(JSON.stringify(explained)));
  });
});
