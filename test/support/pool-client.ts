import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { type ClientReadableStream, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { onTestFinished } from 'vitest';
import type { PoolMethod } from '../../src/policy/pool/pool-items.ts';

// An independent client of the pool: the proto as read by @grpc/proto-loader, over @grpc/grpc-js.

/** The proto of the pool, from an independent parser. */
export const poolProto = loadSync(fileURLToPath(new URL('../../proto/pool.proto', import.meta.url)), {
  defaults: false,
  enums: String,
  keepCase: true,
  longs: Number,
});

/** A message: its items as on the wire, without fields of default value. */
export type WireMessage = readonly { readonly name: string; readonly index: number; readonly item?: unknown }[];

/** The request of a stream of changes. */
export interface WireRequest {
  readonly start?: number;
  readonly timeout?: { readonly seconds: number };
}

/** A stream that is being read. */
export interface Listening {
  readonly messages: WireMessage[];
  /** Its error; cancelling is not an error. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** Resolves at its end, whichever side ends it. */
  readonly done: Promise<unknown>;
  cancel(): void;
}

/** Opens a stream of one of the six calls. */
export type OpenListening = (method: PoolMethod, request: WireRequest, token: string | null) => Listening;

interface PoolClient {
  close(): void;
  [method: string]: unknown;
}

/** Calls of the pool at an address, until the test ends. */
export function poolClient(address: string): OpenListening {
  const { service } = grpc.loadPackageDefinition(poolProto) as unknown as {
    service: { AuthorizationPoolService: new (address: string, creds: grpc.ChannelCredentials) => PoolClient };
  };
  const client = new service.AuthorizationPoolService(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  return (method, request, token) => {
    const metadata = new Metadata();
    if (token !== null) metadata.set('authorization', `bearer ${token}`);
    // The cast: every call of the service streams.
    const call = client[method] as (
      request: unknown,
      metadata: Metadata,
    ) => ClientReadableStream<{ items?: WireMessage }>;
    const stream = call.call(client, request, metadata);
    const messages: WireMessage[] = [];
    let error: Listening['error'];
    stream.on('data', ({ items = [] }) => messages.push(JSON.parse(JSON.stringify(items))));
    stream.on('error', ({ code, details }: ServiceError) => {
      if (code !== status.CANCELLED) error = { code: status[code] ?? String(code), message: details };
    });
    const done = new Promise((resolve) => stream.on('status', resolve));
    return {
      messages,
      done,
      get error() {
        return error;
      },
      cancel: () => stream.cancel(),
    };
  };
}
