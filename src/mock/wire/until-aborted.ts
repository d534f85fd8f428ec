import type { ByteStream } from '../../base/lib/web-types.js';

const terminated = (): unknown => new TypeError('terminated', { cause: { code: 'ECONNRESET' } });

/**
 * Wraps a body so that it fails when a signal aborts, as when the mock is restored. Pulls only what is read.
 * @param reasonOf returns the error that the reader gets. Default: that of a connection that was cut.
 */
export function untilAborted(source: ByteStream, signal: AbortSignal, reasonOf = terminated): ByteStream {
  const reader = source.getReader();
  let breakOff = (): void => {};
  const settle = (): void => signal.removeEventListener('abort', breakOff);
  // Not `pipeThrough(…, { signal })`: if jsdom has replaced AbortController, Node's streams reject its signals, and in
  // workerd a pipe that was aborted still reports that its source fails later, as an unhandled rejection.
  return new ReadableStream(
    {
      start(controller) {
        breakOff = () => {
          const reason = reasonOf();
          controller.error(reason);
          reader.cancel(reason).catch(() => {});
        };
        signal.addEventListener('abort', breakOff, { once: true });
        if (signal.aborted) breakOff();
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (!done) return controller.enqueue(value);
        settle();
        controller.close();
      },
      cancel(reason) {
        settle();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
