'use client';
import { Can, useCan, useUser } from 'arango-services/react';
import { useActionState } from 'react';
import { addOrder } from './actions.ts';

export function Orders({ orders }: { orders: readonly { id: string }[] }) {
  const [said, add, isAdding] = useActionState(addOrder, '');
  return (
    <main data-export={String(useCan('orders:export', 'orders'))}>
      <p>{`Orders of ${useUser()}: ${orders.map(({ id }) => id).join(', ')}`}</p>
      <Can action="orders:write" resource="orders" otherwise={<p>Read only</p>}>
        <form action={add}>
          <input name="total" type="number" aria-label="Total" required />
          <button type="submit" disabled={isAdding}>
            New order
          </button>
          <output>{said}</output>
        </form>
      </Can>
    </main>
  );
}
