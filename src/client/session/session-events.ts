import { quietly } from '../../base/lib/quietly.js';

/**
 * The reason for the end of a session, the same in each tab that it ends: `signed-out`, `expired` or `refused` by the
 * service, here or in another tab, or `lost`: its store or mark was emptied or damaged by something else, or another
 * tab announced a session that did not appear there.
 */
export type EndReason = 'signed-out' | 'expired' | 'refused' | 'lost';

/** Tells listeners why a session ended. */
export type SessionEnd = { readonly reason: EndReason };

/** The events of a session, with the argument that listeners receive. */
export interface SessionEvents {
  /** The user or the expiry changed: signed in, restored, renewed or ended, here or in another tab. */
  readonly change: undefined;
  /** The reason why it ended, like `expired` or `signed-out`. */
  readonly end: SessionEnd;
}

/** Listeners by the name of their event. */
export class Listeners {
  readonly #all = new Set<readonly [name: string, listener: (event: never) => unknown]>();

  /** The number of listeners, of all events. */
  get size(): number {
    return this.#all.size;
  }

  add(name: string, listener: (event: never) => unknown): () => void {
    const entry = [name, listener] as const;
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  emit<E extends keyof SessionEvents>(event: E, argument: SessionEvents[E]): void {
    for (const [name, listener] of [...this.#all]) {
      // The cast: `on` has bound the listener's type to the name.
      if (name === event) quietly(() => listener(argument as never));
    }
  }
}
