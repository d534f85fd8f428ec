import type { Grant } from './compile.js';

/** An action that a user asked for, and the grants that it comes to; then the actions before it. */
interface Asked {
  readonly action: string;
  readonly grants: Grant | undefined;
  readonly next: Asked | undefined;
  /** How many there are, this one included. */
  readonly count: number;
}

/**
 * What the users who asked last were granted, by user and action, resources still open. It is small and close together in
 * memory, whatever the size of the state, and made-up actions cannot fill it.
 */
export class Recent {
  private readonly users = new Map<string, Asked>();

  /** The grants of a question asked before; null: it was not. Users ask for few actions, so a short chain beats a Map. */
  get(user: string, action: string): Grant | undefined | null {
    for (let asked = this.users.get(user); asked !== undefined; asked = asked.next) {
      if (asked.action === action) return asked.grants;
    }
    return null;
  }

  set(user: string, action: string, grants: Grant | undefined): void {
    if (this.users.size >= 32_768) this.users.clear();
    const known = this.users.get(user);
    const next = known?.count === 16 ? undefined : known;
    this.users.set(user, { action, grants, next, count: (next?.count ?? 0) + 1 });
  }

  forget(user: string): void {
    this.users.delete(user);
  }

  clear(): void {
    this.users.clear();
  }
}
