/** A request that is cut off when its epoch ends. */
interface UnderWay {
  /** The epoch whose end cuts off the request. */
  epoch: AbortSignal;
}

/**
 * The periods between the restores of one mock. An epoch is a signal that a restore or a reset aborts. Requests that
 * began in it are then cut off, and cannot touch the state that follows.
 */
export interface Epochs {
  current(): AbortSignal;
  /** Ends the current epoch. A request whose handler calls this goes on: it is answered in the next epoch. */
  next(): void;
  /** Runs the handler of a request, so that `next` knows if it is called from there. */
  run<T>(request: UnderWay, handler: () => T): T;
}

/** Holds a value while a function runs; the part of `AsyncLocalStorage` that is used here. */
type AsyncContext<T> = { getStore(): T | undefined; run<R>(value: T, call: () => R): R };

/** Creates a context that survives every await in Node, Deno and Bun, and in a browser lasts up to the first one. */
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

/** Creates the controller of an epoch. Each request in flight listens to its signal, and Node 22 warns above ten. */
function createEpoch(): AbortController {
  const controller = new AbortController();
  try {
    globalThis.process?.getBuiltinModule?.('node:events')?.setMaxListeners(0, controller.signal);
  } catch {
    // The signal is that of a simulated page (jsdom, happy-dom), which does not warn.
  }
  return controller;
}

/** Creates the epochs of a mock. */
export function createEpochs(): Epochs {
  let controller = createEpoch();
  const callers = createAsyncContext<UnderWay>();
  return {
    current: () => controller.signal,
    next() {
      const ended = controller;
      controller = createEpoch();
      const caller = callers.getStore();
      if (caller?.epoch === ended.signal) caller.epoch = controller.signal;
      // A string, because an unused error would cost more than the rest of a restore.
      ended.abort('the mock was restored');
    },
    run: (request, handler) => callers.run(request, handler),
  };
}
