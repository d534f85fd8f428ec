import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
// The cast: the flag above has made it.
const collect = runInNewContext('gc') as () => void;

/** What the heap holds, in bytes. What finalizers set free takes a second collection. */
export function heldBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
