import { readOwner, readTimes } from '../../base/jwt/token-text.js';
import { longestToken } from '../../base/lib/readers.js';
import { renewAfterMs, usableMs } from '../credentials/renewal-times.js';

/** A session as written to a store. Its times are on the system clock. */
export interface SessionRecord {
  readonly token: string;
  /** The time of the token request, in milliseconds since 1970. */
  readonly askedAt: number;
  /** The time of the sign-in. */
  readonly signedInAt: number;
  /** Orders the sessions of one name: see {@link nextVersion}. */
  readonly version: number;
}

/** A session with its unverified claims. Its times are on the connection's clock, which does not jump. */
export interface LiveSession extends Omit<SessionRecord, 'version'> {
  readonly user: string;
  readonly groups: readonly string[];
  readonly header: string;
  /** Infinity if the token does not expire. */
  readonly lifetimeMs: number;
  /** The expiry of the token in milliseconds since 1970, on the service's clock; Infinity if it does not expire. */
  readonly expiresAtMs: number;
  readonly endsAt: number;
  readonly renewAt: number;
  /** The time at which the user has to sign in again, by the system clock. */
  readonly mustEndAt: number;
}

/** A hundred years: some clocks start in 1970 until they are set. */
const mostSetBackMs = 3_155_760_000_000;

/** True for a version that a tab may have chosen, even if the clock was set back since. Each is below 2^53. */
export const isPlausible = (version: number, now: number): boolean => version >= 0 && version <= now + mostSetBackMs;

/**
 * Returns the version of a sign-in or an end, higher than all seen ones. It is a whole number near the current time, so
 * that it also exceeds versions that this tab has not seen.
 */
export const nextVersion = (now: number, ...seen: readonly number[]): number =>
  Math.max(now, Math.floor(Math.max(...seen)) + 1);

/** The version of a renewed session: higher than before, but below any later sign-in. */
export const renewedVersion = (version: number): number => version + Math.max(2 ** -10, version * Number.EPSILON);

/** Serializes a session for a store. */
export const formatRecord = ({ token, askedAt, signedInAt, version }: SessionRecord): string =>
  JSON.stringify({ token, askedAt, signedInAt, version });

const damaged: SessionRecord = { token: '', askedAt: Number.NaN, signedInAt: Number.NaN, version: Number.NaN };

/** Parses the text in a store. All numbers are NaN if it is damaged, or has a version that no tab chooses. */
export function parseRecord(text: unknown): SessionRecord {
  try {
    // The cast: each field is checked here.
    const { token, askedAt, signedInAt, version = signedInAt } = JSON.parse(text as string) as SessionRecord;
    const isIntact = [askedAt, signedInAt, version].every(Number.isFinite) && isPlausible(version, Date.now());
    return typeof token === 'string' && isIntact ? { token, askedAt, signedInAt, version } : damaged;
  } catch {
    return damaged;
  }
}

/**
 * Reads the claims of a token; undefined if it is malformed, names no user or has expired.
 *
 * @param startedAt when the token was requested, on the connection's clock.
 */
export function toLiveSession(
  { token, askedAt, signedInAt: since }: Omit<SessionRecord, 'version'>,
  startedAt: number,
  now: number,
  maxAgeMs: number,
): LiveSession | undefined {
  const owner = token.length > longestToken ? undefined : readOwner(token);
  const { lifetimeMs = Number.POSITIVE_INFINITY, expiresAt } = readTimes(token);
  // The system clock may have been set back since the user signed in.
  const signedInAt = Math.min(since, Date.now());
  const endsAt = startedAt + usableMs(lifetimeMs);
  const mustEndAt = signedInAt + maxAgeMs;
  const ageLeftMs = mustEndAt - Date.now();
  if (!owner || now >= endsAt || ageLeftMs <= 0) return undefined;
  return {
    ...owner,
    token,
    askedAt,
    signedInAt,
    header: `Bearer ${token}`,
    lifetimeMs,
    expiresAtMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    endsAt,
    mustEndAt,
    // A token that is valid longer than the session is not renewed.
    renewAt: endsAt - now >= ageLeftMs ? Number.POSITIVE_INFINITY : startedAt + renewAfterMs(lifetimeMs),
  };
}
