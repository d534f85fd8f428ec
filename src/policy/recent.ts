import type { Grant } from './compile.js';

/** How much is remembered: so many actions, and so many pairs of action and user in all. */
const limits = { actions: 1024, entries: 65_536 };

/**
 * What was granted to those who asked, by action and user, resources still open. It is close together in memory whatever
 * the size of the state, and when made-up actions fill it, it starts again.
 */
export class Recent {
  readonly #actions = new Map<string, Map<string, Grant | null>>();
  #entries = 0;

  /** The grants of a question asked before; null: nothing is granted; undefined: it was not asked. */
  get(user: string, action: string): Grant | null | undefined {
    return this.#actions.get(action)?.get(user);
  }

  set(user: string, action: string, grants: Grant | null): void {
    if (this.#entries === limits.entries) this.clear();
    let users = this.#actions.get(action);
    if (users === undefined) {
      if (this.#actions.size === limits.actions) this.clear();
      users = new Map();
      this.#actions.set(action, users);
    }
    users.set(user, grants);
    this.#entries++;
  }

  forget(user: string): void {
    for (const users of this.#actions.values()) if (users.delete(user)) this.#entries--;
  }

  clear(): void {
    this.#actions.clear();
    this.#entries = 0;
  }
}
