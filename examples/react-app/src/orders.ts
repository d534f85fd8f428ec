import * as z from 'zod/mini';
import { client } from './platform.ts';

const Order = z.object({ id: z.string(), state: z.enum(['open', 'closed']), total: z.number() });
export type Order = z.infer<typeof Order>;

const orders = client.service('orders');
const list = orders.with({ schema: z.array(Order) });
const one = orders.with({ schema: Order });

export const listOrders = async (signal: AbortSignal) => (await list.with({ signal }).get('/')).body;
export const addOrder = async (total: number) => (await one.post('/', { total })).body;
export const exportOrders = async () => (await orders.with({ responseType: 'blob' }).get<Blob>('export')).body;
