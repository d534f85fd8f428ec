import { loadWithPeers } from '../../policy/pool/peers.js';
import type { PoolTransport } from '../../policy/pool/pool-items.js';
import { ReplicaError } from './replica-error.js';
import type { ReplicaSettings } from './replica-options.js';

/** Returns the transport of the options, or opens one over gRPC; throws ReplicaError naming the missing packages. */
export async function openPoolTransport({
  transport,
  target,
  tls,
  maxMessageBytes,
}: Pick<ReplicaSettings, 'transport' | 'target' | 'tls' | 'maxMessageBytes'>): Promise<PoolTransport> {
  if (transport !== undefined || target === undefined) return transport as PoolTransport;
  const { createTransport } = await loadWithPeers(
    () => import('./grpc-transport.js'),
    {
      '@connectrpc/connect': () => import('@connectrpc/connect'),
      '@connectrpc/connect-node': () => import('@connectrpc/connect-node'),
      '@bufbuild/protobuf': () => import('@bufbuild/protobuf'),
    },
    (message) => new ReplicaError('NOT_READY', message),
  );
  return createTransport(target, tls, maxMessageBytes);
}
