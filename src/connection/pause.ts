import type { CredentialsCall } from './credentials.js';

/** Waits for the next try and gives true; false if there is none within the deadline, or the call was aborted. */
export async function pause(
  delayMs: number | undefined,
  { signal, endsAt }: Partial<NonNullable<CredentialsCall['deadline']>> = {},
): Promise<boolean> {
  if (delayMs === undefined || performance.now() + delayMs >= Number(endsAt)) return false;
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(!signal?.aborted);
    };
    const timer = setTimeout(stop, delayMs);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
  });
}
