import type { CallSender } from './call.js';

/** Time in milliseconds since some fixed point. The default is monotonic: it never jumps with the wall clock. */
export interface Clock {
  /** The time, in milliseconds. */
  now(): number;
}

/** A connection as credentials and service clients see it: it sends authorized calls. `Connection` is one. */
export interface AuthorizedSender extends CallSender {
  /** The same deployment, called with other credentials; with none where they are undefined. */
  withCredentials(credentials: Credentials | undefined): AuthorizedSender;
  /** The `Authorization` header that its credentials hold now, or undefined. Nothing is asked of the server for it. */
  currentToken(): Promise<string | undefined>;
  /** Has its credentials forget their token. */
  forget(): void;
}

/** The means by which credentials get a token. One object for each client, whatever its database. */
export interface CredentialsContext {
  /** Sends calls to the client's deployment, without credentials. */
  readonly connection: AuthorizedSender;
  /** The time that lifetimes are counted with. */
  readonly clock: Clock;
}

/**
 * Keeps a program alive until a promise has settled, if the runtime ends work with the request (Workers'
 * `ctx.waitUntil`).
 */
export type WaitUntil = (promise: Promise<unknown>) => void;

/** A call, as its credentials see it. */
export interface CredentialsCall {
  /** Lets the renewal beside a call outlive the request that it belongs to. */
  readonly waitUntil?: WaitUntil | undefined;
  /** How often a request for a token may be tried again. Default never. */
  readonly retries?: number | undefined;
  /**
   * The end of a call that has a timeout or a signal: `signal` is aborted when the call is, and `endsAt` is the time of
   * its timeout on the clock of `performance`, or Infinity.
   */
  readonly deadline?: { readonly signal: AbortSignal; readonly endsAt: number } | undefined;
}

/** Where the `Authorization` header of a call comes from. Own implementations are welcome. */
export interface Credentials {
  /** The header's value for a call that starts now; undefined sends none. */
  authorize(context: CredentialsContext, call?: CredentialsCall): string | undefined | Promise<string | undefined>;
  /** The server answered 401 to `value`. True when `authorize` may have another one; without it a 401 is final. */
  reject?(value: string, context: CredentialsContext, call?: CredentialsCall): boolean | Promise<boolean>;
  /** The header's current value, or undefined; a logout ends its session. The server is not asked for one. */
  currentToken?(context: CredentialsContext): string | undefined | Promise<string | undefined>;
  /** Forgets the token of this client. */
  forget?(context: CredentialsContext): void;
}
