import { describe, expect, test } from 'vitest';
import { readPermissions } from '../../../src/permissions/index.ts';
import { permissionMatchers } from '../../../src/permissions/matchers/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';

expect.extend(permissionMatchers);

const shop = `
policies:
  reader: { statements: [{ effect: Allow, actions: ["orders:read"], resources: ["order:*"] }] }
roles:
  viewer: { policies: [reader] }
bindings:
  - { user: alice, role: viewer, scope: { statements: [{ effect: Allow, actions: ["*"], resources: ["*"] }] } }
`;
const permissions = await readPermissions('shop.yaml', { read: () => shop });
const read = { user: 'alice', action: 'orders:read', resource: 'order:7' };
const write = { user: 'alice', action: 'orders:write', resource: 'order:7' };

const { policies, roles, bindings } = permissions;
const evaluator = createEvaluator(permissions);
const states = new Map<string, unknown>([
  ['permissions of files', permissions],
  ['a state of policies', { policies, roles, bindings }],
  ['an evaluator', evaluator],
  ['a replica', { evaluator: () => evaluator }],
]);

/** The message of an assertion that fails. */
function messageOf(assertion: () => void): string {
  try {
    assertion();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('it passed');
}

describe('toAllow and toDeny', () => {
  test.each([...states.keys()])('pass by the decision of %s, and fail behind not', (name) => {
    const state = states.get(name);
    expect(state).toAllow(read);
    expect(state).toDeny(write);
    expect(state).not.toAllow(write);
    expect(state).not.toDeny(read);
    expect(messageOf(() => expect(state).toAllow(write))).toMatch(/^expected Allow, got Deny: user "alice", /);
    expect(messageOf(() => expect(state).toDeny(read))).toMatch(/^expected Deny, got Allow: user "alice", /);
    expect(messageOf(() => expect(state).not.toAllow(read))).toMatch(/^expected Deny, got Allow: user "alice", /);
    expect(messageOf(() => expect(state).not.toDeny(write))).toMatch(/^expected Allow, got Deny: user "alice", /);
  });

  test('explain the decision, with the places of files', () => {
    expect(messageOf(() => expect(permissions).toDeny(read))).toBe(
      `expected Deny, got Allow: user "alice", "orders:read" on "order:7": granted
- bound to role "viewer": allows
    policy "reader" statement 1: Allow orders:read on order:*
    scope statement 1: Allow * on *
  at shop.yaml:7:5 (binding to role "viewer")
  at shop.yaml:3:26 (policy "reader" statement 1)`,
    );
  });

  test.each<[unknown, unknown, RegExp]>([
    [
      evaluator,
      { usr: 'alice', action: 'a:b', resource: 'r' },
      /^toDeny\.usr: unknown \(did you mean "user"\?\); accepted are user, superuser, roles, /,
    ],
    [evaluator, { action: 'a:b', resource: 'r' }, /^toDeny: expected \{ user \}, /],
    [evaluator, { user: 'alice', action: 'a:b' }, /^toDeny\.resource: expected a string, got undefined/],
    [evaluator, { user: 'alice', action: 'orders:*', resource: 'r' }, /^toDeny: action: must name one action, /],
    [evaluator, undefined, /^toDeny: expected \{ user \}, .*, got undefined/],
    [Promise.resolve(evaluator), read, /^state: expected policies, roles, bindings or an evaluator, got /],
    [undefined, read, /^state: expected policies, roles, bindings or an evaluator, got undefined/],
    [
      { policies, roles, bindings, users: ['alice'] },
      { ...read, user: 'eve' },
      /^toDeny: the bindings of user "eve" are not known/,
    ],
  ])('refuse %o asked %o', (state, question, message) => {
    // The cast: a test of bad input.
    const ask = question as typeof read;
    expect(messageOf(() => expect(state).toDeny(ask))).toMatch(message);
    // Not a Deny, so `.not` does not turn it into a pass.
    expect(messageOf(() => expect(state).not.toDeny(ask))).toMatch(message);
  });
});
