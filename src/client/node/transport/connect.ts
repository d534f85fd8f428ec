import type { buildConnector } from 'undici';
import { openTunnel, proxyFromEnv, unreachable } from './proxy.js';
import type { NodeTransportSettings } from './transport-options.js';
import type { Trust } from './trust.js';
import type { Connect, Undici } from './undici.js';

const defaultConnectTimeoutMs = 10_000;

/** The route of requests to an origin. */
export interface Way {
  readonly connect: Connect;
  /** The proxy that gets requests in absolute form: those to an `http:` origin, as in curl and browsers. */
  readonly forward: URL | undefined;
}

/** Connects to one origin: to its host or a Unix socket, through a proxy, with TLS. */
export function wayTo(
  origin: string,
  { socketPath, proxy, connectTimeoutMs = defaultConnectTimeoutMs, tls = {} }: NodeTransportSettings,
  trust: Trust,
  { buildConnector }: Undici,
): Way {
  const local = typeof socketPath === 'string' ? socketPath : socketPath?.get(origin);
  const through = local !== undefined ? undefined : proxy === 'env' ? proxyFromEnv(origin, process.env) : proxy;
  // HTTP/1.1 only. undici 8 would also use HTTP/2, where all calls share a connection and an aborted call would end the
  // others.
  const common = { allowH2: false, timeout: connectTimeoutMs, ...(local !== undefined && { socketPath: local }) };
  const plain = stoppable(buildConnector(common));
  if (!origin.startsWith('https:')) return { connect: through ? toProxy(through, plain) : plain, forward: through };
  const { servername, rejectUnauthorized } = tls;
  // One connector per version of the files, because it caches their TLS sessions.
  let cached: { readonly settings: object; readonly connect: Connect } | undefined;
  const connector = async (): Promise<Connect> => {
    const settings = await trust.current();
    if (cached?.settings !== settings) {
      const { context } = settings;
      const options = {
        ...common,
        ...(context && { secureContext: context }),
        ...(servername !== undefined && { servername }),
        ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
      };
      cached = { settings, connect: stoppable(buildConnector(options)) };
    }
    return cached.connect;
  };
  const connect: Connect = (target, callback) => {
    // This is not a child controller: undici passes no signal to a connector, but calls the function that it returns.
    const attempt = new AbortController();
    const { signal } = attempt;
    const open = async () => {
      const secure = await connector();
      signal.throwIfAborted();
      const httpSocket = through && (await openTunnel(through, hostAndPort(target), connectTimeoutMs, signal));
      const stop = secure({ ...target, ...(httpSocket && { httpSocket }) }, callback);
      signal.addEventListener('abort', () => stop(signal.reason));
    };
    open().catch((error: Error) => callback(error, null));
    return (reason) => attempt.abort(reason);
  };
  return { connect, forward: undefined };
}

/** A connector of undici whose attempts can be aborted. */
function stoppable(connect: buildConnector.connector): Connect {
  return (target, callback) => {
    // The type does not declare the returned socket.
    const socket = connect(target, callback) as unknown as { destroy?(reason: Error): void } | undefined;
    return (reason) => void socket?.destroy?.(reason);
  };
}

/** Connects to a proxy instead of the target. */
const toProxy =
  (proxy: URL, connect: Connect): Connect =>
  (_target, callback) => {
    const { protocol, host, port } = proxy;
    const hostname = proxy.hostname.replace(/^\[|\]$/g, '');
    return connect({ protocol, host, hostname, port }, (...made) =>
      made[0] ? callback(unreachable(proxy, made[0]), null) : callback(...made),
    );
  };

const hostAndPort = ({ host, port, protocol }: buildConnector.Options) =>
  port ? String(host) : `${host}:${protocol === 'https:' ? 443 : 80}`;
