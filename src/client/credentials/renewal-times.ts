import { backoffMs } from '../../base/lib/backoff.js';

/** The timeout of a token request: a hanging one must not block all later calls. */
export const tokenTimeoutMs = 30_000;
/** The wait after the first failed token request. */
export const firstBackoffMs = 1_000;

const renewFrom = 0.75;
const jitter = 0.1;
// Token times are truncated to seconds, so a token may expire up to 1 s early.
const roundingMs = 1_000;
// Backs off longer while the current token is still valid.
const longestBackoffMs = 60_000;

/** The time from the request of a token in which it is used. */
export const usableMs = (lifetimeMs: number): number => Math.max(lifetimeMs - roundingMs, lifetimeMs * renewFrom);

/** The time from the request of a token to its renewal: 75% to 85% of its lifetime, at random. */
export const renewAfterMs = (lifetimeMs: number): number => lifetimeMs * (renewFrom + jitter * Math.random());

/** The wait after some failed renewals, while the current token is still valid. */
export const renewalBackoffMs = (failures: number): number =>
  backoffMs(failures, firstBackoffMs, longestBackoffMs, 0.5);
