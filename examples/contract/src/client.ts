import type { Client } from 'arango-services';
import { allowedOperations, typed } from 'arango-services/openapi';
import document from '../openapi.json' with { type: 'json' };
import type { paths } from './openapi.d.ts';

/** What a page does with orders. */
export function createOrders(client: Client) {
  const orders = typed<paths>(client.service('orders'));
  return {
    async totalOf(id: number): Promise<number | undefined> {
      const answer = await orders.get('/orders/{id}', { path: { id }, allowStatus: [404] });
      return answer.status === 404 ? undefined : answer.body.total;
    },
    async add(total: number): Promise<number> {
      const { body } = await orders.post('/orders', { body: { total } });
      return body.id;
    },
    /** True if the user may press the button. */
    async mayDelete(id: number): Promise<boolean> {
      const allowed = await allowedOperations<paths>(client, document, { path: { id } });
      return allowed.some(({ method, path }) => method === 'delete' && path === '/orders/{id}');
    },
  };
}
