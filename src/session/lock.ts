import { sleep } from '../lib/wait.js';
import type { Shelf } from './shelf.js';

/** The age at which a lease is taken over: its work has timed out by then, or its tab was closed. */
const leaseMs = 30_000;
const firstLookMs = 50;
const lookEveryMs = 100;

/**
 * Takes a lease in a shared store, for engines without Web Locks: it is held if it is still there a moment after the
 * write.
 */
async function underLease(name: string, shelf: Shelf, work: () => Promise<void>): Promise<void> {
  const key = `${name} lease`;
  const id = `${Math.random()}`;
  for (let isMine = false; !isMine; ) {
    const [owner, takenAt] = (await shelf.read(key))?.split(' ') ?? [];
    isMine = owner === id;
    // The clock may have been set back since.
    if (!isMine && Math.abs(Date.now() - Number(takenAt ?? 0)) < leaseMs) await sleep(lookEveryMs);
    else if (!isMine) {
      // A failing store is shared with no other tab.
      if (!(await shelf.write(key, `${id} ${Date.now()}`))) break;
      await sleep(firstLookMs + lookEveryMs * Math.random());
    }
  }
  try {
    await work();
  } finally {
    await shelf.remove(key);
  }
}

/** Runs work in one tab at a time: under a Web Lock, or a lease in the store if there are no Web Locks. */
export async function exclusively(name: string, shelf: Shelf, work: () => Promise<void>): Promise<void> {
  let isBegun = false;
  const begin = () => {
    isBegun = true;
    return work();
  };
  try {
    const locks = globalThis.navigator?.locks;
    if (locks) return await locks.request(name, begin);
  } catch (error) {
    // In pages without an origin, requests for locks are rejected.
    if (isBegun) throw error;
  }
  return underLease(name, shelf, work);
}
