'use client';
import { createClient, credentials } from 'arango-services';
import { Can, SessionProvider, useCan, useUser } from 'arango-services/react';
import { createPermissionStore, type InitialPermissions } from 'arango-services/session';
import { useActionState, useState } from 'react';
import { addOrder } from './actions.ts';

// Evaluated on the server, too, where nothing is sent with it.
const url = globalThis.location?.origin ?? 'http://localhost';
const client = createClient({ url, gateway: true, credentials: credentials.cookies() });

/** Gives what the server decided to the hooks below. Each render of a server has a store of its own. */
export function Orders({ initial, ids }: { initial: InitialPermissions; ids: string[] }) {
  const [permissions] = useState(() => createPermissionStore({ ask: client.absoluteRoute('permissions'), initial }));
  return (
    <SessionProvider permissions={permissions}>
      <List ids={ids} />
    </SessionProvider>
  );
}

function List({ ids }: { ids: string[] }) {
  const [outcome, add] = useActionState(addOrder, '');
  return (
    <main data-export={String(useCan('orders:export', 'orders'))}>
      <p>{`Orders of ${useUser()}: ${ids.join(', ')}`}</p>
      <Can action="orders:write" resource="orders" otherwise={<p>Read only</p>}>
        <form action={add}>
          <input name="total" type="number" aria-label="Total" required />
          <button type="submit">New order</button>
          <output>{outcome}</output>
        </form>
      </Can>
    </main>
  );
}
