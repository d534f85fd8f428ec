/** An order of this service's own small store. */
export interface Order {
  readonly id: string;
  readonly state: 'open' | 'paid';
  readonly total: number;
}

/** The resource of an order in the policies. */
export const resourceOf = ({ state, id }: Pick<Order, 'state' | 'id'>) => `order:${state}:${id}`;

/** The store: three orders to begin with. */
export function createOrders() {
  const orders = new Map<string, Order>([
    ['1', { id: '1', state: 'open', total: 12 }],
    ['2', { id: '2', state: 'open', total: 30.5 }],
    ['3', { id: '3', state: 'paid', total: 7 }],
  ]);
  return {
    list: () => [...orders.values()],
    find: (id: string) => orders.get(id),
    add(total: number): Order {
      const order: Order = { id: String(orders.size + 1), state: 'open', total };
      orders.set(order.id, order);
      return order;
    },
  };
}
