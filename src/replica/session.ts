import type { Credentials, CredentialsContext } from '../connection/credentials.js';
import { CredentialsError, isArangoServicesError } from '../errors.js';
import type { PoolCall, PoolItem, PoolTransport } from '../pool/items.js';
import { grpcCodeOf, hideHeader, unauthenticatedCode } from './failure.js';

/** In whose name the streams are opened. */
export interface PoolCaller {
  readonly credentials: Credentials | undefined;
  readonly context: CredentialsContext;
}

/** Opens streams in a caller's name. */
export class PoolSession {
  readonly #transport: PoolTransport;
  readonly #caller: PoolCaller;

  constructor(transport: PoolTransport, caller: PoolCaller) {
    this.#transport = transport;
    this.#caller = caller;
  }

  /**
   * The messages of a call. A token that is refused is renewed once, as over HTTP. Where nothing is heard for
   * `silenceMs`, the stream ends with the error of `onSilence`.
   */
  async *open(
    call: PoolCall,
    signal: AbortSignal,
    silenceMs: number,
    onSilence: () => Error,
  ): AsyncGenerator<Iterable<PoolItem>> {
    const { credentials, context } = this.#caller;
    for (let renewed = false; ; renewed = true) {
      const authorization = await this.#authorize();
      let heard = false;
      try {
        for await (const items of listen(this.#transport, call, authorization, signal, silenceMs, onSilence)) {
          heard = true;
          yield items;
        }
        return;
      } catch (error) {
        const refused = grpcCodeOf(error) === unauthenticatedCode && !heard && !renewed && authorization !== undefined;
        if (!refused || signal.aborted) throw hideHeader(error, authorization);
        // A renewal that fails leaves the refusal to stand.
        const another = await Promise.resolve(credentials?.reject?.(authorization, context)).catch(() => false);
        if (another !== true) throw hideHeader(error, authorization);
      }
    }
  }

  async #authorize(): Promise<string | undefined> {
    const { credentials, context } = this.#caller;
    try {
      return await credentials?.authorize(context);
    } catch (error) {
      if (isArangoServicesError(error)) throw error;
      // Whatever else credentials throw may quote a secret.
      throw new CredentialsError('asking for a token failed');
    }
  }
}

/** One stream, which is broken where its silence is too long. */
async function* listen(
  transport: PoolTransport,
  call: PoolCall,
  authorization: string | undefined,
  outer: AbortSignal,
  silenceMs: number,
  onSilence: () => Error,
): AsyncGenerator<Iterable<PoolItem>> {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(outer.reason);
  if (outer.aborted) onAbort();
  outer.addEventListener('abort', onAbort, { once: true });
  const stream = transport.open(call, authorization, stop.signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await within(stream.next(), stop.signal, silenceMs, onSilence);
      if (done === true) return;
      yield value;
    }
  } finally {
    outer.removeEventListener('abort', onAbort);
    stop.abort();
    // What a stream that was given up still has to say is nobody's concern.
    stream.return?.().then(undefined, () => undefined);
  }
}

/** Settles as `work` does, or rejects as soon as the signal aborts or the time has passed. */
function within<T>(work: Promise<T>, signal: AbortSignal, ms: number, overdue: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      end();
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      end();
      reject(overdue());
    }, ms);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error) => {
        end();
        reject(error);
      },
    );
  });
}
