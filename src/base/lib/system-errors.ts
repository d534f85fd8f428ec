/** The code of a system error, like `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'may not be read'],
  ['EISDIR', 'is a directory'],
]);

/** The reason why a file cannot be read, for people. */
export function readFault(error: unknown): string {
  const code = systemCode(error) ?? 'unknown';
  return reasons.get(code) ?? `cannot be read (${code})`;
}

/** The reason why an output cannot be written, for people. */
export const writeFault = (error: unknown): string => `cannot be written (${systemCode(error) ?? 'unknown'})`;
