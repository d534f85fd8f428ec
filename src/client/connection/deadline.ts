import type { ArangoServicesError, CallInfo } from '../../base/arango-services-error.js';
import { AbortError, TimeoutError } from '../../base/errors.js';
import { accepting, isWithin, type Reader, transform } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import { longestTimerMs } from '../../base/lib/wait.js';
import type { Lifetime, OpenCall } from './lifetime.js';

/** Shares one listener per signal among all waiting calls, since Node 22 warns of a leak above ten. */
export class AbortListeners {
  readonly #waiting = new Map<AbortSignal, [calls: Set<OpenCall>, onAbort: () => void]>();

  /** Registers a call, which the abort of any of the signals aborts. */
  add(signals: readonly AbortSignal[], call: OpenCall): void {
    for (const signal of signals) {
      const [waiting] = this.#waiting.get(signal) ?? [];
      const calls = waiting ?? new Set();
      calls.add(call);
      if (waiting) continue;
      const onAbort = () => {
        for (const call of calls) call.close();
      };
      this.#waiting.set(signal, [calls, onAbort]);
      signal.addEventListener('abort', onAbort);
    }
  }

  /** Removes a call. */
  delete(signals: readonly AbortSignal[], call: OpenCall): void {
    for (const signal of signals) {
      const entry = this.#waiting.get(signal);
      if (!entry?.[0].delete(call) || entry[0].size > 0) continue;
      this.#waiting.delete(signal);
      signal.removeEventListener('abort', entry[1]);
    }
  }
}

/** Counts silence only while the call waits for the server, not for its caller to read or for an upload's source. */
export interface IdleTimer {
  /** The call waits for the server's next bytes. */
  readonly awaitServer: () => void;
  /** The upload waits for its own source. */
  readonly awaitSource: () => void;
  /** The server has taken a part of the body, or has the next one to take. */
  readonly awaitUptake: () => void;
  /** The call does not wait for the server: it has ended, or its caller does not read. */
  readonly stop: () => void;
}

/** Creates a stopped timer that calls back after `idleMs` of silence. */
function createIdleTimer(idleMs: number, onIdle: () => void): IdleTimer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let awaitsServer = false;
  let awaitsSource = false;
  const restart = (server: boolean, source: boolean) => {
    awaitsServer = server;
    awaitsSource = source;
    clearTimeout(timer);
    if (server && !source) timer = setTimeout(onIdle, idleMs);
  };
  return {
    awaitServer: () => restart(true, awaitsSource),
    awaitSource: () => restart(awaitsServer, true),
    awaitUptake: () => restart(awaitsServer, false),
    stop: () => restart(false, awaitsSource),
  };
}

/** Reads a number of milliseconds. */
export const msOption = accepting<number>(
  `milliseconds from 0 (none) to ${longestTimerMs} or Infinity`,
  (value) => isWithin(value, 0, longestTimerMs) || value === Number.POSITIVE_INFINITY,
);

/** Reads a timeout in milliseconds; 0 and `Infinity` mean none. */
export const timeoutOption: Reader<number> = transform(msOption, (ms) => (ms <= longestTimerMs ? ms : 0));

/** Reads an AbortSignal of any realm. */
export const signalOption = accepting<AbortSignal>(
  'an AbortSignal',
  (value) => hasMethod(value, 'removeEventListener') && 'aborted' in (value as object),
);

/** Adds a signal to a list. */
export const withSignal = (signals: readonly AbortSignal[], signal: AbortSignal | undefined): readonly AbortSignal[] =>
  signal ? [...signals, signal] : signals;

/** The limits of one call. */
interface Limits {
  /** Milliseconds for the whole call; 0 and undefined mean none. */
  readonly timeout?: number | undefined;
  /** Milliseconds of silence; 0 and undefined mean none. */
  readonly idleTimeoutMs?: number | undefined;
  /** Signals that each abort the call. */
  readonly signals: readonly AbortSignal[];
  /** The open calls of the client; closing the client aborts this one. */
  readonly lifetime?: Lifetime | undefined;
}

/**
 * The timeout and the signals of one call, with one timer and listeners on the callers' signals. AbortSignal.any and
 * AbortSignal.timeout are not used: combined, they lose their event to the garbage collector. One object without
 * closures: what lives as long as a request costs more to collect than to create.
 */
