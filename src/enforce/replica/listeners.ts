import { quietly } from '../../base/lib/quietly.js';
import { expected } from '../../base/lib/readers.js';

/** Listeners by event; `Events` maps each event to its value. */
export class Listeners<Events extends object> {
  readonly #byEvent: ReadonlyMap<keyof Events, Set<(value: never) => void>>;
  /** A queue, so that all listeners see events in the same order even if one of them causes another event. */
  readonly #queue: (() => void)[] = [];

  constructor(...events: (keyof Events & string)[]) {
    this.#byEvent = new Map(events.map((event) => [event, new Set()]));
  }

  /**
   * Adds a listener; the same function may be added twice.
   * @returns a function that removes it.
   * @throws InvalidArgumentError for an unknown event, and for a listener that is not a function.
   */
  add<E extends keyof Events>(event: E, listener: (value: Events[E]) => void): () => void {
    const listeners = this.#byEvent.get(event);
    if (listeners === undefined) throw expected('event', [...this.#byEvent.keys()].join(' or '), event);
    if (typeof listener !== 'function') throw expected('listener', 'a function', listener);
    const listed = (value: Events[E]): void => listener(value);
    listeners.add(listed);
    return () => void listeners.delete(listed);
  }

  has(event: keyof Events): boolean {
    return !!this.#byEvent.get(event)?.size;
  }

  /** Calls the listeners of an event. Ignores their errors and rejected promises. */
  emit<E extends keyof Events>(event: E, make: () => Events[E]): void {
    const listeners = this.#byEvent.get(event);
    if (listeners === undefined || listeners.size === 0) return;
    const value = make();
    this.#queue.push(() => {
      // The cast: the listeners of an event accept its value.
      for (const listener of listeners as Set<(value: Events[E]) => void>) void quietly(() => listener(value));
    });
    if (this.#queue.length > 1) return;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      next();
      this.#queue.shift();
    }
  }
}
