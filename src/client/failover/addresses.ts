import {
  expected,
  listOf,
  optional,
  type Reader,
  type ReadersOf,
  readArgument,
  strictObject,
} from '../../base/lib/readers.js';
import { type Base, readBase } from '../../base/lib/url.js';
import { readTransport, type Transport } from '../connection/transport.js';

/** One address of a deployment. */
export interface FailoverAddress {
  /** The base URL; a path prefix is kept. */
  readonly url: string | URL;
  /** Sends to this address. Default: the option `transport` of `failover`. */
  readonly transport?: Transport | undefined;
}

/** An address, read. */
export interface KnownAddress extends Pick<Base, 'origin' | 'prefix'> {
  readonly transport: Transport;
}

const mostAddresses = 64;

/** Reads a base URL without a query, which requests have of their own. */
const readUrl: Reader<Base> = (value, reading) => {
  const base = readBase(value, reading);
  return base?.query ? reading.report('must not hold a query') : base;
};

/** Readers for `FailoverAddress`. */
export const readFailoverAddress = strictObject({
  url: readUrl,
  transport: optional(readTransport),
} satisfies ReadersOf<FailoverAddress>);

const readAddress: Reader<{ readonly url: Base; readonly transport?: Transport | undefined }> = (value, reading) =>
  typeof value === 'string' || value instanceof URL
    ? { url: readUrl(value, reading) }
    : readFailoverAddress(value, reading);

/** Reads the addresses. None is there twice or below another one: a URL then has one path below its address. */
const readList: Reader<readonly Awaited<ReturnType<typeof readAddress>>[]> = (value, reading) => {
  const addresses = listOf(readAddress, mostAddresses)(value, reading);
  if (reading.issues.length > 0) return addresses;
  const keys = addresses.map(({ url }) => url.origin + url.prefix);
  for (const [index, key] of keys.entries()) {
    const first = keys.indexOf(key);
    if (first < index) reading.at(index, key, () => reading.report(`is the same address as addresses[${first}]`));
    const parent = keys.findIndex((other) => key.startsWith(`${other}/`));
    if (parent >= 0) reading.at(index, key, () => reading.report(`is below addresses[${parent}]`));
  }
  return addresses;
};

/** Reads the addresses; `usual` sends to those without a transport. Throws InvalidArgumentError naming the address. */
export function readAddresses(addresses: unknown, usual: Transport): readonly KnownAddress[] {
  const list = readArgument(addresses, 'addresses', readList);
  if (list.length === 0) throw expected('addresses', 'at least one URL', addresses);
  return list.map(({ url: { origin, prefix }, transport = usual }) => ({ origin, prefix, transport }));
}
