import { Database } from 'arangojs';
import { isArangoError } from 'arangojs/errors';

export interface Order {
  readonly id: string;
  readonly total: number;
}

export function createOrders(url: string, token: string) {
  const orders = new Database({ url, databaseName: 'shop', auth: { token } }).route('orders');
  return {
    async open(limit: number): Promise<Order[]> {
      return (await orders.get('open', { limit })).parsedBody;
    },
    async find(id: string): Promise<Order | undefined> {
      try {
        return (await orders.get(encodeURIComponent(id))).parsedBody;
      } catch (error) {
        if (isArangoError(error) && error.code === 404) return undefined;
        throw error;
      }
    },
    async cancel(id: string, why: string): Promise<string> {
      const request = { method: 'DELETE', pathname: `/${encodeURIComponent(id)}`, body: { why } };
      return orders.request(request).then(
        () => 'cancelled',
        (error) => (isArangoError(error) ? error.message : 'failed'),
      );
    },
  };
}
