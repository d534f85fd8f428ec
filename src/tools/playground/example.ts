import type { SharedConfig } from './shared-state.js';

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** The initial state of a playground whose address contains none: a shop with a clerk and a manager. */
export const example: SharedConfig = {
  policies: {
    'read-orders': {
      statements: [{ effect: 'Allow', actions: ['orders:read', 'orders:list'], resources: ['order:*'] }],
    },
    'write-orders': { statements: [{ effect: 'Allow', actions: ['orders:write'], resources: ['order:*'] }] },
    'no-archive': { statements: [{ effect: 'Deny', actions: ['orders:*'], resources: ['order:archive*'] }] },
  },
  roles: {
    clerk: { policies: ['read-orders'] },
    manager: { policies: ['read-orders', 'write-orders', 'no-archive'] },
  },
  bindings: [
    { user: 'alice', role: 'clerk', scope: everywhere },
    { user: 'bob', role: 'manager', scope: everywhere },
  ],
};
