import type { ArangoServicesError, HttpError } from '../errors.js';
import { backoffMs } from '../lib/backoff.js';
import { waitOnce } from '../lib/wait.js';
import type { CredentialsCall } from './credentials-contract.js';

const firstDelayMs = 200;
const longestDelayMs = 5_000;
const longestRetryAfterMs = 60_000;
// Certificates, handshakes and names that do not exist: the next try would fail in the same way.
const lasting = /CERT|SSL|TLS|SIGNATURE|ENOTFOUND/;

/**
 * Milliseconds to wait before the next try, or undefined when another try is of no use.
 * A server's Retry-After counts up to a minute; the delay doubles and is jittered, so that clients do not come back
 * together.
 */
export function retryDelayMs(failure: ArangoServicesError, tries: number): number | undefined {
  const { status, retryAfterMs = 0 } = failure as Partial<HttpError>;
  const network = failure.code === 'NETWORK' && !lasting.test(String(Object(failure.cause).code));
  if (status !== 429 && status !== 503 && !network) return undefined;
  if (retryAfterMs > longestRetryAfterMs) return undefined;
  return Math.max(retryAfterMs, backoffMs(retryAfterMs > 0 ? 0 : tries, firstDelayMs, longestDelayMs, 0.5));
}

/** Waits for the next try and gives true; false if there is none within the deadline, or the call was aborted. */
export async function pause(
  delayMs: number | undefined,
  { signal, endsAt }: Partial<NonNullable<CredentialsCall['deadline']>> = {},
): Promise<boolean> {
  if (delayMs === undefined || performance.now() + delayMs >= Number(endsAt)) return false;
  await waitOnce(delayMs, signal ? [signal] : []);
  return !signal?.aborted;
}
