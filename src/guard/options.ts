import { accepting, listOf, optional, optionsOf, type ReadOptions, readFlag, strictObject } from '../lib/readers.js';
import type { MemoryLimits } from './memory.js';
import type { Authenticate } from './source.js';

/** What `createGuard` takes. */
export interface GuardOptions {
  /** Named in the `WWW-Authenticate` of a 401. Default none. */
  readonly realm?: string | undefined;
  /**
   * Takes the session cookie where a request has no `Authorization`. What changes something (anything but GET, HEAD and OPTIONS) must then
   * come from a page of this service: `Sec-Fetch-Site: same-origin`, or an `Origin` that is the request's own or one of `origins`.
   * Default false.
   */
  readonly cookies?: boolean | undefined;
  /** More origins whose pages may use the cookie, for services behind proxies: `['https://shop.example.com']`. Default none. */
  readonly origins?: readonly string[] | undefined;
  /** Has `check` and `checkMany` say who the caller is; with a client it is one more request. Default false. */
  readonly identify?: boolean | undefined;
  /**
   * Keeps decisions, Allow and Deny, by a digest of the token and never beyond its `exp`. A permission that is taken away counts
   * that much later. Default: none are kept.
   */
  readonly cache?:
    | {
        /** How long, as a duration like `'5s'`. */
        readonly ttl: string;
        /** How many at the most. Default 10 000. */
        readonly max?: number | undefined;
      }
    | undefined;
  /** Milliseconds for each decision; what takes longer is 503. Default: the client's. */
  readonly timeout?: number | undefined;
  /** Whom a token belongs to, where the source is no client. Default: the source's own `authenticate`. */
  readonly authenticate?: Authenticate | undefined;
  /** Milliseconds since 1970, for the cache; a mock's clock fits. Default `Date`. */
  readonly clock?: { now(): number } | undefined;
}
