/** A failure, and a last line for people: what is missing, or the command that goes on. */
export class HintedError extends Error {
  readonly hint: string;

  constructor(cause: unknown, hint: string) {
    super(hint, { cause });
    this.hint = hint;
  }
}
