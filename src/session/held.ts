import { renewAfterMs, usableMs } from '../credentials/renewal-times.js';
import type { ReadSession } from './record.js';

/** A session in use. Its times are on the connection's clock, which ignores changes of the system clock. */
export interface Held extends ReadSession {
  readonly header: string;
  readonly endsAt: number;
  /** When the user has to sign in again, by the system clock. */
  readonly mustEndAt: number;
  renewAt: number;
  failures: number;
}

/**
 * Adds the times of renewal and expiry to a session; undefined if it has expired.
 *
 * @param startedAt when the token was requested, on the connection's clock.
 */
export function hold(
  read: ReadSession | undefined,
  startedAt: number,
  now: number,
  maxAgeMs: number,
): Held | undefined {
  if (!read) return undefined;
  const { token, lifetimeMs, signedInAt } = read;
  const endsAt = startedAt + usableMs(lifetimeMs);
  const mustEndAt = signedInAt + maxAgeMs;
  const ageLeftMs = mustEndAt - Date.now();
  const isOutliving = endsAt - now >= ageLeftMs;
  const held: Held = {
    ...read,
    header: `Bearer ${token}`,
    endsAt,
    mustEndAt,
    // A token that outlives the session is not renewed.
    renewAt: isOutliving ? Number.POSITIVE_INFINITY : startedAt + renewAfterMs(lifetimeMs),
    failures: 0,
  };
  return now < endsAt && ageLeftMs > 0 ? held : undefined;
}
