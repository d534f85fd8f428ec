import { longestTimerMs } from '../../base/lib/wait.js';

/** A call in flight, until the end of its stream. */
export interface OpenCall {
  /** Aborts the call: its client was closed, where `ended` tells, or one of its signals aborted. */
  readonly close: (ended?: Error) => void;
  /** True for a wait between two calls, which closing ends at once. */
  readonly waits?: boolean;
}

/** The field of a stream, or of a call's error, with the connection's calls. It is not enumerable. */
export const ownLifetime = Symbol.for('arango-services.lifetime');

/** Keeps the calls of its connection with the stream or the error of a call. */
export const keepLifetime = (result: unknown, lifetime: Lifetime): unknown =>
  Object.defineProperty(result, ownLifetime, { value: lifetime, configurable: true });

/** The calls in flight of a connection. Those of a connection derived by `with` also belong to its parent. */
export class Lifetime {
  readonly #parent: Lifetime | undefined;
  readonly #calls = new Set<OpenCall>();
  readonly #onIdle: (() => void)[] = [];
  /** Forgets streams that were garbage-collected; undefined in engines that do not report it. */
  readonly #dropped: FinalizationRegistry<() => void> | undefined;
  #ended: Error | undefined;

  constructor(parent?: Lifetime) {
    this.#parent = parent;
    this.#dropped = parent
      ? parent.#dropped
      : globalThis.FinalizationRegistry && new FinalizationRegistry((forget) => forget());
  }

  /** Set once it is closed; its stack shows the caller of `close`. */
  get ended(): Error | undefined {
    return this.#ended ?? this.#parent?.ended;
  }

  /** True if calls are in flight. */
  get isBusy(): boolean {
    return this.#calls.size > 0;
  }

  /** Counts a call in. */
  add(call: OpenCall): void {
    this.#calls.add(call);
    this.#parent?.add(call);
  }

  /** Counts a call out. */
  delete(call: OpenCall): void {
    this.#calls.delete(call);
    this.#settle();
    this.#parent?.delete(call);
  }

  /**
   * Replaces a call, which is a stream from now on, by a weak reference, so that a dropped stream is collected; then
   * calls `forget` with the reference.
   */
  loosen(call: OpenCall, forget: (loose: OpenCall) => void): OpenCall {
    if (!this.#dropped) return call;
    const ref = new WeakRef(call);
    const loose: OpenCall = { close: (ended) => ref.deref()?.close(ended) };
    this.add(loose);
    this.delete(call);
    this.#dropped.register(call, () => {
      this.delete(loose);
      forget(loose);
    });
    return loose;
  }

  /** Resolves when no call is left. Calls that last longer than `graceMs` are aborted. */
  close(graceMs: number): Promise<void> {
    this.#ended ??= new Error('closed here');
    for (const call of [...this.#calls]) if (call.waits) call.close(this.#ended);
    return new Promise((resolve) => {
      const cut = () => {
        for (const call of [...this.#calls]) call.close(this.#ended);
        // The rest are streams that were collected.
        this.#calls.clear();
        this.#settle();
      };
      const timer = graceMs <= longestTimerMs ? setTimeout(cut, graceMs) : undefined;
      this.#onIdle.push(() => {
        clearTimeout(timer);
        resolve();
      });
      if (graceMs === 0) cut();
      this.#settle();
    });
  }

  #settle(): void {
    if (this.#calls.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
