import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
// The cast: the flag above defines it.
const collect = runInNewContext('gc') as () => void;

/**
 * Runs 100 000 rounds to warm up, then 900 000 more, and returns the growth of the heap in bytes. A leak of 20 bytes in
 * each round shows as 18 MB.
 */
export async function growthOf(rounds: (count: number) => Promise<void>): Promise<number> {
  await rounds(100_000);
  const before = heldBytes();
  await rounds(900_000);
  const grown = heldBytes() - before;
  console.log(`heap before ${before}, grown by ${grown} bytes`);
  return grown;
}

/** The size of the heap in bytes. Memory released by finalizers takes a second collection. */
export function heldBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
