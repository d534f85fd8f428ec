import { InvalidArgumentError } from '../../../errors.js';
import { expected } from '../../../lib/readers.js';
import { DatabaseFailure, failureResponse, type NeutralResponse } from '../../wire/http.js';

// A page that somebody visits can send requests to ports of the same machine: by a name that it lets point to 127.0.0.1
// (DNS rebinding), and to some extent from its own origin. A port for this machine alone refuses both.

/** Who may call a port. */
interface Callers {
  /** Names and addresses that count as this machine. */
  readonly allowedHosts: readonly string[];
  /** The origins of the pages that may call. */
  readonly origins: readonly string[];
}

/** The host of an authority (`localhost:8529`), as a URL has it; undefined for what is none. */
function hostOf(authority: string): string | undefined {
  if (/[/?#@\\\s]/.test(authority) || !URL.canParse(`http://${authority}`)) return undefined;
  return new URL(`http://${authority}`).hostname.replace(/\.$/, '');
}

/** Whether a host, as a URL has it, is this machine: `localhost`, a name below it, or a loopback address. */
function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/.test(host);
}

/** Whether a socket that listens at this address is there for this machine alone. */
export function isLoopbackAddress(address: string): boolean {
  return isLoopback(hostOf(address.includes(':') ? `[${address}]` : address) ?? '');
}

/**
 * Reads the option `allowedHosts`.
 * @throws InvalidArgumentError for what is no name and no address.
 */
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
  const { headers, ...reply } = failureResponse(new DatabaseFailure(403, 403, message), 'database');
  return { ...reply, headers: [...headers, ['vary', 'origin']] };
}

/** The answer to a request that comes by another name or from a page of another origin; undefined for all others. */
export type HostCheck = (host: string | undefined, origin: string | undefined) => NeutralResponse | undefined;

/** Makes the check of a port. `isLocal` says whether the port is there for this machine alone. */
export function createHostCheck({ allowedHosts, origins }: Callers, isLocal: () => boolean): HostCheck {
  const names: ReadonlySet<string> = new Set(allowedHosts);
  const pages: ReadonlySet<string> = new Set(origins);
  const isOurs = (host: string | undefined): boolean => host !== undefined && (isLoopback(host) || names.has(host));
  // Most requests come by the same name: it is read once.
  let known: string | undefined;

  return (host, origin) => {
    if (names.size === 0 && !isLocal()) return undefined;
    if (host === undefined || (host !== known && !isOurs(hostOf(host)))) {
      return refusal(
        'this port answers only to names of this machine: ' +
          'name the Host of the request in allowedHosts (--allowed-host)',
      );
    }
    known = host;
    if (origin === undefined || pages.has(origin)) return undefined;
    const page = /^https?:\/\/(.*)$/.exec(origin)?.[1];
    if (page !== undefined && (page === host || isOurs(hostOf(page)))) return undefined;
    return refusal('pages of this origin may not call: name the Origin of the request in cors (--cors)');
  };
}
