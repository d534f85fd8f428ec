import { systemCode } from '../../../base/lib/system-errors.js';
import { UsageError } from './usage-error.js';

/** Waits for the signal that stops a command. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Makes a problem of the user of a port that is not available. */
export function portProblem(error: unknown): unknown {
  const code = systemCode(error);
  if (code === 'EADDRINUSE') return new UsageError({ where: '--port', message: 'is already in use' });
  return code === 'EACCES' ? new UsageError({ where: '--port', message: 'may not be used by this user' }) : error;
}
