import { onTestFinished } from 'vitest';
import { createReplica, type Replica, type ReplicaOptions } from '../../../../src/enforce/replica/index.ts';

/** An item of each kind: a replica reads a kind without items only when the service has been quiet for 2 s. */
export const itemOfEachKind = {
  policies: { unused: { statements: [] } },
  roles: { unused: { policies: ['unused'] } },
  bindings: [{ user: 'another', role: 'unused', scope: { statements: [] } }],
};

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
