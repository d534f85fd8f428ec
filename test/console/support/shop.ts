import type { MockConfig } from '../../../src/mock/index.js';

/** Texts that must never leave the console, unless they are asked for. */
export const canaries = { password: 'canary-password-71', key: 'canary-key-with-more-than-enough-bytes-72' };

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** A shop with three users: alice reads orders, bob may not delete them, and carol has no role. */
export const shop = {
  authentication: { keys: { active: canaries.key } },
  users: [{ name: 'root' }, { name: 'alice', password: canaries.password }],
  policies: {
    reader: {
      statements: [
        { effect: 'Allow', actions: ['orders:read'], resources: ['order:*'] },
        { effect: 'Allow', actions: ['orders:list'], resources: ['orders'] },
      ],
    },
    careful: { statements: [{ effect: 'Deny', actions: ['orders:delete'], resources: ['*'] }] },
  },
  roles: { viewer: { policies: ['reader'] }, clerk: { policies: ['reader', 'careful', 'lost'] } },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    {
      user: 'bob',
      role: 'clerk',
      scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['order:1'] }] },
    },
  ],
} satisfies MockConfig;

/** The path of the call that decides. */
export const evaluatePath = '/_integration/authorization/v1/evaluate';
