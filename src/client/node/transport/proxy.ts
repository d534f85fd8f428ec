import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { InvalidArgumentError } from '../../../base/errors.js';
import { type Reader, readArgument, refuseKind } from '../../../base/lib/readers.js';
import { ConnectError } from './connect-error.js';

/** The error code of a proxy's failures. */
export const refusedByProxy = 'ERR_PROXY_TUNNEL';

/** Environment variables, like `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

const anUrl = 'an http: or https: URL like "http://proxy.example:3128"';

/** Reads the address of a proxy. Errors never quote it, because it may contain a password. */
const readUrl =
  (accepted: string): Reader<URL> =>
  (value, reading) => {
    const text = value instanceof URL ? value.href : value;
    if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) {
      return refuseKind(reading, accepted, value);
    }
    const proxy = new URL(text);
    for (const part of ['username', 'password'] as const) {
      try {
        decodeURIComponent(proxy[part]);
      } catch {
        return reading.report(`its ${part} holds a malformed escape; a percent sign is written %25`);
      }
    }
    return proxy;
  };

/** Reads the option `proxy`, unless it is `'env'`. */
export const readProxyUrl = readUrl(`"env" or ${anUrl}`);

/** The value of `proxy-authorization`; undefined if the address has neither a user nor a password. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** Creates the error for an unreachable proxy, to tell it from an unreachable server. */
export function unreachable({ origin }: URL, error: Error): ConnectError {
  const { code = refusedByProxy } = error as { readonly code?: unknown };
  return new ConnectError(`the proxy ${origin} cannot be reached`, String(code));
}

/** True if a block like `10.0.0.0/8` holds a host; throws InvalidArgumentError for an invalid block. */
function isInBlock(hostname: string, block: string): boolean {
  const [, address = '', bits = ''] = /^\[?([^\]/]*)\]?\/(\d{1,3})$/.exec(block) ?? [];
  const version = isIP(address);
  if (version === 0 || Number(bits) > (version === 4 ? 32 : 128)) {
    throw new InvalidArgumentError('env.NO_PROXY', 'expected blocks of addresses like 10.0.0.0/8 or fd00::/8');
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  const blocks = new BlockList();
  blocks.addSubnet(address, Number(bits), `ipv${version as 4 | 6}`);
  // False for a name, and for an address of the other version.
  return blocks.check(host, `ipv${version as 4 | 6}`);
}

/** True if `NO_PROXY` matches a host: by `*`, by a name with its subdomains and a port, or by a block of addresses. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const portOf = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[,\s]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry.includes('/')) return isInBlock(hostname, entry);
      // IPv6 addresses may be written with or without brackets.
      if (isIPv6(entry)) return hostname === new URL(`http://[${entry}]`).hostname;
      const [, name = entry, only = portOf] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const host = name.replace(/^\*?\./, '');
      return entry === '*' || (only === portOf && (hostname === host || hostname.endsWith(`.${host}`)));
    });
}

/** The environment's proxy for an origin: `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case. */
export function proxyFromEnv(origin: string, env: Env): URL | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name];
  const url = new URL(origin);
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = read(name);
  if (proxy === undefined || isExempt(url, read('NO_PROXY') ?? '')) return undefined;
  // As in curl, an address without a scheme is of http.
  return readArgument(/^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`, `env.${name}`, readUrl(anUrl));
}

/** Opens a connection to `host:port` through a proxy (CONNECT); throws ConnectError if the proxy refuses or is down. */
export function openTunnel(proxy: URL, target: string, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  const { protocol, hostname, origin } = proxy;
  const authorization = proxyAuthorization(proxy);
  return new Promise((resolve, reject) => {
    // Importing one of these would also load all of fetch, which they export, too.
    const { request: start } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
    const request = start({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || undefined,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(authorization && { 'proxy-authorization': authorization }) },
      agent: false,
      timeout: timeoutMs,
      signal,
    });
    request.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) resolve(socket as Socket);
      else {
        socket.destroy();
        reject(new ConnectError(`the proxy answered ${statusCode} to CONNECT`, refusedByProxy));
      }
    });
    // The proxy answered CONNECT with a body.
    request.once('response', (response) => {
      response.destroy();
      reject(new ConnectError(`the proxy answered ${response.statusCode} to CONNECT`, refusedByProxy));
    });
    request.once('timeout', () =>
      request.destroy(new ConnectError(`the proxy ${origin} did not answer`, refusedByProxy)),
    );
    request.once('error', (error) => reject(error instanceof ConnectError ? error : unreachable(proxy, error)));
    request.end();
  });
}
