'use client';
import { Can, useCan, useUser } from 'arango-services/react';

export function Orders() {
  return (
    <main data-export={String(useCan('orders:export', 'orders'))}>
      <p>Orders of {useUser()}</p>
      <Can action="orders:write" resource="orders" otherwise={<p>Read only</p>}>
        <button type="button">New order</button>
      </Can>
    </main>
  );
}
