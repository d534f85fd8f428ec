import { headers } from 'next/headers';
import { ordersOf } from './guard.ts';
import { Orders } from './orders.tsx';
import { questions, readPermissions, readToken } from './platform.ts';

// Reading the headers renders the page anew for each request.
export default async function Page() {
  const caller = await headers();
  const initial = await readPermissions(caller, questions);
  if (!initial) return <p>Please sign in.</p>;
  // The service of the route decides which orders this caller may see.
  const { body: orders } = await ordersOf(readToken(caller) ?? '').get<{ id: string }[]>();
  return <Orders key={initial.user} initial={initial} ids={orders.map(({ id }) => id)} />;
}
