import { createClient } from 'arango-services';
import { createPermissionStore, createSession } from 'arango-services/session';

// The page is served from the origin of the deployment.
const connection = { url: location.origin, timeout: 10_000 };

/** The user's session; with this store a reload keeps it. */
export const session = createSession({ ...connection, store: 'sessionStorage' });
export const client = createClient({ ...connection, credentials: session });
export const permissions = createPermissionStore({ ask: client, ttl: '30s', session });
