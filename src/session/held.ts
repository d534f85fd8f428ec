import { renewAfterMs, usableMs } from '../credentials/renewal-times.js';
import type { ReadSession } from './record.js';

/** A session in use. Its times are on the connection's clock, which does not jump with the machine's. */
export interface Held extends ReadSession {
  readonly header: string;
  readonly endsAt: number;
  /** When the user has to sign in again, in this machine's time. */
  readonly mustEndAt: number;
  renewAt: number;
  failures: number;
}

/**
 * Adds the times of use to a session; undefined if they are over.
 *
 * @param startedAt when the token was asked for, on the connection's clock.
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
    // A token that is good until the user has to sign in again is not renewed.
    renewAt: isOutliving ? Number.POSITIVE_INFINITY : startedAt + renewAfterMs(lifetimeMs),
    failures: 0,
  };
  return now < endsAt && ageLeftMs > 0 ? held : undefined;
}
