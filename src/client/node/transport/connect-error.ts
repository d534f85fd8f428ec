/** A failure to connect, with a message that contains no secrets. */
export class ConnectError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}
