import { runtime } from '#runtime';
import type { ArangoServicesError, HttpError } from '../../base/errors.js';
import { backoffMs } from '../../base/lib/backoff.js';
import { waitOnce } from '../../base/lib/wait.js';
import type { CredentialsCall } from './credentials-contract.js';

const firstDelayMs = 200;
const longestDelayMs = 5_000;
const longestRetryAfterMs = 60_000;

/**
 * Returns the delay before the next attempt in milliseconds, or undefined if retrying is pointless. Honors a server's
 * Retry-After up to a minute; the backoff doubles and is jittered, so that clients do not retry in sync.
 */
export function retryDelayMs(failure: ArangoServicesError, tries: number): number | undefined {
  const { status, retryAfterMs = 0 } = failure as Partial<HttpError>;
  const network = failure.code === 'NETWORK' && !runtime.lasting?.test(Object(failure.cause).code);
  // A message beyond the limit of gRPC, which the services answer with 429, stays as long as it is.
  if ((status !== 429 && status !== 503 && !network) || /larger than max/.test(failure.message)) return undefined;
  if (retryAfterMs > longestRetryAfterMs) return undefined;
  return Math.max(retryAfterMs, backoffMs(retryAfterMs > 0 ? 0 : tries, firstDelayMs, longestDelayMs, 0.5));
}

/** Waits for the next attempt and returns true; false if none fits the deadline, or the call was aborted. */
export async function pause(
  delayMs: number | undefined,
  { signal, endsAt }: Partial<NonNullable<CredentialsCall['deadline']>> = {},
): Promise<boolean> {
  if (delayMs === undefined || performance.now() + delayMs >= Number(endsAt)) return false;
  await waitOnce(delayMs, signal ? [signal] : []);
  return !signal?.aborted;
}
