/**
 * `invalid`: an argument is not valid, and `field` names it. `not-found`: there is no such item. `conflict`: the state
 * has changed meanwhile. `unsupported`: the backend lacks this part. `failed`: the platform refused or failed. `token`,
 * `key`: a new session, or the printed key, is needed. `network`: the backend cannot be reached.
 */
export type ConsoleErrorCode =
  | 'invalid'
  | 'not-found'
  | 'conflict'
  | 'unsupported'
  | 'failed'
  | 'token'
  | 'key'
  | 'network';

/** A call of the console failed. The message is a sentence to show. */
export class ConsoleError extends Error {
  readonly code: ConsoleErrorCode;
  /** The argument that is not valid, like `edit.policy.statements[0].actions[0]`. */
  readonly field: string | undefined;

  constructor(code: ConsoleErrorCode, message: string, field?: string) {
    super(message);
    this.name = 'ConsoleError';
    this.code = code;
    this.field = field;
  }
}