export class Deadline implements OpenCall {
  /** Ends the call after a silence of the server; undefined if there is no idle timeout. */
  declare readonly idle: IdleTimer | undefined;
  /** The time of the timeout, on the clock of `performance`. */
  declare readonly endsAt: number;
  /** The error of the call once the deadline has passed. */
  declare failure: ArangoServicesError | undefined;
  /** Called by `release`, once the stream of a response has ended. */
  declare onRelease: (() => void) | undefined;
  readonly #callInfo: CallInfo;
  readonly #signals: readonly AbortSignal[];
  readonly #lifetime: Lifetime | undefined;
  readonly #listeners: AbortListeners;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onEnd: ((failure: ArangoServicesError) => void)[] = [];
  #controller: AbortController | undefined;
  #make: (() => ArangoServicesError) | undefined;
  #open: OpenCall = this;

  /** @throws AbortError if one of the signals has aborted. */
  constructor(callInfo: CallInfo, { timeout, idleTimeoutMs, signals, lifetime }: Limits, listeners: AbortListeners) {
    this.#callInfo = callInfo;
    this.#signals = signals;
    this.#lifetime = lifetime;
    this.#listeners = listeners;
    if (signals.some(({ aborted }) => aborted)) throw this.#abortError();
    // A timer for each call, not one for all: Node lists timers by duration, and a list of our own costs as much.
    if (timeout) this.#timer = setTimeout(() => this.#end(() => new TimeoutError(callInfo, timeout)), timeout);
    this.endsAt = timeout ? performance.now() + timeout : Number.POSITIVE_INFINITY;
    if (idleTimeoutMs) {
      this.idle = createIdleTimer(idleTimeoutMs, () =>
        this.#end(() => new TimeoutError(callInfo, idleTimeoutMs, true)),
      );
    }
    lifetime?.add(this);
    listeners.add(signals, this);
  }

  /** The signal for `fetch`, created on first use. Its reason is the error of the call. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.failure) this.#controller.abort(this.failure);
    }
    return this.#controller.signal;
  }

  /** Calls back when the deadline passes, at once if it has. The signal holds no callback: `fetch` holds the signal. */
  whenEnded(callback: (failure: ArangoServicesError) => void): void {
    if (this.failure) callback(this.failure);
    else this.#onEnd.push(callback);
  }

  /** Aborts the call: one of its signals did, or its client was closed. */
  close(ended?: Error): void {
    this.#end(() => this.#abortError(ended));
  }

  /** The call is a stream from now on, which its client and signals do not keep from garbage collection. */
  loosen(): void {
    const signals = this.#signals;
    const listeners = this.#listeners;
    if (this.failure || !this.#lifetime) return;
    listeners.delete(signals, this);
    this.#open = this.#lifetime.loosen(this, (open) => listeners.delete(signals, open));
    listeners.add(signals, this.#open);
  }

  /** Settles like a promise, or rejects when the deadline passes, even if the promise ignores the abort. */
  race<T>(promise: Promise<T>): Promise<T> {
    // Cheaper than Promise.race.
    return new Promise<T>((resolve, reject) => {
      // The call itself may have aborted its signal already: its `headers` function.
      this.whenEnded(reject);
      promise.then(resolve, reject);
    });
  }

  /** Creates the error of the deadline again where the call is awaited, so that its stack shows the caller. */
  again(error: unknown): unknown {
    return this.#make && error === this.failure ? this.#make() : error;
  }

  /** Clears the timers and removes the listeners. */
  release(): void {
    this.idle?.stop();
    clearTimeout(this.#timer);
    this.#listeners.delete(this.#signals, this.#open);
    this.#lifetime?.delete(this.#open);
    this.onRelease?.();
  }

  #abortError(ended?: Error): AbortError {
    const reason = ended ?? this.#signals.find(({ aborted }) => aborted)?.reason;
    return new AbortError(this.#callInfo, reason, ended && 'was aborted: the client was closed');
  }

  #end(make: () => ArangoServicesError): void {
    this.#make = make;
    this.release();
    this.failure = make();
    for (const fail of this.#onEnd) fail(this.failure);
    this.#controller?.abort(this.failure);
  }
}

/** Does work within a deadline, and releases it. */
export async function within<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
  try {
    return await deadline.race(work());
  } catch (error) {
    throw deadline.again(error);
  } finally {
    deadline.release();
  }
}
