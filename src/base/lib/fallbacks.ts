/// <reference lib="esnext.disposable" preserve="true" />
/** `Symbol.asyncDispose`, or the symbol that compilers use for `await using` if the engine has none. */
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/**
 * Makes `await using` call `close`, for the object's whole class. Called from constructors instead of declaring the
 * method: esbuild and Bun keep every class that has a method with a computed name in bundles that do not use it.
 */
export function closeOnDispose(target: { close(): Promise<void> }): void {
  if (asyncDispose in target) return;
  Object.defineProperty(Object.getPrototypeOf(target), asyncDispose, {
    value(this: typeof target) {
      return this.close();
    },
  });
}

/** A promise with the functions that settle it. */
export interface Resolvers<T> {
  readonly promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason?: unknown): void;
}

/** `Promise.withResolvers`, also for engines without it. */
export function withResolvers<T>(): Resolvers<T> {
  let [resolve, reject]: unknown[] = [];
  const promise = new Promise<T>((...both) => {
    [resolve, reject] = both;
  });
  // The cast: a Promise calls its executor synchronously.
  return { promise, resolve, reject } as Resolvers<T>;
}
