import type { Socket } from 'node:net';
import { type Reader, readArgument } from '../../lib/readers.js';
import { ConnectError } from './connect-error.js';

/** Variables of the environment, like `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The address of a proxy. What is refused is not shown: it may hold a password. */
export const readProxyUrl: Reader<URL> = (value, reading) => {
  const text = value instanceof URL ? value.href : value;
  if (typeof text === 'string' && /^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text);
  return reading.report('expected "env" or an http: or https: URL like "http://proxy.example:3128"');
};

/** Whether a host is among those that `NO_PROXY` names: a name with those below it, with a port or without, or `*`. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const portOf = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[,\s]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, name = entry, only = portOf] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const host = name.replace(/^\*?\./, '');
      return entry === '*' || (only === portOf && (hostname === host || hostname.endsWith(`.${host}`)));
    });
}

/** The proxy that the environment names for an origin: `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. */
export function proxyFromEnv(origin: string, env: Env): URL | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name];
  const url = new URL(origin);
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = read(name);
  if (proxy === undefined || isExempt(url, read('NO_PROXY') ?? '')) return undefined;
  return readArgument(proxy, `env.${name}`, readProxyUrl);
}

/** A connection to `host:port` through a proxy (CONNECT). */
export function openTunnel(proxy: URL, target: string, timeoutMs: number): Promise<Socket> {
  const { protocol, hostname, username, password } = proxy;
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return new Promise((resolve, reject) => {
    // To import one of these would load all of fetch, which they export as well.
    const { request: start } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
    const request = start({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || undefined,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(username && { 'proxy-authorization': `Basic ${basic}` }) },
      agent: false,
      timeout: timeoutMs,
    });
    request.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) resolve(socket as Socket);
      else {
        socket.destroy();
        reject(new ConnectError(`the proxy answered ${statusCode} to CONNECT`, 'ERR_PROXY_TUNNEL'));
      }
    });
    // A proxy that answers CONNECT with a body.
    request.once('response', (response) => {
      response.destroy();
      reject(new ConnectError(`the proxy answered ${response.statusCode} to CONNECT`, 'ERR_PROXY_TUNNEL'));
    });
    request.once('timeout', () => request.destroy(new ConnectError('the proxy did not answer', 'ERR_PROXY_TUNNEL')));
    request.once('error', reject);
    request.end();
  });
}
