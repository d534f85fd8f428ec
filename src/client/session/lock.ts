import { childController, sleep } from '../../base/lib/wait.js';
import type { Shelf } from './shelf.js';

/** The age at which another tab takes over a lease: by then the work has timed out, or the tab was closed. */
const leaseMs = 30_000;
const firstLookMs = 50;
const lookEveryMs = 100;

/**
 * Takes a lease in a shared store, for engines without Web Locks: the lease counts as taken if it is still there a
 * moment after the write. Returns false if the signal aborts first.
 */
async function underLease(
  name: string,
  shelf: Shelf,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const key = `lease ${name}`;
  const id = `${Math.random()}`;
  const read = async () => (await shelf.read(key))?.split(' ') ?? [];
  const release = async () => {
    const [owner] = await read();
    if (owner === id) await shelf.remove(key);
  };
  while (!signal.aborted) {
    const [owner, takenAt] = await read();
    if (owner === id) {
      await work().finally(release);
      return true;
    }
    // The clock may have been set back since the lease was taken.
    if (Math.abs(Date.now() - Number(takenAt ?? 0)) < leaseMs) {
      await sleep(lookEveryMs, { signal });
      continue;
    }
    const startedAt = performance.now();
    // If the store fails, no other tab shares it, so no lease is needed.
    if (!(await shelf.write(key, `${id} ${Date.now()}`))) {
      await work();
      return true;
    }
    // Another tab may have begun to write before it could see this lease.
    const writtenInMs = performance.now() - startedAt;
    await sleep(firstLookMs + 2 * writtenInMs + lookEveryMs * Math.random(), { signal });
  }
  await release();
  return false;
}

/** Limits for waiting on the lock. */
export type LockLimits = { readonly signal: AbortSignal; readonly ms: number };

/**
 * Runs work in one tab at a time of those that share the store: under a Web Lock, or a lease in the store if there are
 * no Web Locks. Returns false without running it if the signal aborts or the time is up before the lock is free.
 */
export async function exclusively(
  name: string,
  shelf: Shelf,
  work: () => Promise<void>,
  { signal, ms }: LockLimits,
): Promise<boolean> {
  if (!shelf.isShared) return work().then(() => true);
  const waiting = childController(signal);
  const timer = setTimeout(() => waiting.abort(), ms);
  let isBegun = false;
  const begin = () => {
    isBegun = true;
    clearTimeout(timer);
    return work();
  };
  const request = async (): Promise<boolean> => {
    try {
      await globalThis.navigator.locks.request(name, { signal: waiting.signal }, begin);
      return true;
    } catch (error) {
      if (isBegun) throw error;
      // There are no Web Locks, or requests are rejected because the page has no origin.
      return underLease(name, shelf, begin, waiting.signal);
    }
  };
  return request().finally(() => {
    clearTimeout(timer);
    // Removes the listener from the caller's signal.
    waiting.abort();
  });
}
