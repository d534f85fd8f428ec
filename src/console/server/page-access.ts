import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hostOf, isLoopback } from '../../base/lib/host-names.js';
import type { AccessOptions } from '../../mock/adapters/node/console-port.js';
import { consoleWire } from '../api.js';
import { ConsoleError } from '../console-error.js';

/** Request headers by lower-case name; repeated ones are joined by commas. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** A refused request: its status, and the error that the page reads. */
export class Refused extends Error {
  readonly status: number;
  readonly error: ConsoleError;

  constructor(status: number, error: ConsoleError) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

/** Authenticates the callers of one console. */
export interface PageAccess {
  /** The key to print. */
  readonly key: string;
  /** Checks the caller of a static file. */
  checkPage(headers: Headers): void;
  /** Checks a caller that opens a session. */
  checkCaller(headers: Headers): void;
  /** Checks the caller of an API call: its page token, and its cookie if a key is needed. */
  checkCall(headers: Headers): void;
  /** Returns a new page token, and the cookie to set if a key was given. */
  begin(headers: Headers, key: string | undefined): { readonly token: string; readonly cookie: string | undefined };
}

/** Returns 128 random bits, encoded so that they can stand in a URL. */
const newSecret = (): string => randomBytes(16).toString('base64url');

/** Compares in constant time, also texts of unequal length. */
function isSame(value: string, wanted: string): boolean {
  const [a, b] = [value, wanted].map((text) => createHash('sha256').update(text).digest());
  // The casts: `digest` returned both.
  return timingSafeEqual(a as Buffer, b as Buffer);
}

/** True for an IP address in the form of a URL's host. DNS rebinding needs a name, so addresses are safe. */
const isAddress = (host: string): boolean => /^(?:\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])$/.test(host);

const refuse = (message: string): Refused => new Refused(403, new ConsoleError('failed', message));

/** Creates the checks of one port, with new secrets. */
export function createAccess({ allowedHosts, needsKey, port }: AccessOptions): PageAccess {
  const [key, session, pageToken] = [newSecret(), newSecret(), newSecret()];
  const names: ReadonlySet<string> = new Set(allowedHosts);

  const cookieName = (): string => `arango-services-console-${port()}`;

  function hasCookie({ cookie = '' }: Headers): boolean {
    const prefix = `${cookieName()}=`;
    const values = cookie
      .split(';')
      .flatMap((pair) => (pair.trim().startsWith(prefix) ? pair.trim().slice(prefix.length) : []));
    return values.some((value) => isSame(value, session));
  }

  function checkHost({ host }: Headers): void {
    const name = host === undefined ? undefined : hostOf(host);
    if (name !== undefined && (isLoopback(name) || names.has(name) || isAddress(name))) return;
    throw refuse('the console answers only to loopback names, addresses and allowed hosts (--allowed-host)');
  }

  function checkOrigin({ host, origin }: Headers): void {
    // A browser that follows the printed link sends no origin.
    if (origin === undefined || origin === `http://${host}` || origin === `https://${host}`) return;
    throw refuse('only the page of the console itself may call it');
  }

  function checkCaller(headers: Headers): void {
    checkHost(headers);
    checkOrigin(headers);
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') throw refuse('only the page of the console itself may call it');
    // Browsers send `sec-fetch-site` or `origin` with each call.
    if (site === undefined && headers.origin === undefined) throw refuse('expected the header Origin');
  }

  return {
    key,
    checkPage(headers) {
      checkHost(headers);
      checkOrigin(headers);
      const { 'sec-fetch-site': site, 'sec-fetch-dest': target } = headers;
      // Any page may link to the console, but only as a top-level navigation.
      if (site === undefined || site === 'same-origin' || site === 'none' || target === 'document') return;
      throw refuse('only the page of the console itself may load its files');
    },
    checkCaller,
    checkCall(headers) {
      checkCaller(headers);
      if (needsKey() && !hasCookie(headers)) throw new Refused(401, new ConsoleError('key', 'a key is needed'));
      if (isSame(headers[consoleWire.tokenHeader] ?? '', pageToken)) return;
      throw new Refused(401, new ConsoleError('token', 'a new session is needed'));
    },
    begin(headers, sentKey) {
      if (!needsKey() || hasCookie(headers)) return { token: pageToken, cookie: undefined };
      if (sentKey === undefined)
        throw new Refused(401, new ConsoleError('key', 'enter the key that was printed at start'));
      if (!isSame(sentKey, key))
        throw new Refused(401, new ConsoleError('key', 'this is not the key that was printed'));
      return { token: pageToken, cookie: `${cookieName()}=${session}; Path=/_console; HttpOnly; SameSite=Strict` };
    },
  };
}
