import { createClient, credentials, isHttpError } from 'arango-services';

export interface Order {
  readonly id: string;
  readonly total: number;
}

export function createOrders(url: string, token: string) {
  const client = createClient({ url, database: 'shop', credentials: credentials.bearer(token) });
  const orders = client.route('orders');
  return {
    async open(limit: number): Promise<Order[]> {
      return (await orders.get<Order[]>('open', { limit })).body;
    },
    async find(id: string): Promise<Order | undefined> {
      const found = await orders.with({ allowStatus: [404] }).get<Order>([id]);
      return found.ok ? found.body : undefined;
    },
    async cancel(id: string, why: string): Promise<string> {
      return orders.request({ method: 'DELETE', path: [id], body: { why } }).then(
        () => 'cancelled',
        (error) => (isHttpError(error) ? error.reason : 'failed'),
      );
    },
  };
}
