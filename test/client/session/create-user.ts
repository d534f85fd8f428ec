import type { UserSession } from '../../../src/client/session/index.ts';

/** A session whose user changes when the test says so. */
export function createUser(name?: string) {
  const listeners = new Set<() => void>();
  const on: UserSession['on'] = (_event, listener) => {
    // The cast: only `change` is heard, whose listeners take nothing.
    listeners.add(listener as () => void);
    return () => void listeners.delete(listener as () => void);
  };
  return {
    user: name,
    on,
    listeners,
    become(user: string | undefined) {
      this.user = user;
      for (const listener of [...listeners]) listener();
    },
  };
}
