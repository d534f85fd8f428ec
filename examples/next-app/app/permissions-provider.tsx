'use client';
import { createClient, credentials } from 'arango-services';
import { SessionProvider } from 'arango-services/react';
import { createPermissionStore, type InitialPermissions } from 'arango-services/session';
import { type ReactNode, useState } from 'react';

// Evaluated on the server, too, where nothing is sent with it.
const url = globalThis.location?.origin ?? 'http://localhost';
const client = createClient({ url, gateway: true, credentials: credentials.cookies() });

/** Gives what the server decided to the hooks below. Each render of a server has a store of its own. */
export function Permissions({ initial, children }: { initial: InitialPermissions; children: ReactNode }) {
  const [permissions] = useState(() => createPermissionStore({ ask: client.absoluteRoute('permissions'), initial }));
  return <SessionProvider permissions={permissions}>{children}</SessionProvider>;
}
