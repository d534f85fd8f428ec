import { InvalidArgumentError } from '../../../base/errors.js';
import { hostOf, isLoopback } from '../../../base/lib/host-names.js';
import { expected } from '../../../base/lib/readers.js';
import { DatabaseFailure, failureResponse, type NeutralResponse } from '../../wire/http.js';

// Any page in a browser can send requests to local ports: through a host name that resolves to 127.0.0.1 (DNS
// rebinding) and, within limits, from its own origin. A loopback port refuses both.

/** The callers that a port accepts. */
interface Callers {
  /** Host names and addresses to accept besides loopback. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may call. */
  readonly origins: readonly string[];
}

/** True if a socket bound to this address is reachable from this machine only. */
export function isLoopbackAddress(address: string): boolean {
  return isLoopback(hostOf(address.includes(':') ? `[${address}]` : address) ?? '');
}

/** Reads the option `allowedHosts`; throws InvalidArgumentError for an entry that is not a host name or address. */
export function readAllowedHosts(hosts: readonly string[] = []): readonly string[] {
  if (!Array.isArray(hosts)) throw expected('allowedHosts', 'a list of host names', hosts);
  return hosts.map((host, i) => {
    const read = typeof host === 'string' ? hostOf(host) : undefined;
    if (read === undefined || /:\d+$/.test(host.replace(/^\[.*\]/, ''))) {
      throw new InvalidArgumentError(
        `allowedHosts[${i}]`,
        'expected the name or the address of a host, without a port, like "db.test"',
      );
    }
    return read;
  });
}

function refusal(message: string): NeutralResponse {
  const { headers, ...response } = failureResponse(new DatabaseFailure(403, 403, message), 'database');
  return { ...response, headers: [...headers, ['vary', 'origin']] };
}

/** Refuses a request for an unknown host or from another origin; undefined if the request is accepted. */
export type HostCheck = (host: string | undefined, origin: string | undefined) => NeutralResponse | undefined;

/** Creates the check of a port. `isLocal` returns true if the port is bound to a loopback address. */
export function createHostCheck({ allowedHosts, origins }: Callers, isLocal: () => boolean): HostCheck {
  const names: ReadonlySet<string> = new Set(allowedHosts);
  const pages: ReadonlySet<string> = new Set(origins);
  const isOurs = (host: string | undefined): boolean => host !== undefined && (isLoopback(host) || names.has(host));
  // Most requests have the same host, so the last one accepted is cached.
  let lastHost: string | undefined;

  return (host, origin) => {
    if (names.size === 0 && !isLocal()) return undefined;
    if (host === undefined || (host !== lastHost && !isOurs(hostOf(host)))) {
      return refusal(
        'this port answers only to loopback host names: list the Host of the request in allowedHosts (--allowed-host)',
      );
    }
    lastHost = host;
    if (origin === undefined || pages.has(origin)) return undefined;
    const page = /^https?:\/\/(.*)$/.exec(origin)?.[1];
    if (page !== undefined && (page === host || isOurs(hostOf(page)))) return undefined;
    return refusal('pages of this origin may not call: list the Origin of the request in cors (--cors)');
  };
}
