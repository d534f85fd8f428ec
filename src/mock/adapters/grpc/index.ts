/// <reference lib="esnext.disposable" preserve="true" />
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { Socket } from 'node:net';
import { loadWithPeers } from '../../../pool/peers.js';
import { neighbourVariables } from '../../config/neighbour.js';
import { refuseUnknown } from '../../kit/filter.js';
import type { InternalMock, Mock } from '../../mock.js';
import { serveBothVersions } from '../node/both-versions.js';
import { formatAddress, listenAt, type Place, readPlace } from '../node/place.js';
import { http1Timeouts, readTimeouts, type Timeouts, timeoutNames } from '../node/timeouts.js';

export type { PoolTransport } from '../../../pool/items.js';
export type { Place } from '../node/place.js';
export type { Timeouts } from '../node/timeouts.js';
export { type MockPool, pool } from './pool.js';

/** Where a mock listens for gRPC. */
export interface ListenGrpcOptions extends Place, Timeouts {}

/** The port of a mock's gRPC services. */
export interface MockGrpcServer extends AsyncDisposable {
  /** For `createReplica({ address })`: `host:port`. */
  readonly address: string;
  /** The port that it got, also where `0` asked for any. */
  readonly port: number;
  /**
   * `mock.env()` with `INTEGRATION_SERVICE_ADDRESS`: what a program beside the services would see. The URLs are those
   * of the mock's port for HTTP if it has one, and are left out if it has several; so it may be spread before or
   * behind the `env()` of such a port.
   */
  env(): Record<string, string>;
  /** Frees the port and breaks every stream. */
  close(): Promise<void>;
}

/**
 * Serves the pool of a mock over gRPC on a port of this machine (without TLS, as a sidecar does), until `close`, or
 * until the server or the mock is disposed.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a wrong option. Rejects with Node's own error where the
 * port cannot be had (`EADDRINUSE`), and with an Error that names the packages where `@connectrpc/connect`,
 * `@connectrpc/connect-node` or `@bufbuild/protobuf` are missing.
 * @example
 * ```ts
 * await using server = await listenGrpc(mock, { port: 9201 });
 * await using replica = createReplica({ address: server.address });
 * ```
 */
export async function listenGrpc(mock: Mock, options: ListenGrpcOptions = {}): Promise<MockGrpcServer> {
  refuseUnknown(options, ['port', 'host', ...timeoutNames], 'options');
  const place = readPlace(options);
  const timeouts = readTimeouts(options);
  const { createHandler } = await loadWithPeers(
    () => import('./server.js'),
    {
      '@connectrpc/connect': () => import('@connectrpc/connect'),
      '@connectrpc/connect-node': () => import('@connectrpc/connect-node'),
      '@bufbuild/protobuf': () => import('@bufbuild/protobuf'),
    },
    (message) => new Error(`arango-services/mock/grpc: ${message}`),
  );
  // Whoever speaks HTTP/1.1 is told what this port is for.
  const plain = createServer(http1Timeouts(timeouts), (_, response) => {
    response.writeHead(426, { connection: 'close', upgrade: 'h2c', 'content-type': 'text/plain' });
    response.end('This port speaks gRPC (HTTP/2 without TLS).\n');
  });
  const server = serveBothVersions(plain, createHttp2Server(createHandler(mock)), timeouts);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const bound = await listenAt(server, place);
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

/** What a neighbour of the services sees besides gRPC, by the mock's port for HTTP where it has one. */
function variablesBeside(mock: Mock): Record<string, string> {
  // The cast: there is no other way to a mock than `createMock`.
  const [url, ...others] = (mock as InternalMock).portUrls;
  if (url === undefined) return mock.env();
  const variables = neighbourVariables(mock.settings, url);
  if (others.length === 0) return variables;
  const { INTEGRATION_HTTP_ADDRESS_FULL: _, ARANGO_DEPLOYMENT_ENDPOINT: _endpoint, ...rest } = variables;
  return rest;
}
