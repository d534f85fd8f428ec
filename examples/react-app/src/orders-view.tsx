import { isHttpError } from 'arango-services';
import { Can } from 'arango-services/react';
import { useCallback, useEffect, useState } from 'react';
import { addOrder, exportOrders, listOrders, type Order } from './orders.ts';
import { permissions } from './platform.ts';
import { toast, toastError } from './toasts.tsx';

export function Orders() {
  const [orders, setOrders] = useState<readonly Order[]>([]);

  const refresh = useCallback((signal: AbortSignal) => {
    const fail = (error: unknown) => signal.aborted || toastError(error);
    listOrders(signal).then(setOrders, fail);
  }, []);
  useEffect(() => {
    const controller = new AbortController();
    refresh(controller.signal);
    return () => controller.abort();
  }, [refresh]);

  async function add(): Promise<void> {
    try {
      const order = await addOrder(10);
      setOrders((before) => [...before, order]);
    } catch (error) {
      // The button should not have been there: ask again.
      if (isHttpError(error) && error.status === 403) permissions.invalidate();
      toastError(error);
    }
  }
  const download = () => exportOrders().then((file) => toast(`The file has ${file.size} bytes.`), toastError);

  return (
    <section>
      <ul>
        {orders.map(({ id, state, total }) => (
          <li key={id}>
            Order {id}, {state}: {total.toFixed(2)}
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => refresh(AbortSignal.timeout(10_000))}>
        Refresh
      </button>
      <Can action="orders:write" resource="orders">
        <button type="button" onClick={add}>
          New order
        </button>
      </Can>
      <button type="button" onClick={download}>
        Export
      </button>
    </section>
  );
}
