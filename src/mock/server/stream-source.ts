import {
  type PoolCall,
  type PoolItem,
  type PoolMethod,
  poolMethods,
  poolService,
} from '../../policy/pool/pool-items.js';
import type { Platform } from '../platform.js';
import { admitToPool, followPool, readPool } from '../services/admit-to-pool.js';
import { failureResponse, type GrpcCode, type ReadableHeaders, ServiceFailure } from '../wire/http.js';
import { Exchange } from '../wire/mock-exchange.js';
import { CurrentPlatform } from './current-platform.js';
import type { AnswerRecorder } from './handle.js';
import { createWaker } from './waker.js';

/** The scripted faults of one stream. */
interface StreamBreaks {
  /** Takes the code with which the stream must break now, if any. */
  take(): GrpcCode | undefined;
  /** Counts a sent message. */
  sent(): void;
  /** Stops listening to new faults. */
  end(): void;
}

/** The source of scripted faults for streams. */
export interface StreamFaults {
  /** The faults of a new stream. Calls `scripted` when a fault is added. */
  breaks(method: PoolMethod, scripted: () => void): StreamBreaks;
}

/** The parts of a mock that its streams use. */
export interface StreamSource {
  readonly platform: Platform;
  readonly faults: StreamFaults;
  readonly recorder: AnswerRecorder;
  /** Aborted when the mock is disposed. */
  readonly closed: AbortSignal;
}

/** The gRPC method of a call. */
const methodOf = ({ kind, changes }: PoolCall): PoolMethod =>
  poolMethods[kind][changes === undefined ? 'read' : 'changes'];

/** The request of a stream, as the log shows it. */
function bodyOf({ changes }: PoolCall): string {
  if (changes === undefined) return '{}';
  const { start, timeoutMs } = changes;
  return JSON.stringify({ start, ...(timeoutMs !== undefined && { timeout: `${timeoutMs / 1_000}s` }) });
}

/**
 * Opens a stream of a mock's pool: yields messages as lists of items, until `signal` aborts. Errors have a gRPC code as
 * `code`. The stream is logged as a request once it is admitted or refused.
 */
export async function* openStream(
  { platform, faults, recorder, closed }: StreamSource,
  call: PoolCall,
  headers: ReadableHeaders,
  signal: AbortSignal,
): AsyncGenerator<readonly PoolItem[]> {
  const { kind, changes } = call;
  const began = platform.epochs.current();
  const method = methodOf(call);
  const request = { method: 'POST', path: `/${poolService}/${method}`, query: '', headers, body: bodyOf(call) };
  const exchange = new Exchange(request, true, began);
  const waker = createWaker(check);
  const breaks = faults.breaks(method, waker.wake);
  const unwatch = platform.clock.watch(waker.skip);
  const ends = [signal, began, closed];
  for (const end of ends) end.addEventListener('abort', waker.wake);

  /** The failure if the stream was ended from outside. */
  function ended(): ServiceFailure | undefined {
    if (signal.aborted) return new ServiceFailure(1, 'cancelled');
    if (closed.aborted) return new ServiceFailure(14, 'the mock is closed');
    // The stream fails as if the service had restarted.
    return began.aborted ? new ServiceFailure(14, 'the mock was restored') : undefined;
  }
  /** Throws if the stream must end or a scripted fault breaks it. */
  function check(): void {
    const end = ended();
    if (end !== undefined) throw end;
    const code = breaks.take();
    if (code !== undefined) throw new ServiceFailure(code, 'scripted fault');
  }
  /** The failure of the stream; unexpected errors stay opaque. */
  const toFailure = (error: unknown): ServiceFailure =>
    ended() ?? (error instanceof ServiceFailure ? error : new ServiceFailure(13, 'Internal error'));
  async function admit(): Promise<void> {
    try {
      check();
      await admitToPool(exchange, new CurrentPlatform(exchange, platform), call);
      check();
      recorder.record(exchange, 200);
    } catch (error) {
      const failure = toFailure(error);
      if (!began.aborted) recorder.record(exchange, failureResponse(failure, 'services').status);
      throw failure;
    }
  }
  try {
    await admit();
    const messages = changes === undefined ? readPool(platform, kind) : followPool(platform, kind, changes, waker);
    for await (const message of messages) {
      check();
      yield message;
      breaks.sent();
    }
    check();
  } catch (error) {
    throw toFailure(error);
  } finally {
    breaks.end();
    unwatch();
    for (const end of ends) end.removeEventListener('abort', waker.wake);
  }
}
