interface SignalListeners {
  readonly callbacks: Set<() => void>;
  readonly onAbort: () => void;
}

/**
 * Shares one listener per signal among all waiting calls, since Node warns of a leak above ten. The last call removes
 * it.
 */
export class AbortListeners {
  readonly #waiting = new Map<AbortSignal, SignalListeners>();

  /** Registers a callback for the signal's abort. */
  add(signal: AbortSignal, callback: () => void): void {
    const waiting = this.#waiting.get(signal) ?? this.#listen(signal);
    waiting.callbacks.add(callback);
  }

  /** Removes a callback. */
  delete(signal: AbortSignal, callback: () => void): void {
    const waiting = this.#waiting.get(signal);
    if (!waiting?.callbacks.delete(callback) || waiting.callbacks.size > 0) return;
    this.#waiting.delete(signal);
    signal.removeEventListener('abort', waiting.onAbort);
  }

  #listen(signal: AbortSignal): SignalListeners {
    const callbacks = new Set<() => void>();
    const onAbort = () => {
      for (const callback of callbacks) callback();
    };
    const waiting = { callbacks, onAbort };
    this.#waiting.set(signal, waiting);
    signal.addEventListener('abort', onAbort);
    return waiting;
  }
}
