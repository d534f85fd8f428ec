/** The fields of a foreign error in use. */
export interface Cause {
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
}

/** An error and its chain of causes, the root cause last. */
export function causesOf(error: unknown): readonly Cause[] {
  const causes: Cause[] = [];
  for (let err = error; causes.length < 6 && typeof err === 'object' && err !== null; err = (err as Cause).cause) {
    causes.push(err);
  }
  return causes;
}
