import type { Server } from 'node:http';
import { constants, type Http2Server } from 'node:http2';
import { expected } from '../../../lib/readers.js';

/** How long a port waits for what a client does not send. */
export interface Timeouts {
  /** A request that is still not complete after so many milliseconds is ended. Default 60 000. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * A connection that never sent anything, and a session of HTTP/2 without a stream, is ended after so many
   * milliseconds. Default 300 000. Between two requests a connection of HTTP/1.1 may rest for 120 s.
   */
  readonly idleTimeoutMs?: number | undefined;
}

/** The same with the defaults filled in. */
export type WaitTimes = { readonly [Name in keyof Timeouts]-?: number };

/** The names of these options. */
export const timeoutNames = ['requestTimeoutMs', 'idleTimeoutMs'] as const;

/** The longest time that a timer of Node can wait. */
const longestMs = 2_147_483_647;

function readTimeout(name: (typeof timeoutNames)[number], value: number): number {
  if (Number.isInteger(value) && value > 0 && value <= longestMs) return value;
  throw expected(name, `milliseconds, a whole number from 1 to ${longestMs}`, value);
}

/**
 * Reads how long a port waits, and fills in the defaults.
 * @throws InvalidArgumentError for what is not such a time.
 */
export function readTimeouts({ requestTimeoutMs = 60_000, idleTimeoutMs = 300_000 }: Timeouts): WaitTimes {
  return {
    requestTimeoutMs: readTimeout('requestTimeoutMs', requestTimeoutMs),
    idleTimeoutMs: readTimeout('idleTimeoutMs', idleTimeoutMs),
  };
}

/** Options of `node:http`: a request that is not whole in time is answered with 408, and its connection ends. */
export function http1Timeouts({ requestTimeoutMs }: WaitTimes) {
  const timeout = requestTimeoutMs;
  // A request ends late by one such interval at most.
  const connectionsCheckingInterval = Math.min(5_000, Math.ceil(requestTimeoutMs / 4));
  return { headersTimeout: timeout, requestTimeout: timeout, connectionsCheckingInterval };
}

/**
 * Has a server of `node:http` watch its requests, although it gets its connections from another one.
 * @returns what ends it.
 */
export function watchHttp1(http1: Server): () => void {
  // Node begins to look at the timeouts when a server listens, and this one never does.
  http1.emit('listening');
  return () => void http1.close();
}

/** Ends streams whose request does not end in time, and sessions that have had no stream for long. */
export function watchHttp2(http2: Http2Server, { requestTimeoutMs, idleTimeoutMs }: WaitTimes): void {
  http2.on('session', (session) => {
    let streams = 0;
    const idle = setTimeout(() => {
      if (streams === 0) session.destroy();
    }, idleTimeoutMs).unref();
    session.once('close', () => clearTimeout(idle));
    session.on('stream', (stream) => {
      streams += 1;
      stream.once('close', () => {
        streams -= 1;
        if (streams === 0 && !session.destroyed) idle.refresh();
      });
      if (stream.endAfterHeaders) return;
      const half = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), requestTimeoutMs).unref();
      const settle = (): void => clearTimeout(half);
      stream.once('end', settle).once('close', settle);
    });
  });
}
