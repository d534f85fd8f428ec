/** Limits of concurrent work. */
export interface Parallel {
  /** Default 16. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` for each item, with limited concurrency, and returns the results in order. After the first failure
 * nothing more is started; the call rejects with that failure once all work in flight has ended.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  { concurrency = 16, signal }: Parallel,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const at = next++;
      try {
        signal?.throwIfAborted();
        // The cast: `at` is below the length.
        results[at] = await work(items[at] as T);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
