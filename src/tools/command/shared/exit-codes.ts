/** The exit codes of the command; `mock -- <program>` ends with that of the program. */
export const exitCodes = {
  /** Done, or nothing to do. */
  done: 0,
  /** Failed, refused, or stopped. */
  failed: 1,
  /** There are changes or findings. */
  changes: 2,
  /** Wrong flags, or a file that cannot be read. */
  usage: 64,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
