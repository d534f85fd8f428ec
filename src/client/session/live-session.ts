import { renewAfterMs, usableMs } from '../credentials/renewal-times.js';
import type { ReadSession } from './record.js';

/** A session in use. Its times are on the connection's clock, which does not jump when the system clock is set. */
export interface LiveSession extends ReadSession {
  readonly header: string;
  readonly endsAt: number;
  /** When the user has to sign in again, by the system clock. */
  readonly mustEndAt: number;
  version: number;
  renewAt: number;
  failures: number;
}

/**
 * Adds the times of renewal and expiry to a session; undefined if it has expired.
 *
 * @param startedAt when the token was requested, on the connection's clock.
 */
export function toLiveSession(
  read: ReadSession | undefined,
  startedAt: number,
  now: number,
  maxAgeMs: number,
): LiveSession | undefined {
  if (!read) return undefined;
  const { token, lifetimeMs } = read;
  // The system clock may have been set back since the user signed in.
  const signedInAt = Math.min(read.signedInAt, Date.now());
  const endsAt = startedAt + usableMs(lifetimeMs);
  const mustEndAt = signedInAt + maxAgeMs;
  const ageLeftMs = mustEndAt - Date.now();
  const isOutliving = endsAt - now >= ageLeftMs;
  const live: LiveSession = {
    ...read,
    signedInAt,
    header: `Bearer ${token}`,
    endsAt,
    mustEndAt,
    // A token that is valid longer than the session is not renewed.
    renewAt: isOutliving ? Number.POSITIVE_INFINITY : startedAt + renewAfterMs(lifetimeMs),
    failures: 0,
  };
  return now < endsAt && ageLeftMs > 0 ? live : undefined;
}
