import type { Policy } from '../../dist/index.js';
import type { Binding } from '../../dist/policy/index.js';

const allow = (action: string, resource: string): Policy => ({
  statements: [{ effect: 'Allow', actions: [action], resources: [resource] }],
});

export const secret = 'the secret of the benchmark, which is long enough';
export const question = { action: 'orders:read', resource: 'order:open:7' };

/** A thousand users with a role each; alice is one of them. */
export const state = {
  policies: { reader: allow('orders:read', 'order:*') },
  roles: { viewer: { policies: ['reader'] } },
  bindings: ['alice', ...Array.from({ length: 999 }, (_, i) => `user-${i}`)].map(
    (user): Binding => ({ user, role: 'viewer', scope: allow('*', '*') }),
  ),
};
