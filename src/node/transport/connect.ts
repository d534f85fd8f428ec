import type { buildConnector } from 'undici';
import type { NodeTransportSettings } from './options.js';
import { openTunnel, proxyFromEnv } from './proxy.js';
import type { Trust } from './trust.js';
import type { Undici } from './undici.js';

type Connect = buildConnector.connector;

const defaultConnectTimeoutMs = 10_000;

/** How the connections of one origin are made: to its host or a socket of the machine, through a proxy, with TLS. */
export function createConnect(
  origin: string,
  { socketPath, proxy, connectTimeoutMs = defaultConnectTimeoutMs, tls = {} }: NodeTransportSettings,
  trust: Trust,
  { buildConnector }: Undici,
): Connect {
  const local = typeof socketPath === 'string' ? socketPath : socketPath?.get(origin);
  const through = local !== undefined ? undefined : proxy === 'env' ? proxyFromEnv(origin, process.env) : proxy;
  // HTTP/1.1 only. undici 8 would also speak HTTP/2, where one connection carries all calls, and a call that is cut
  // would take the others with it.
  const common = { allowH2: false, timeout: connectTimeoutMs, ...(local !== undefined && { socketPath: local }) };
  const plain = buildConnector(common);
  if (!origin.startsWith('https:')) {
    if (through === undefined) return plain;
    return (target, callback) => {
      openTunnel(through, hostAndPort(target), connectTimeoutMs).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    };
  }
  const { servername, rejectUnauthorized } = tls;
  // One connector for each version of the files: it keeps the TLS sessions that were made under it.
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
      cached = { settings, connect: buildConnector(options) };
    }
    return cached.connect;
  };
  return (target, callback) => {
    const open = async () => {
      const connect = await connector();
      const httpSocket = through && (await openTunnel(through, hostAndPort(target), connectTimeoutMs));
      connect({ ...target, ...(httpSocket && { httpSocket }) }, callback);
    };
    open().catch((error: Error) => callback(error, null));
  };
}

const hostAndPort = ({ host, port, protocol }: buildConnector.Options) =>
  port ? String(host) : `${host}:${protocol === 'https:' ? 443 : 80}`;
