import { onTestFinished } from 'vitest';
import { createReplica, type Replica, type ReplicaOptions } from '../../../../src/enforce/replica/index.ts';
import { type Credentials, createClient, credentials } from '../../../../src/index.ts';
import type { Mock } from '../../../../src/mock/index.ts';

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

/**
 * A superuser whose token the mock has verified: to create or verify one for each stream takes real time, for which the
 * virtual minutes of a silence do not wait.
 */
export async function verifiedSuperuser(mock: Mock): Promise<Credentials> {
  const superuser = credentials.bearer(await mock.tokens.issue({ user: null, lifetime: '1000h' }));
  await createClient({ ...mock.connection, credentials: superuser }).authentication.identity();
  return superuser;
}
