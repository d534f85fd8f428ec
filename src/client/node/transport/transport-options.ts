import {
  accepting,
  isWithin,
  optionsOf,
  type Reader,
  type ReadersOf,
  type ReadOptions,
  readFields,
  readFlag,
  refuse,
  transform,
  wholeNumber,
} from '../../../base/lib/readers.js';
import { readBase } from '../../../base/lib/url.js';
import { isObject } from '../../../base/lib/values.js';
import { longestTimerMs } from '../../../base/lib/wait.js';
import { readProxyUrl } from './proxy.js';

/** PEM certificates or a key, as a string or bytes. */
export type Pem = string | Uint8Array;

/**
 * The trusted certificates, and this program's own. Files are read lazily when a connection needs them, and again when
 * they have changed.
 */
export interface TlsOptions {
  /** CA certificates (PEM) to trust instead of the default ones. */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /** A file of CA certificates (PEM) to trust in addition to the default ones, or to `ca`. */
  readonly caFile?: string | undefined;
  /** The client certificate and key (PEM), for servers that request one. */
  readonly cert?: Pem | undefined;
  readonly key?: Pem | undefined;
  /** The files of the client certificate and key. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** The name that the server's certificate must have. Default: the host of the URL. */
  readonly servername?: string | undefined;
  /** `false` accepts any certificate, which allows man-in-the-middle attacks. Default true. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** Options of `nodeTransport`; every field is optional. */
export interface NodeTransportOptions {
  /** The maximum number of connections per origin; further calls wait. Default no limit. */
  readonly connections?: number | undefined;
  /** The number of requests in flight per connection: 1. With more, aborting one call would end others. */
  readonly pipelining?: 1 | undefined;
  /** The keep-alive time of idle connections in milliseconds, unless the server sends a shorter one. Default 4000. */
  readonly keepAliveMs?: number | undefined;
  /** The timeout for opening a connection, in milliseconds. Default 10000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * A Unix domain socket to use instead of the network: for all origins, or by origin (`{ 'http://localhost:8529':
   * '/run/db.sock' }`).
   */
  readonly socketPath?: string | Readonly<Record<string, string>> | undefined;
  /**
   * The URL of a proxy, or `'env'` to use `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Requests to `http:` URLs are sent
   * in absolute form, those to `https:` URLs by CONNECT. Default none.
   */
  readonly proxy?: string | URL | undefined;
  /** The trusted certificates, and the client certificate. */
  readonly tls?: TlsOptions | undefined;
}

const isPem = (value: unknown) => typeof value === 'string' || value instanceof Uint8Array;
const readPem = accepting<Pem>('a PEM as a string or bytes', isPem);
const readFilled = accepting<string>('a non-empty string', (value) => typeof value === 'string' && value !== '');
const readCount = wholeNumber('a whole number', 1, 10_000);
const readMs = accepting<number>(`milliseconds from 1 to ${longestTimerMs}`, (value) =>
  isWithin(value, 1, longestTimerMs),
);

const tlsFields = {
  ca: accepting<Pem | readonly Pem[]>('a PEM as a string or bytes, or a list of these', (value) =>
    [value].flat().every(isPem),
  ),
  caFile: readFilled,
  cert: readPem,
  key: readPem,
  certFile: readFilled,
  keyFile: readFilled,
  servername: readFilled,
  rejectUnauthorized: readFlag,
} satisfies ReadersOf<TlsOptions>;

export const readTls: Reader<TlsOptions> = transform(optionsOf(tlsFields), (tls, reading) => {
  for (const [option, other] of [
    ['cert', 'key'],
    ['key', 'cert'],
  ] as const) {
    const [inline, file] = [tls[option], tls[`${option}File`]];
    if (inline !== undefined && file !== undefined) {
      reading.at(option, inline, () => reading.report(`cannot be combined with ${option}File`));
    } else if ((inline ?? file) !== undefined && (tls[other] ?? tls[`${other}File`]) === undefined) {
      const problem = `is missing; a ${option} needs a ${other}, here or as ${other}File`;
      reading.at(other, undefined, () => reading.report(problem));
    }
  }
  return tls;
});

const readSocketPath: Reader<string | ReadonlyMap<string, string>> = (value, reading) => {
  if (typeof value === 'string') return readFilled(value, reading);
  if (!isObject(value)) return refuse(reading, 'a path, or paths by origin', value);
  const paths = Object.entries(value).map(([name, path]) =>
    reading.at(name, path, () => {
      // A rejected value leaves an issue, and no URL.
      const base: ReturnType<typeof readBase> | undefined = readBase(name, reading);
      return [base?.origin, readFilled(path, reading)] as const;
    }),
  );
  return new Map(paths as [string, string][]);
};

const fields = {
  connections: readCount,
  pipelining: accepting<1>('1: a connection carries one request at a time', (value) => value === 1),
  keepAliveMs: readMs,
  connectTimeoutMs: readMs,
  socketPath: readSocketPath,
  proxy: ((value, reading) => (value === 'env' ? value : readProxyUrl(value, reading))) as Reader<'env' | URL>,
  tls: readTls,
} satisfies ReadersOf<NodeTransportOptions>;

/** The validated options. */
export type NodeTransportSettings = ReadOptions<typeof fields>;

export const readTransportOptions = optionsOf(fields);

/** @throws InvalidArgumentError naming the option. */
export const readNodeTransportOptions = (options: unknown): NodeTransportSettings =>
  readFields(options, 'options', readTransportOptions);
