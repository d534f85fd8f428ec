import { readOwner, readTimes } from '../../base/jwt/token-text.js';
import { longestToken } from '../../base/lib/readers.js';

/** A session as written to a store. Its times are on the system clock. */
export interface SessionRecord {
  readonly token: string;
  /** When the token was requested, in milliseconds since 1970. */
  readonly askedAt: number;
  /** When the user signed in. */
  readonly signedInAt: number;
  /** Orders the sessions of one name: see {@link nextVersion}. */
  readonly version: number;
}

/**
 * Returns the version of a sign-in or an end, higher than all seen ones. It is a whole number near the current time, so
 * that it also exceeds versions that this tab has not seen.
 */
export const nextVersion = (...seen: readonly number[]): number =>
  Math.max(Date.now(), Math.floor(Math.max(...seen)) + 1);

/** The version of a renewed session: higher than before, but below any later sign-in. */
export const renewedVersion = (version: number): number => version + 2 ** -10;

/** A session with the claims of its token, which are not verified. */
export interface ReadSession extends SessionRecord {
  readonly user: string;
  readonly groups: readonly string[];
  /** Infinity if the token does not expire. */
  readonly lifetimeMs: number;
  /** The expiry of the token in milliseconds since 1970, on the service's clock; Infinity if it does not expire. */
  readonly expiresAtMs: number;
}

/** Reads the claims of a session's token; undefined if the token is malformed or names no user. */
export function readSession(record: SessionRecord): ReadSession | undefined {
  const { token } = record;
  const owner = token.length > longestToken ? undefined : readOwner(token);
  const { lifetimeMs = Number.POSITIVE_INFINITY, expiresAt } = readTimes(token);
  const expiresAtMs = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return owner && { ...record, ...owner, lifetimeMs, expiresAtMs };
}

/** Serializes a session for a store. */
export const formatRecord = ({ token, askedAt, signedInAt, version }: SessionRecord): string =>
  JSON.stringify({ token, askedAt, signedInAt, version });

/** Parses the text in a store; undefined if it is damaged. */
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
