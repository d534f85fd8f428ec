/** Why there is no connection, in words that hold no secret. */
export class ConnectError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}
