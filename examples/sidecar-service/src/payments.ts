import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'arango-services';
import { events } from 'arango-services/stream';
import type { Logger } from 'pino';
import type { Orders } from './orders.ts';

/** Marks orders as paid when billing reports payments. Ends when `signal` aborts. */
export async function followPayments(client: Client, orders: Orders, log: Logger, signal: AbortSignal): Promise<void> {
  // A stream has no deadline; one that is silent for a minute is opened again.
  const limits = { timeout: 0, idleTimeoutMs: 60_000 };
  const billing = client.service('billing').with({ responseType: 'stream', operation: 'followPayments', ...limits });
  while (!signal.aborted) {
    try {
      const last = await orders.lastPayment();
      const resume = async (headers: Readonly<Record<string, string>>) =>
        (await billing.with({ headers: { 'last-event-id': last, ...headers }, signal }).get('payments')).body;
      for await (const { id = '', data } of events(undefined, { resume, signal })) {
        await orders.markPaid(String(JSON.parse(data).order), id);
      }
    } catch (error) {
      // `events` retries while billing is down, so this is a refusal, an invalid event, or a failure of the database.
      if (!signal.aborted) log.error(error, 'payments are not followed');
    }
    await sleep(5_000, undefined, { signal }).catch(() => undefined);
  }
}
