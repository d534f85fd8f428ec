import { sleep } from '../lib/wait.js';
import type { Shelf } from './shelf.js';

/** After this long a lease is taken over: the work that it is for has a timeout, and a tab may be closed. */
const leaseMs = 30_000;
const firstLookMs = 50;
const lookEveryMs = 100;

/** Takes a lease in a shared store, for engines without Web Locks: written, and still there a moment later. */
async function underLease(name: string, shelf: Shelf, work: () => Promise<void>): Promise<void> {
  const key = `${name} lease`;
  const id = `${Math.random()}`;
  for (let isMine = false; !isMine; ) {
    const [owner, takenAt] = (await shelf.read(key))?.split(' ') ?? [];
    isMine = owner === id;
    // The clock may have been set back since.
    if (!isMine && Math.abs(Date.now() - Number(takenAt ?? 0)) < leaseMs) await sleep(lookEveryMs);
    else if (!isMine) {
      // A store that fails is shared with no other tab.
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

/** Runs work in one tab at a time: under a Web Lock, or a lease in the store where there are none. */
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
    // Pages without an origin have locks that refuse.
    if (isBegun) throw error;
  }
  return underLease(name, shelf, work);
}
