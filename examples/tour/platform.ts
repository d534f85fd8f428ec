// The platform of the tour: who may do what, and one application service behind the database.
import type { CustomHandler, MockConfig } from 'arango-services/mock';

/** A scope, or a policy, that allows everything. */
export const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

export const platform: MockConfig = {
  users: [{ name: 'alice', password: 'pw' }],
  policies: {
    'read-orders': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['orders', 'orders:*'] }] },
    'no-secrets': { statements: [{ effect: 'Deny', actions: ['orders:*'], resources: ['orders:secret'] }] },
  },
  roles: { viewer: { policies: ['read-orders', 'no-secrets'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
};

/** An orders service with a little state. */
export function ordersService(): CustomHandler {
  const open = [
    { id: 'o-1', total: 12 },
    { id: 'o-2', total: 30.5 },
  ];
  return async ({ method, params, query, headers, body }) => {
    const path = params['*'];
    if (method === 'POST' && path === '') {
      open.push(body as (typeof open)[number]); // The tour's own order.
      return { status: 201, body: { accepted: body, tenant: headers.get('x-tenant') } };
    }
    if (path === 'open') return { body: open.slice(0, Number(query.get('limit') ?? open.length)) };
    if (path?.startsWith('archive/')) {
      return {
        body: { archived: path.slice('archive/'.length), year: headers.get('x-year'), tenant: headers.get('x-tenant') },
      };
    }
    if (path === 'slow') await new Promise((resolve) => setTimeout(resolve, 300));
    return { status: 404, body: { error: true, code: 404, errorNum: 1202, errorMessage: `no order '${path}'` } };
  };
}
