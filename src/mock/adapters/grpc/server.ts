import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { type RawField, writeItem } from '../../../pool/codec.js';
import { type PoolItem, type PoolKind, poolKinds, poolMethods } from '../../../pool/items.js';
import { type PoolRequest, rawMessage, rawMethod } from '../../../pool/service.js';
import type { Mock } from '../../mock.js';

/** What a handler of `node:http2` is. */
export type NodeHandler = ReturnType<typeof connectNodeAdapter>;

function timeoutOf({ timeout }: PoolRequest): number | undefined {
  return timeout === undefined ? undefined : Number(timeout.seconds) * 1_000 + timeout.nanos / 1_000_000;
}

/** A failure as gRPC has it. The mock's own failures have a gRPC code. */
function toConnectError(error: unknown): ConnectError {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'number' && typeof message === 'string'
    ? new ConnectError(message, code as Code)
    : new ConnectError('Internal error', Code.Internal);
}

/** Answers the calls of the pool over gRPC. */
export function createHandler(mock: Mock): NodeHandler {
  // The changes are the same for everybody who follows them: each is written once.
  const written = new WeakMap<PoolItem, RawField>();
  const encode = (kind: PoolKind, item: PoolItem): RawField => {
    let field = written.get(item);
    if (field === undefined) {
      // The cast: the pool of this kind gave it.
      field = writeItem(kind, item as PoolItem<never>);
      written.set(item, field);
    }
    return field;
  };

  function addCall(router: ConnectRouter, kind: PoolKind, changes: boolean): void {
    const method = rawMethod(poolMethods[kind][changes ? 'changes' : 'read']);
    router.rpc(method, async function* (request: PoolRequest, { requestHeader, signal }: HandlerContext) {
      const call = { kind, ...(changes && { changes: { start: request.start, timeoutMs: timeoutOf(request) } }) };
      try {
        for await (const items of mock.openStream(call, requestHeader, signal)) {
          yield rawMessage(items.map((item) => encode(kind, item)));
        }
      } catch (error) {
        throw toConnectError(error);
      }
    });
  }
  return connectNodeAdapter({
    connect: false,
    grpcWeb: false,
    acceptCompression: [],
    routes(router) {
      for (const kind of poolKinds) {
        addCall(router, kind, false);
        addCall(router, kind, true);
      }
    },
  });
}
