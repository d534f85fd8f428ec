import type { Clock } from '../../base/lib/clock.js';
import type { CallSender } from './call.js';

export type { Clock };

/** The connection that credentials and service clients use: it sends authorized calls. Implemented by `Connection`. */
export interface AuthorizedSender extends CallSender {
  /** @internal */
  readonly parts?: SenderParts;
  /** Returns a connection to the same deployment with other credentials; undefined for none. */
  withCredentials(credentials: Credentials | undefined): AuthorizedSender;
  /** Returns the current `Authorization` header, or undefined, without requesting a token. */
  currentToken(): Promise<string | undefined>;
  /** Drops the credentials' token. */
  forget(): void;
}

/** A sender whose parts are known, if it is a `Connection`. */
export interface KnownSender extends CallSender {
  /** @internal */
  readonly parts?: SenderParts;
}

/** The parts of a connection that service clients depend on. */
interface SenderParts {
  readonly credentials?: Credentials | undefined;
  readonly deployment: {
    /** The calls that the gateway routes, if the deployment's URL is one. */
    readonly gateway: 'all' | 'short' | false | undefined;
  };
}

/** The context in which credentials obtain tokens: one object per client, whatever its database. */
export interface CredentialsContext {
  /** Sends calls to the client's deployment, without credentials. */
  readonly connection: AuthorizedSender;
  /** The clock for token lifetimes. */
  readonly clock: Clock;
}

/**
 * Keeps a program alive until a promise has settled, if the runtime would end it with the request (Workers'
 * `ctx.waitUntil`).
 */
export type WaitUntil = (promise: Promise<unknown>) => void;

/** Called with a new bearer token, without `Bearer `. */
export type TokenListener = (token: string) => void;

/** The call that credentials authorize. */
export interface CredentialsCall {
  /** Lets a background renewal outlive the request that the call belongs to. */
  readonly waitUntil?: WaitUntil | undefined;
  /** The time in milliseconds for which the token must stay valid, if its lifetime is longer than that. Default 0. */
  readonly goodForMs?: number | undefined;
  /** The maximum number of retries of a token request. Default none. */
  readonly retries?: number | undefined;
  /**
   * The deadline of a call with a timeout or a signal: `signal` aborts with the call, and `endsAt` is the time of its
   * timeout on the clock of `performance`, or Infinity.
   */
  readonly deadline?: { readonly signal: AbortSignal; readonly endsAt: number } | undefined;
}

/** The source of a call's `Authorization` header. You may implement your own. */
export interface Credentials {
  /**
   * Set if cookies authenticate the calls, which only browsers send: `same-origin` to the page's own origin, as `fetch`
   * does, and `include` to every origin of the client. Login, logout and identity are then those of the gateway.
   */
  readonly cookies?: 'same-origin' | 'include' | undefined;
  /** Returns the name of the user for questions about `self`, for credentials without a bearer token. */
  identify?(context: CredentialsContext): string | undefined | Promise<string | undefined>;
  /** Returns the header's value for a call that starts now; undefined sends none. */
  authorize(context: CredentialsContext, call?: CredentialsCall): string | undefined | Promise<string | undefined>;
  /**
   * Called after a 401 for `value`. Returns true if `authorize` may return another value; without it a 401 is final.
   */
  reject?(value: string, context: CredentialsContext, call?: CredentialsCall): boolean | Promise<boolean>;
  /** Returns the header's current value, or undefined, for a logout to end its session. It must not request a token. */
  currentToken?(context: CredentialsContext): string | undefined | Promise<string | undefined>;
  /**
   * Calls a listener with each new token of this client, and returns a function that ends this. Credentials without it
   * have no token, or one that never changes.
   */
  onToken?(context: CredentialsContext, listener: TokenListener): () => void;
  /** Drops the token of this client. */
  forget?(context: CredentialsContext): void;
}
