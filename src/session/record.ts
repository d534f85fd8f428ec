import { readOwner, readTimes } from '../jwt/token-text.js';
import { longestToken } from '../lib/readers.js';

/** A session as a store keeps it, with times by the system clock. */
export interface SessionRecord {
  readonly token: string;
  /** When the token was requested, in milliseconds since 1970. */
  readonly askedAt: number;
  /** When the user signed in. */
  readonly signedInAt: number;
  /** Orders the sessions of a name: see {@link nextVersion}. */
  readonly version: number;
}

/**
 * Returns the version of a sign-in or an end, later than those seen: a whole number near the time, so that a tab that
 * has seen none of them does not begin before them.
 */
export const nextVersion = (...seen: readonly number[]): number =>
  Math.max(Date.now(), Math.floor(Math.max(...seen)) + 1);

/** The version of a renewed session. It stays below that of any later sign-in. */
export const renewedVersion = (version: number): number => version + 2 ** -10;

/** A session with the claims of its token, which are not verified. */
export interface ReadSession extends SessionRecord {
  readonly user: string;
  readonly groups: readonly string[];
  /** Infinity if the token does not expire. */
  readonly lifetimeMs: number;
  /** The end of the token in milliseconds since 1970, by the service's clock; Infinity if it has none. */
  readonly expiresAtMs: number;
}

/** Reads a session's token; undefined for a malformed one, or one that names no user. */
export function readSession(record: SessionRecord): ReadSession | undefined {
  const { token } = record;
  const owner = token.length > longestToken ? undefined : readOwner(token);
  const { lifetimeMs = Number.POSITIVE_INFINITY, expiresAt } = readTimes(token);
  const expiresAtMs = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return owner && { ...record, ...owner, lifetimeMs, expiresAtMs };
}

/** Writes a session for a store. */
export const formatRecord = ({ token, askedAt, signedInAt, version }: SessionRecord): string =>
  JSON.stringify({ token, askedAt, signedInAt, version });

/** Parses an entry of a store; undefined if it is damaged. */
export function parseRecord(text: unknown): ReadSession | undefined {
  try {
    // The cast: each field is checked below.
    const { token, askedAt, signedInAt, version = signedInAt } = JSON.parse(text as string) as Record<string, number>;
    return typeof token === 'string' && [askedAt, signedInAt, version].every(Number.isFinite)
      ? readSession({ token, askedAt, signedInAt, version } as SessionRecord)
      : undefined;
  } catch {
    return undefined;
  }
}
