import type { Grant } from './compile.js';

const capacity = 65_536;

/**
 * What was granted to those who asked, by the number of the action and by user, resources still open. It is close together
 * in memory whatever the size of the state; when it is full, it starts again.
 */
export class GrantCache {
  #actions: (Map<string, Grant | null> | undefined)[] = [];
  #entries = 0;

  /** The grants of a question asked before; null: nothing is granted; undefined: it was not asked. */
  get(user: string, action: number): Grant | null | undefined {
    return this.#actions[action]?.get(user);
  }

  set(user: string, action: number, grants: Grant | null): void {
    if (this.#entries === capacity) this.clear();
    const users = this.#actions[action];
    if (users === undefined) this.#actions[action] = new Map([[user, grants]]);
    else users.set(user, grants);
    this.#entries++;
  }

  forget(user: string): void {
    for (const users of this.#actions) if (users?.delete(user)) this.#entries--;
  }

  clear(): void {
    this.#actions = [];
    this.#entries = 0;
  }
}
