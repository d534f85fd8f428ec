import { scopedController } from '../../base/lib/wait.js';
import { type PoolKind, poolKinds } from '../../policy/pool/pool-items.js';
import { instant, since } from './liveness.js';
import type { PoolSession } from './pool-session.js';
import { SilenceError, unavailable } from './replica-failure.js';
import { Slices } from './slices.js';
import type { SyncedState } from './synced-state.js';

/** A read fails after this long without an item. */
const silenceMs = 60_000;

/**
 * Reads the complete state into `state`, which is separate from the current copy, in slices that yield to the event
 * loop. Received items do not confirm the current copy.
 * @param onMessage called for each message.
 */
export async function readState(
  session: PoolSession,
  state: SyncedState,
  signal: AbortSignal,
  onMessage: () => void,
): Promise<void> {
  using stop = scopedController(signal);
  const slices = new Slices();
  const connections = new Set<unknown>();
  const read = async (kind: PoolKind): Promise<void> => {
    const overdue = () => new SilenceError(`reading the ${kind}: no item came for ${silenceMs / 1_000} s`);
    let progress = instant();
    for await (const items of session.open({ kind }, stop.signal, silenceMs, overdue)) {
      onMessage();
      let count = 0;
      await slices.each(items, (item) => {
        count++;
        state.apply(kind, item);
      });
      if (count > 0) progress = instant();
      else if (since(progress) >= silenceMs) throw overdue();
    }
    connections.add(session.connection);
  };
  try {
    await Promise.all(poolKinds.map(read));
  } finally {
    // If reading one kind fails, the other reads are stopped.
    stop.abort();
  }
  if (connections.size > 1) throw unavailable('the connection broke while the state was read');
  state.connection = session.connection;
}
