/** `Symbol.asyncDispose`, or the symbol that compilers use for `await using` where an engine has none. */
export const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? /* @__PURE__ */ Symbol.for('Symbol.asyncDispose');

/** `Promise.withResolvers`, for engines without it. */
export function withResolvers<T>(): PromiseWithResolvers<T> {
  let [resolve, reject]: unknown[] = [];
  const promise = new Promise<T>((...both) => {
    [resolve, reject] = both;
  });
  // The cast: a Promise calls its executor at once.
  return { promise, resolve, reject } as PromiseWithResolvers<T>;
}
