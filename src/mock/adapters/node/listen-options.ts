import { asGiven, optionsOf, type Reader, type ReadersOf, readFlag } from '../../../base/lib/readers.js';
import { addressReaders, type ListeningAddress } from './listening-address.js';
import { type Timeouts, timeoutReaders } from './timeouts.js';

/** Options of `listen`. */
export interface ListenOptions extends ListeningAddress, Timeouts {
  /** The origins whose pages may call, like `['http://localhost:5173']`. Default: none. */
  readonly cors?: readonly string[] | undefined;
  /**
   * Additional `Host` names that a loopback port accepts, like `['db.test']`. `localhost`, its subdomains and loopback
   * addresses are always accepted. A port that other machines can reach accepts any host, unless names are listed here.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Serves the console, a page that shows requests, decisions and permissions, at `/_console`. If other machines can
   * reach the port, the page asks for the key in `server.console`. Default false.
   */
  readonly console?: boolean | undefined;
  /** Serves the gateway alone, as `mock.gateway` is: `/_integration/*` is not routed. Default false. */
  readonly gateway?: boolean | undefined;
}

export const readListenOptions = optionsOf({
  ...addressReaders,
  ...timeoutReaders,
  // `createCors` and `readAllowedHosts` check these.
  cors: asGiven as Reader<readonly string[]>,
  allowedHosts: asGiven as Reader<readonly string[]>,
  console: readFlag,
  gateway: readFlag,
} satisfies ReadersOf<ListenOptions>);
