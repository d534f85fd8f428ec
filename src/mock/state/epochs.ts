/** A request that is cut off when its epoch ends. */
interface UnderWay {
  /** The epoch that it lasts for. */
  epoch: AbortSignal;
}

/**
 * The times between the restores of one mock. An epoch is a signal that is aborted when a restore or a reset ends it.
 * What begins in an epoch ends with it: a request is cut off, and nothing of it reaches the state that comes after.
 */
export interface Epochs {
  current(): AbortSignal;
  /** Ends the current epoch. A request whose handler calls this goes on: it is answered in the next epoch. */
  next(): void;
  /** Runs the handler of a request, so that `next` knows when it is called from there. */
  run<T>(request: UnderWay, handler: () => T): T;
}

/** Holds a value while a function runs; `AsyncLocalStorage` fits. */
interface AsyncContext<T> {
  getStore(): T | undefined;
  run<R>(value: T, call: () => R): R;
}

/**
 * A context that lasts through every await where the runtime knows how (Node, Deno, Bun), in a browser up to the first
 * one.
 */
function createAsyncContext<T>(): AsyncContext<T> {
  const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks');
  if (hooks !== undefined) return new hooks.AsyncLocalStorage<T>();
  let current: T | undefined;
  return {
    getStore: () => current,
    run(value, call) {
      const before = current;
      current = value;
      try {
        return call();
      } finally {
        current = before;
      }
    },
  };
}

/** Begins the first epoch of a mock. */
export function createEpochs(): Epochs {
  let controller = new AbortController();
  const callers = createAsyncContext<UnderWay>();
  return {
    current: () => controller.signal,
    next() {
      const ended = controller;
      controller = new AbortController();
      const caller = callers.getStore();
      if (caller?.epoch === ended.signal) caller.epoch = controller.signal;
      // A text: an error, which nobody would see, costs more than the rest of a restore.
      ended.abort('the mock was restored');
    },
    run: (request, handler) => callers.run(request, handler),
  };
}
