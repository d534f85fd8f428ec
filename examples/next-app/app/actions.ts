'use server';
import { revalidatePath } from 'next/cache';
import { headers } from 'next/headers';
import { guard, ordersOf } from './guard.ts';

/** Adds an order. An action is an address that any program may call, so it checks its caller as a handler does. */
export async function addOrder(_previous: string, form: FormData): Promise<string> {
  const access = await guard.check({ headers: await headers() }, { action: 'orders:write', resource: 'orders' });
  if (!access.allowed) return access.status === 503 ? 'Try again later.' : 'You may not add orders.';
  const total = Number(form.get('total'));
  if (!(total > 0 && total < Number.POSITIVE_INFINITY)) return 'The total is not a positive number.';
  const added = await ordersOf(access.token).post({ total }).catch(console.error); // it logs nothing of the body
  if (added === undefined) return 'Try again later.';
  revalidatePath('/');
  return 'Added.';
}
