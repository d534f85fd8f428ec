/**
 * Shares one listener per signal among all waiting calls, since Node warns of a leak above ten. The last call removes
 * it.
 */
export class AbortListeners {
  readonly #waiting = new Map<AbortSignal, [callbacks: Set<() => void>, onAbort: () => void]>();

  /** Registers a callback for the signal's abort. */
  add(signal: AbortSignal, callback: () => void): void {
    const known = this.#waiting.get(signal);
    if (known) return void known[0].add(callback);
    const callbacks = new Set([callback]);
    const onAbort = () => {
      for (const callback of callbacks) callback();
    };
    this.#waiting.set(signal, [callbacks, onAbort]);
    signal.addEventListener('abort', onAbort);
  }

  /** Removes a callback. */
  delete(signal: AbortSignal, callback: () => void): void {
    const [callbacks, onAbort] = this.#waiting.get(signal) ?? [];
    if (!callbacks?.delete(callback) || callbacks.size > 0) return;
    this.#waiting.delete(signal);
    // The cast: it was registered with the callbacks.
    signal.removeEventListener('abort', onAbort as () => void);
  }
}
