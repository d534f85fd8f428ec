/** A signal that counts its abort listeners. */
export interface CountedSignal extends AbortSignal {
  readonly listeners: ReadonlySet<unknown>;
}

/** The signal of a controller, or one that is never aborted, with a count of its listeners. */
export function countedSignal({ signal }: Pick<AbortController, 'signal'> = new AbortController()): CountedSignal {
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  return Object.assign(signal, {
    listeners,
    addEventListener(...args: Parameters<typeof addEventListener>) {
      if (args[0] === 'abort') listeners.add(args[1]);
      addEventListener.apply(signal, args);
    },
    removeEventListener(...args: Parameters<typeof removeEventListener>) {
      if (args[0] === 'abort') listeners.delete(args[1]);
      removeEventListener.apply(signal, args);
    },
  });
}
