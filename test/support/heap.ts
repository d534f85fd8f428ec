import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
// The cast: the flag above has made it.
const collect = runInNewContext('gc') as () => void;

/**
 * Runs 100 000 rounds to warm up, then 900 000 more, and gives by how many bytes they made the heap grow. Something of
 * 20 bytes that each round leaves behind shows as 18 MB.
 */
export async function growthOf(rounds: (count: number) => Promise<void>): Promise<number> {
  await rounds(100_000);
  const before = heldBytes();
  await rounds(900_000);
  const grown = heldBytes() - before;
  console.log(`heap before ${before}, grown by ${grown} bytes`);
  return grown;
}

/** What the heap holds, in bytes. What finalizers set free takes a second collection. */
export function heldBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
