/** The listeners of a signal. */
interface SignalListeners {
  readonly callbacks: Set<() => void>;
  readonly onAbort: () => void;
}

/**
 * Has one listener on each signal, however many calls wait for it: Node warns of a leak where there are more than
 * ten. None is left when no call waits any more.
 */
export class AbortListeners {
  readonly #waiting = new Map<AbortSignal, SignalListeners>();

  /** Calls back when the signal is aborted. */
  add(signal: AbortSignal, callback: () => void): void {
    const waiting = this.#waiting.get(signal) ?? this.#listen(signal);
    waiting.callbacks.add(callback);
  }

  /** Does not call back any more. */
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
