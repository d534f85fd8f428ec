import type { Server } from 'node:http';
import type { Http2Server } from 'node:http2';
import { type ReadersOf, type ReadOptions, wholeNumber } from '../../../base/lib/readers.js';
import { longestTimerMs } from '../../../base/lib/wait.js';

/** How long a port waits for slow and idle clients. */
export interface Timeouts {
  /** Milliseconds until an incomplete request is ended. Default 60 000. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Milliseconds until a connection that never sent anything, or an HTTP/2 session without streams, is closed. Default
   * 300 000. Between two requests, an HTTP/1.1 connection may be idle for 120 s.
   */
  readonly idleTimeoutMs?: number | undefined;
}

/** Timeouts with defaults filled in. */
export type WaitTimes = { readonly [Name in keyof Timeouts]-?: number };

const readMs = wholeNumber('milliseconds, a whole number', 1, longestTimerMs);

export const timeoutReaders = { requestTimeoutMs: readMs, idleTimeoutMs: readMs } satisfies ReadersOf<Timeouts>;

/** Fills in the defaults. */
export const waitTimes = ({
  requestTimeoutMs = 60_000,
  idleTimeoutMs = 300_000,
}: ReadOptions<typeof timeoutReaders>): WaitTimes => ({ requestTimeoutMs, idleTimeoutMs });

/** Options of `node:http`: an incomplete request is answered with 408 and its connection closed. */
export function http1Timeouts({ requestTimeoutMs }: WaitTimes) {
  const timeout = requestTimeoutMs;
  // The timeout fires late by at most this interval.
  const connectionsCheckingInterval = Math.min(5_000, Math.ceil(requestTimeoutMs / 4));
  return { headersTimeout: timeout, requestTimeout: timeout, connectionsCheckingInterval };
}

/** Enables the timeouts of a `node:http` server behind another server; returns a function that disables them. */
export function watchHttp1(http1: Server): () => void {
  // Node checks timeouts only after a server listens, which this one never does.
  http1.emit('listening');
  return () => void http1.close();
}

/** Closes streams whose request stays incomplete, and sessions that have been without streams, after their timeouts. */
export function watchHttp2(http2: Http2Server, { requestTimeoutMs, idleTimeoutMs }: WaitTimes): void {
  const { constants } = process.getBuiltinModule('node:http2');
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
