import { type ClientOptions, createClient } from 'arango-services';
import * as z from 'zod/mini';

const Order = z.object({ id: z.string(), total: z.number() });
export type Order = z.infer<typeof Order>;

/** The application: a service behind the database, and a check of its readers' permissions. */
export function createShop(options: ClientOptions) {
  const client = createClient({ database: 'shop', ...options });
  const orders = client.route('orders').with({ schema: z.array(Order), timeout: 2_000 });

  return {
    /** Open orders, for users who may read orders. */
    async openOrders(user: string): Promise<Order[]> {
      await client.authorization.assertAllowed({ user, action: 'orders:read', resource: 'orders' });
      return (await orders.get('open')).body;
    },

    /** Polls for new orders every minute until stopped. A failed round is skipped. */
    watch(onOrders: (orders: Order[]) => void): () => void {
      const look = () =>
        orders.get('open').then(
          ({ body }) => onOrders(body),
          () => {},
        );
      const timer = setInterval(look, 60_000);
      return () => clearInterval(timer);
    },
  };
}
