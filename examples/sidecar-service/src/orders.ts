import type { Client } from 'arango-services';
import { aql, Database } from 'arangojs';

type Order = { readonly state: 'open' | 'paid'; readonly total: number };

export type Orders = ReturnType<typeof openOrders>;

/** The orders in the database, by its driver, which sends the token of the client. */
export function openOrders(url: string, databaseName: string, client: Client) {
  const db = new Database({
    url,
    databaseName,
    timeout: 5_000,
    beforeRequest: async ({ headers }) => headers.set('authorization', `Bearer ${await client.freshToken()}`),
  });
  const [orders, positions] = [db.collection<Order>('orders'), db.collection<{ id: string }>('positions')];

  return {
    async find(id: string): Promise<(Order & { readonly id: string }) | undefined> {
      const found = await orders.document(id, { graceful: true });
      return found ? { id, state: found.state, total: found.total } : undefined;
    },
    /** Marks an order as paid, and stores the id of the event. Doing it twice changes nothing. */
    async markPaid(order: string, event: string): Promise<void> {
      await db.query(aql`FOR o IN orders FILTER o._key == ${order} UPDATE o WITH { state: 'paid' } IN orders`);
      await positions.save({ _key: 'payments', id: event }, { overwriteMode: 'replace' });
    },
    /** The id of the last event that was stored, for the next process. */
    lastPayment: async () => (await positions.document('payments', { graceful: true }))?.id ?? '',
    /** Rejects if the database does not answer. */
    ping: () => db.version(),
    close: () => db.close(),
  };
}
