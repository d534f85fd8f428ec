import { createGrpcTransport } from '@connectrpc/connect-node';
import type { TlsOptions } from '../node/transport/options.js';
import { createTrust } from '../node/transport/trust.js';
import { ItemReader } from '../pool/codec.js';
import { type PoolCall, type PoolTransport, poolMethods } from '../pool/items.js';
import { poolRequest, rawFields, rawMethod } from '../pool/service.js';
import type { Target } from './address.js';
import { Http2Connection } from './http2-connection.js';

// A state of a million bindings shall not wait for the other side to hear that more may be sent.
const windowBytes = 4 * 1_048_576;

const itemsAtOnce = 16;

async function* single<T>(value: T): AsyncIterable<T> {
  yield value;
}

/** One HTTP/2 connection for the six calls, opened when it is needed and again when it has broken. */
export function createTransport({ origin, secure }: Target, tls: TlsOptions = {}): PoolTransport {
  const trust = createTrust(tls);
  const { servername, rejectUnauthorized } = tls;
  let known: unknown;
  let open: Http2Connection | undefined;
  const reader = new ItemReader();

  /** The connection; another one where the files of the certificates have changed. */
  async function connection(): Promise<Http2Connection> {
    const { context } = secure ? await trust.current() : {};
    if (open === undefined || known !== context) {
      open?.close();
      known = context;
      open = new Http2Connection(origin, {
        settings: { initialWindowSize: windowBytes, enablePush: false },
        ...(context !== undefined && { secureContext: context }),
        ...(servername !== undefined && { servername }),
        ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
      });
    }
    return open;
  }

  return {
    async *open({ kind, changes }: PoolCall, authorization, signal) {
      const transport = createGrpcTransport({
        baseUrl: origin,
        sessionManager: await connection(),
        acceptCompression: [],
      });
      const method = rawMethod(poolMethods[kind][changes === undefined ? 'read' : 'changes']);
      const headers = authorization === undefined ? {} : { authorization };
      const response = await transport.stream(method, signal, undefined, headers, single(poolRequest(changes)));
      for await (const message of response.message) {
        const fields = rawFields(message);
        if (changes !== undefined) yield reader.items(kind, fields);
        else {
          // Policies can be long, and what is read at once holds the program.
          for (let i = 0; i < fields.length; i += itemsAtOnce) {
            yield reader.items(kind, fields.slice(i, i + itemsAtOnce));
          }
        }
      }
    },
    close: () => open?.close(),
  };
}
