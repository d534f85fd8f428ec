import { createClient } from 'arango-services';
import { createPermissionStore, createSession } from 'arango-services/session';

// The page is served from the origin of the gateway.
const gateway = createClient({ url: location.origin, gateway: true, timeout: 10_000 });

/** The user's session; with this store a reload keeps it. The orders service renews its token. */
export const session = createSession(gateway, {
  store: 'sessionStorage',
  async renew(current) {
    const { body } = await gateway.with({ credentials: current }).service('orders').post<{ token: string }>('token');
    return body.token;
  },
});
export const client = gateway.with({ credentials: session });
export const permissions = createPermissionStore({
  ask: client.service('orders').route('permissions'),
  ttl: '30s',
  session,
});
