import * as z from 'zod/mini';
import { client } from './platform.ts';

const Order = z.object({ id: z.string(), state: z.enum(['open', 'closed']), total: z.number() });
export type Order = z.infer<typeof Order>;

const orders = client.route('orders');
const list = orders.with({ schema: z.array(Order) });
const one = orders.with({ schema: Order });

export const listOrders = async (signal: AbortSignal) => (await list.with({ signal }).get('')).body;
export const addOrder = async (total: number) => (await one.post('', { total })).body;

/** The orders as a file. The page writes it itself, so it asks first. */
export async function exportOrders(all: readonly Order[]): Promise<Blob> {
  await client.authorization.assertAllowed({ self: true, action: 'orders:export', resource: 'orders' });
  const lines = all.map(({ id, state, total }) => `${id},${state},${total}`);
  return new Blob([['id,state,total', ...lines].join('\n')], { type: 'text/csv' });
}
