import { Code, ConnectError } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { InvalidArgumentError } from '../../base/errors.js';
import type { TlsOptions } from '../../client/node/transport/transport-options.js';
import { createTrust } from '../../client/node/transport/trust.js';
import { ItemReader } from '../../policy/pool/codec.js';
import { type PoolCall, type PoolTransport, poolMethods } from '../../policy/pool/pool-items.js';
import { poolRequest, rawFields, rawMethod } from '../../policy/pool/pool-service.js';
import type { Target } from './address.js';
import { Http2Connection } from './http2-connection.js';

// The flow-control window: ten megabytes per second at 50 ms. It stays small because connect splits all received bytes
// into messages at once, which takes ten milliseconds for 4 MiB.
const windowBytes = 512 * 1_024;

async function* single<T>(value: T): AsyncIterable<T> {
  yield value;
}

/** True if connect rejected a message because of its length. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof ConnectError && error.code === Code.ResourceExhausted && /readMaxBytes/.test(error.rawMessage);

/** One HTTP/2 connection for all calls, opened on demand and reopened after it broke. */
export function createTransport(
  { origin, secure }: Target,
  tls: TlsOptions = {},
  maxMessageBytes?: number,
): PoolTransport {
  const trust = createTrust(tls);
  const { servername, rejectUnauthorized } = tls;
  let lastContext: unknown;
  let open: Http2Connection | undefined;
  const reader = new ItemReader();

  /** Returns the connection; a new one if the certificate files have changed. */
  async function connection(): Promise<Http2Connection> {
    const { context } = secure ? await trust.current() : {};
    if (open === undefined || lastContext !== context) {
      open?.close();
      lastContext = context;
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
        ...(maxMessageBytes !== undefined && { readMaxBytes: maxMessageBytes }),
      });
      const method = rawMethod(poolMethods[kind][changes === undefined ? 'read' : 'changes']);
      const headers = authorization === undefined ? {} : { authorization };
      try {
        const response = await transport.stream(method, signal, undefined, headers, single(poolRequest(changes)));
        for await (const message of response.message) {
          yield reader.items(kind, rawFields(message));
        }
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        const problem = `a message of the ${kind} is larger than ${maxMessageBytes} bytes; set a higher limit`;
        throw new InvalidArgumentError('maxMessageBytes', problem);
      }
    },
    close: () => open?.close(),
    connection: () => open?.current,
  };
}
