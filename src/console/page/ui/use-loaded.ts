import { useEffect, useRef, useState } from 'preact/hooks';

/** The state of loaded data: the last result stays until the next one arrives. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Loads something whenever `inputs` change, and ignores outdated results. `load` returns undefined when there is
 * nothing to ask for.
 */
export function useLoaded<T>(load: () => Promise<T> | undefined, inputs: readonly unknown[], delayMs = 0): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, problem: undefined });
  const latest = useRef(0);
  useEffect(() => {
    latest.current += 1;
    const question = latest.current;
    const run = () => {
      const pending = load();
      if (pending === undefined) return setLoaded({ value: undefined, problem: undefined });
      pending.then(
        (value) => question === latest.current && setLoaded({ value, problem: undefined }),
        (error) => question === latest.current && setLoaded({ value: undefined, problem: messageOf(error) }),
      );
    };
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  }, inputs);
  return loaded;
}
