import { InvalidArgumentError } from '../../../base/errors.js';
import { readAddress } from '../../../enforce/replica/address.js';
import type { Replica } from '../../../enforce/replica/index.js';
import type { ConnectionOptions } from '../../../index.js';
import type { Fidelity } from '../../../policy/index.js';
import type { Context } from './context.js';
import { UsageError } from './usage-error.js';

const replicaTimeoutMs = 60_000;
/** The longest wait for a first message of the gRPC services. */
const contactTimeoutMs = 4_000;

/** Refuses an address that is not one, before anything is sent. */
export function checkGrpc(address: string): void {
  try {
    readAddress(address, undefined);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new UsageError({ where: '--grpc', message: error.problem });
    throw error;
  }
}

/** Opens the replica that `--grpc` asks for, and waits until it has a complete state. */
export async function openReplica(
  context: Context,
  { url, integrationUrl, credentials }: ConnectionOptions,
  fidelity: Fidelity,
) {
  const { flags, surroundings } = context;
  if (flags.grpc === undefined) return undefined;
  const { createReplica } = await import('../../../enforce/replica/index.js');
  const replica = createReplica({ address: flags.grpc, url, integrationUrl, credentials, fidelity });
  try {
    await waitForState(replica, `--grpc ${flags.grpc}`, surroundings.signal);
  } catch (error) {
    await replica.close();
    throw error;
  }
  return replica;
}

/** Waits until a replica has a complete state; not for long if nothing answers at its address. */
async function waitForState(replica: Replica, where: string, signal: AbortSignal): Promise<void> {
  try {
    await replica.ready({ timeout: contactTimeoutMs, signal });
  } catch (error) {
    const { lastMessageAt, lastError } = replica.status;
    if (signal.aborted) throw error;
    if (lastMessageAt === undefined) {
      const why = lastError && `${lastError.code} ${lastError.message}`;
      throw new Error(`${where}: ${why ?? `nothing answered within ${contactTimeoutMs} ms`}`);
    }
    await replica.ready({ timeout: replicaTimeoutMs, signal });
  }
}
