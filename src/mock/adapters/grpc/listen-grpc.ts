/// <reference lib="esnext.disposable" preserve="true" />
import type { Socket } from 'node:net';
import { readFields } from '../../../base/lib/readers.js';
import { loadWithPeers } from '../../../policy/pool/peers.js';
import { neighbourVariables } from '../../config/neighbour.js';
import type { Mock } from '../../mock.js';
import { serveBothVersions } from '../node/both-versions.js';
import { formatAddress, listenAt, listeningAddress } from '../node/listening-address.js';
import { http1Timeouts, waitTimes } from '../node/timeouts.js';
import { readMock } from '../read-mock.js';
import { type ListenGrpcOptions, readListenGrpcOptions } from './listen-grpc-options.js';

/** The port of a mock's gRPC services. */
export interface MockGrpcServer extends AsyncDisposable {
  /** For `createReplica({ address })`: `host:port`. */
  readonly address: string;
  /** The port, also if `0` asked for a free one. */
  readonly port: number;
  /**
   * `mock.env()` plus `INTEGRATION_SERVICE_ADDRESS`: the environment variables of a program next to a sidecar. The URLs
   * are those of the mock's HTTP port if it has one, and are left out if it has several, so that this can be merged
   * with the `env()` of such a port in either order.
   */
  env(): Record<string, string>;
  /** Frees the port and breaks every stream. */
  close(): Promise<void>;
}

/**
 * Serves the pool streams of a mock over gRPC on a local port (without TLS, like a sidecar), until `close`, or until
 * the server or the mock is disposed.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an invalid mock or option. Rejects with Node's own error if
 * the port is not available (`EADDRINUSE`), and with an Error that names the packages to install if `@connectrpc/connect`,
 * `@connectrpc/connect-node` or `@bufbuild/protobuf` is missing.
 * @example
 * ```ts
 * await using server = await listenGrpc(mock, { port: 9201 });
 * await using replica = createReplica({ address: server.address });
 * ```
 */
export async function listenGrpc(mock: Mock, options: ListenGrpcOptions = {}): Promise<MockGrpcServer> {
  readMock(mock);
  const read = readFields(options, 'options', readListenGrpcOptions);
  const wanted = listeningAddress(read);
  const timeouts = waitTimes(read);
  const { createHandler } = await loadWithPeers(
    () => import('./server.js'),
    {
      '@connectrpc/connect': () => import('@connectrpc/connect'),
      '@connectrpc/connect-node': () => import('@connectrpc/connect-node'),
      '@bufbuild/protobuf': () => import('@bufbuild/protobuf'),
    },
    (message) => new Error(`listenGrpc: ${message}`),
  );
  const [http, http2] = [process.getBuiltinModule('node:http'), process.getBuiltinModule('node:http2')];
  // Tells HTTP/1.1 clients what this port is for.
  const plain = http.createServer(http1Timeouts(timeouts), (_, response) => {
    response.writeHead(426, { connection: 'close', upgrade: 'h2c', 'content-type': 'text/plain' });
    response.end('This port speaks gRPC (HTTP/2 without TLS).\n');
  });
  const server = serveBothVersions(plain, () => http2.createServer(createHandler(mock)), timeouts);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const bound = await listenAt(server, wanted);
  const address = formatAddress(bound);

  let closing: Promise<void> | undefined;
  const shut = (): Promise<void> => {
    forget();
    return new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  };
  const close = (): Promise<void> => {
    closing ??= shut();
    return closing;
  };
  const forget = mock.onDispose(close);
  return {
    address,
    port: bound.port,
    env: () => ({ ...variablesBeside(mock), INTEGRATION_SERVICE_ADDRESS: address }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The variables other than the gRPC address, with the URL of the mock's HTTP port if it has one. */
function variablesBeside(mock: Mock): Record<string, string> {
  const [url, ...others] = mock.parts.portUrls;
  if (url === undefined) return mock.env();
  const variables = neighbourVariables(mock.settings, url);
  if (others.length === 0) return variables;
  const { INTEGRATION_HTTP_ADDRESS_FULL: _, ARANGO_DEPLOYMENT_ENDPOINT: _endpoint, ...rest } = variables;
  return rest;
}
