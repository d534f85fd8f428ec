import { onTestFinished } from 'vitest';
import { createReplica, type Replica, type ReplicaOptions } from '../../../../src/enforce/replica/index.ts';

/** A replica that is closed after the test. */
export function replicaOf(options: ReplicaOptions): Replica {
  const replica = createReplica(options);
  onTestFinished(() => replica.close());
  return replica;
}

/** The same once it is live. */
export async function liveReplica(options: ReplicaOptions): Promise<Replica> {
  const replica = replicaOf(options);
  await replica.ready();
  return replica;
}

/** A question that alice may ask. */
export const question = { user: 'alice', action: 'orders:read', resource: 'orders' };
