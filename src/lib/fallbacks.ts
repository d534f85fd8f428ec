/// <reference lib="esnext.disposable" preserve="true" />
/** `Symbol.asyncDispose`, or the symbol that compilers use for `await using` where an engine has none. */
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/**
 * Has `await using` call `close` of an object and of all others of its class. It is for constructors: esbuild and Bun
 * keep every class that has a method with a computed name, and all that the class uses, in bundles that do not use it.
 */
export function closeOnDispose(target: { close(): Promise<void> }): void {
  if (asyncDispose in target) return;
  Object.defineProperty(Object.getPrototypeOf(target), asyncDispose, {
    value(this: typeof target) {
      return this.close();
    },
  });
}

/** What `withResolvers` gives. */
export interface Resolvers<T> {
  readonly promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason?: unknown): void;
}

/** `Promise.withResolvers`, for engines without it. */
export function withResolvers<T>(): Resolvers<T> {
  let [resolve, reject]: unknown[] = [];
  const promise = new Promise<T>((...both) => {
    [resolve, reject] = both;
  });
  // The cast: a Promise calls its executor at once.
  return { promise, resolve, reject } as Resolvers<T>;
}
