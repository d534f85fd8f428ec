import type { ConsoleApi } from './api.js';
import { toConsoleError } from './to-console-error.js';

/** The calls of an API, each of which rejects with a `ConsoleError`; streams are left as they are. */
export function answering(api: ConsoleApi): ConsoleApi {
  const calls = Object.entries(api).map(([name, call]) => {
    if (name === 'events' || name === 'log') return [name, call] as const;
    const answer = async (argument: unknown): Promise<unknown> => {
      try {
        return await call(argument);
      } catch (error) {
        throw toConsoleError(error, argumentOf(name));
      }
    };
    return [name, answer] as const;
  });
  // The cast: the names are the same, and each call takes and answers the same.
  return Object.fromEntries(calls) as unknown as ConsoleApi;
}

/** Names the argument of a call that holds a policy, for errors. */
const argumentOf = (name: string): string | undefined => (name === 'edit' || name === 'preview' ? 'edit' : undefined);
