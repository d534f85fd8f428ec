import { runtime } from '#runtime';
import type { ArangoServicesError } from '../../base/arango-services-error.js';
import { isNetworkError, isTimeoutError, isUploadError } from '../../base/error-guards.js';
import { NetworkError } from '../../base/errors.js';
import { readClock } from '../../base/lib/clock.js';
import { quietly } from '../../base/lib/quietly.js';
import { optionsOf, type ReadersOf, readFields } from '../../base/lib/readers.js';
import type { NamedCall } from '../connection/call.js';
import type { Clock } from '../connection/credentials-contract.js';
import { msOption } from '../connection/deadline.js';
import { toFailure } from '../connection/failure.js';
import {
  openTransport,
  readTransport,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../connection/transport.js';
import { AddressOrder } from './address-order.js';
import { type FailoverAddress, type KnownAddress, readAddresses } from './addresses.js';
import { movable } from './movable-body.js';
import { isUnsent } from './unsent.js';

/** Options of `failover`. */
export interface FailoverOptions {
  /** Sends to the addresses without a transport of their own. Default: ky over `fetch`. */
  readonly transport?: Transport | undefined;
  /**
   * The time after which the first address is asked again, in milliseconds; Infinity stays with the address that works.
   * Default 30 000.
   */
  readonly returnAfterMs?: number | undefined;
  /** The clock of that time. Default monotonic. */
  readonly clock?: Clock | undefined;
}

/** Reads the options of `failover`. */
export const readFailoverOptions = optionsOf({
  transport: readTransport,
  returnAfterMs: msOption,
  clock: readClock,
} satisfies ReadersOf<FailoverOptions>);

const defaultReturnMs = 30_000;

/** A request that failed at an address. */
interface Failed {
  readonly address: KnownAddress;
  readonly error: unknown;
  /** The runtime's code, if it gave one. */
  readonly code: string | undefined;
}

/**
 * Creates a transport for a deployment with several addresses, such as the coordinators of a cluster. Requests go to
 * the first address while it works, else to the next one that does; after a pause the first one is asked again. A
 * request moves to the next address if the connection was not made, so that nothing was sent; GET, HEAD and QUERY move
 * after any failure of the connection, and after a 503. Each address is asked once for a request; retries are the
 * client's.
 *
 * Requests and credentials go to these addresses only. The client's `url` is one of them.
 * @param addresses base URLs, the preferred one first
 * @param options see {@link FailoverOptions}
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the address or the option.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { failover } from 'arango-services/failover';
 *
 * const addresses = ['https://a.example:8529', 'https://b.example:8529'] as const;
 * const client = createClient({ url: addresses[0], transport: failover(addresses) });
 * ```
 */
export function failover(
  addresses: readonly (string | URL | FailoverAddress)[],
  options: FailoverOptions = {},
): Transport {
  const {
    transport,
    returnAfterMs = defaultReturnMs,
    clock = performance,
  } = readFields(options, 'options', readFailoverOptions);
  const list = readAddresses(addresses, transport ?? runtime.transport(undefined));
  const transports = [...new Set(list.map((address) => address.transport))];
  const order = new AddressOrder(list.length, returnAfterMs, clock);
  let closers: readonly (() => Promise<void>)[] | undefined;

  const send = async (url: string, request: TransportRequest): Promise<TransportResponse> => {
    closers ??= transports.map(openTransport);
    const target = pathBelow(url, list, request.method);
    const isRead = /^(?:GET|HEAD|QUERY)$/.test(request.method);
    const body = movable(request.body);
    const failures: Failed[] = [];
    let unavailable: { readonly response: TransportResponse; readonly to: string } | undefined;
    try {
      for (const [tries, index] of order.next(isRead).entries()) {
        // The cast: the order has the indexes of the addresses.
        const address = list[index] as KnownAddress;
        const to = address.origin + address.prefix + target;
        const content = body.next();
        const isSame = content === request.body || content === undefined;
        request.onAddress?.(to);
        try {
          const response = await address.transport.send(to, isSame ? request : { ...request, body: content });
          if (response.status !== 503) order.answered(index, tries > 0);
          else order.failed(index);
          if (response.status !== 503 || !isRead) return response;
          if (unavailable) release(response);
          else unavailable = { response, to };
        } catch (error) {
          if (request.signal?.aborted) {
            // An address that stays silent is left, too, but this call has no time to ask another one.
            if (isTimeoutError(request.signal.reason)) order.failed(index);
            throw error;
          }
          const failure = failureOf(error);
          // A body that cannot be read is not a failure of the address.
          if (body.hasFailed || isUploadError(failure)) throw error;
          order.failed(index);
          failures.push({ address, error, code: isNetworkError(failure) ? failure.cause?.code : undefined });
          if (!isRead && (body.isTaken || !isUnsent(error))) break;
        }
      }
      if (unavailable === undefined) throw summarize(failures, url, request.method);
      const { response, to } = unavailable;
      unavailable = undefined;
      request.onAddress?.(to);
      return response;
    } finally {
      release(unavailable?.response);
      body.settle();
    }
  };

  return {
    send,
    async close() {
      const open = closers ?? [];
      closers = undefined;
      await Promise.all(open.map((close) => close()));
    },
    sendsContentLength: list.every((address) => address.transport.sendsContentLength === true),
  };
}

/** Returns path and query below the address of a URL; throws NetworkError for a URL of another origin. */
function pathBelow(url: string, addresses: readonly KnownAddress[], method: string): string {
  const bases = addresses.map(({ origin, prefix }) => origin + prefix);
  const base = bases.find((base) => url.startsWith(base) && /^(?:[/?]|$)/.test(url.slice(base.length)));
  if (base !== undefined) return url.slice(base.length);
  throw new NetworkError(infoOf(url, method), 'not an address of failover; nothing was sent');
}

function infoOf(url: string, method: string): NamedCall {
  const { origin, pathname } = new URL(url);
  return { method, path: pathname, origin };
}

/** Gives the connection of an unused response back. */
const release = (response: TransportResponse | undefined): void => void quietly(() => response?.body?.cancel());

/** The error of this package for a failure, which names no call. */
function failureOf(error: unknown): ArangoServicesError {
  const callInfo = { method: '', path: '', origin: '' };
  return toFailure(error, { callInfo, deadline: undefined }, () => '');
}

/** The error of a request that no address answered. It names each that was asked. */
function summarize(failures: readonly Failed[], url: string, method: string): unknown {
  const last = failures.at(-1);
  if (last === undefined) return new NetworkError(infoOf(url, method));
  if (failures.length === 1) return last.error;
  const attempts = failures.map(({ address, code }) => `${address.origin}${code ? ` ${code}` : ''}`);
  const callInfo = { ...infoOf(url, method), origin: last.address.origin };
  return new NetworkError(callInfo, `no address answered: ${attempts.join(', ')}`, last.code);
}
