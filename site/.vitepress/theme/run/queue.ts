/** Starts work when the work before it has ended. */
export type Enqueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a queue whose work does not overlap. */
export function createQueue(): Enqueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
