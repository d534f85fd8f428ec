/// <reference lib="esnext.disposable" preserve="true" />
/** `Symbol.asyncDispose`, or the symbol that compilers use for `await using` where an engine has none. */
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

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
