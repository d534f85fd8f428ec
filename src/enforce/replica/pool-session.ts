/// <reference lib="esnext.disposable" preserve="true" />

import { isArangoServicesError } from '../../base/arango-services-error.js';
import { CredentialsError } from '../../base/errors.js';
import { race, scopedController, sleep } from '../../base/lib/wait.js';
import type { Credentials, CredentialsContext } from '../../client/connection/credentials-contract.js';
import type { PoolCall, PoolItem, PoolTransport } from '../../policy/pool/pool-items.js';
import { grpcCodeOf, hideHeader, unauthenticatedCode, unimplementedCode } from './replica-failure.js';

/** How often a service that binds no groups is asked again: it may have been updated without breaking the streams. */
const updatedMs = 10_000;

/** The credentials for the streams. */
export type PoolCaller = { readonly credentials: Credentials | undefined; readonly context: CredentialsContext };

/** Limits for the silence of the peer. */
type Patience = { readonly signal: AbortSignal; readonly ms: number; readonly overdue: () => Error };

/** Opens streams with credentials. */
export class PoolSession {
  readonly #transport: PoolTransport;
  readonly #caller: PoolCaller;

  constructor(transport: PoolTransport, caller: PoolCaller) {
    this.#transport = transport;
    this.#caller = caller;
  }

  /** Identifies the connection of the open streams, if the transport can. */
  get connection(): unknown {
    return this.#transport.connection?.();
  }

  /**
   * Yields the messages of a call. If the token is refused, it is renewed once, like for HTTP calls. After `silenceMs`
   * without a message the stream fails with the error of `onSilence`. If the service lacks the calls for groups, it has
   * no bindings of groups: the stream yields an empty message, and ends once the service has the calls.
   */
  async *open(
    call: PoolCall,
    signal: AbortSignal,
    silenceMs: number,
    onSilence: () => Error,
  ): AsyncGenerator<Iterable<PoolItem>> {
    const { credentials, context } = this.#caller;
    const patience = { signal, ms: silenceMs, overdue: onSilence };
    let bindsNone = false;
    for (let renewed = false; ; ) {
      const authorization = await this.#authorize(patience);
      let heard = false;
      try {
        for await (const items of listen(this.#transport, call, authorization, patience)) {
          if (bindsNone) return;
          heard = true;
          yield items;
        }
        return;
      } catch (error) {
        if (call.kind === 'groupBindings' && grpcCodeOf(error) === unimplementedCode && !heard && !signal.aborted) {
          if (call.changes === undefined) return;
          bindsNone = true;
          yield [];
          await sleep(updatedMs, { signal });
          if (signal.aborted) return;
          continue;
        }
        const refused = grpcCodeOf(error) === unauthenticatedCode && !heard && !renewed && authorization !== undefined;
        if (!refused || signal.aborted) throw hideHeader(error, authorization);
        // If the renewal fails, the caller gets the refusal.
        const renewal = Promise.resolve(credentials?.reject?.(authorization, context));
        const another = await race(renewal, patience).catch(() => false);
        if (another !== true) throw hideHeader(error, authorization);
        renewed = true;
      }
    }
  }

  async #authorize({ signal, ms }: Patience): Promise<string | undefined> {
    const { credentials, context } = this.#caller;
    const overdue = () => new CredentialsError(`asking for a token took longer than ${ms / 1_000} s`);
    try {
      const authorization = (async () => credentials?.authorize(context))();
      return await race(authorization, { signal, ms, overdue });
    } catch (error) {
      if (isArangoServicesError(error) || signal.aborted) throw error;
      // Only errors of this package are known to be free of secrets.
      throw new CredentialsError('asking for a token failed');
    }
  }
}

/** Yields the messages of one stream; fails if the stream is silent for too long. */
async function* listen(
  transport: PoolTransport,
  call: PoolCall,
  authorization: string | undefined,
  { signal: outer, ms, overdue }: Patience,
): AsyncGenerator<Iterable<PoolItem>> {
  using stop = scopedController(outer);
  const stream = transport.open(call, authorization, stop.signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await race(stream.next(), { signal: stop.signal, ms, overdue });
      if (done === true) return;
      yield value;
    }
  } finally {
    stop.abort();
    // Ignores errors from an abandoned stream.
    stream.return?.().then(undefined, () => undefined);
  }
}
