import type { DecisionLine } from '../../../src/policy/decision-line/line.js';

/** A decision of a log, with some fields of its own. */
export const decisionOf = (changes: Partial<DecisionLine> = {}): DecisionLine => ({
  v: 1,
  kind: 'decision',
  time: '2026-11-20T12:00:00Z',
  subject: { user: 'alice' },
  action: 'orders:read',
  resource: 'order:1',
  effect: 'Allow',
  enforced: true,
  ...changes,
});

/** A log of this package as bytes. */
export const bytesOf = (lines: readonly (DecisionLine | string)[]): Uint8Array =>
  new TextEncoder().encode(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));

const everywhere = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };

/** A state as the page has it: a clerk who reads orders, and a role that nobody has. */
export const shopState = {
  fidelity: 'documented' as const,
  policies: [
    {
      name: 'read-orders',
      policy: {
        statements: [
          { effect: 'Allow' as const, actions: ['orders:read'], resources: ['order:*'] },
          { effect: 'Allow' as const, actions: ['orders:list'], resources: ['*'] },
        ],
      },
    },
    { name: 'idle', policy: everywhere },
  ],
  roles: [
    { name: 'clerk', role: { policies: ['read-orders'] } },
    { name: 'auditor', role: { policies: ['idle'] } },
  ],
  groupBindings: [],
  bindings: [
    { user: 'alice', role: 'clerk', scope: everywhere },
    { user: 'bob', role: 'clerk', scope: null },
  ],
};
