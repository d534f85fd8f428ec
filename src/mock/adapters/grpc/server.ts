import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Code, ConnectError, createConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node';
import { remember } from '../../../base/lib/remember.js';
import { ItemWriter, type RawField } from '../../../policy/pool/codec.js';
import { type PoolItem, type PoolKind, poolKinds, poolMethods } from '../../../policy/pool/pool-items.js';
import { type PoolRequest, rawMessage, rawMethod } from '../../../policy/pool/pool-service.js';
import type { Mock } from '../../mock.js';
import { openStream } from '../../server/stream-source.js';

export type NodeHandler = (request: Http2ServerRequest, response: Http2ServerResponse) => Promise<void>;

function timeoutOf({ timeout }: PoolRequest): number | undefined {
  return timeout === undefined ? undefined : Number(timeout.seconds) * 1_000 + timeout.nanos / 1_000_000;
}

/** Converts an error to gRPC. The mock's own failures have a gRPC code; others stay opaque. */
function toConnectError(error: unknown): ConnectError {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'number' && typeof message === 'string'
    ? new ConnectError(message, code as Code)
    : new ConnectError('Internal error', Code.Internal);
}

/** Encodes items for gRPC. Shared parts are encoded once: whole changes, and the content of policies and roles. */
function createEncoder(): (kind: PoolKind, item: PoolItem, isChange: boolean) => RawField {
  const writer = new ItemWriter();
  const changes = new WeakMap<PoolItem, RawField>();
  const contents = new WeakMap<object, Uint8Array>();
  /** Encodes an item of the state: the item is new for each reader, its content is shared. */
  function ofState(kind: PoolKind, item: PoolItem): RawField {
    // Bindings are not cached: there can be very many, and each is short.
    if (kind === 'bindings' || kind === 'groupBindings' || item.item === undefined) return writer.item(kind, item);
    const { item: content } = item;
    return writer.item(kind, { ...item, item: remember(contents, content, () => writer.content(kind, content)) });
  }
  return (kind, item, isChange) =>
    isChange ? remember(changes, item, () => writer.item(kind, item)) : ofState(kind, item);
}

/** Creates the handler of the pool's gRPC calls. */
export function createHandler(mock: Mock): NodeHandler {
  const source = mock.parts;
  const encode = createEncoder();
  const router = createConnectRouter({ connect: false, grpcWeb: false, acceptCompression: [] });

  function addCall(kind: PoolKind, isChange: boolean): void {
    const method = rawMethod(poolMethods[kind][isChange ? 'changes' : 'read']);
    router.rpc(method, async function* (request: PoolRequest, { requestHeader, signal }: HandlerContext) {
      const changes = { start: request.start, timeoutMs: timeoutOf(request) };
      const call = { kind, ...(isChange && { changes }) };
      try {
        for await (const items of openStream(source, call, requestHeader, signal)) {
          yield rawMessage(items.map((item) => encode(kind, item, isChange)));
        }
      } catch (error) {
        throw toConnectError(error);
      }
    });
  }
  for (const kind of poolKinds) {
    addCall(kind, false);
    addCall(kind, true);
  }
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  // Not connect's own adapter, which prints an error if a client disconnects.
  return async (request, response) => {
    const handler = handlers.get(request.url?.split('?', 1)[0] ?? '');
    if (handler === undefined) return void response.writeHead(404).end();
    try {
      const answer = await handler(universalRequestFromNodeRequest(request, response, undefined, undefined));
      await universalResponseToNodeResponse(answer, response);
    } catch {
      response.destroy();
    }
  };
}
