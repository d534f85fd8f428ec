import type { ByteStream } from '../../base/lib/web-types.js';
import type { ConsoleEvent } from '../api.js';

/** Milliseconds between empty lines, which keep proxies from closing an idle stream. */
const beatMs = 15_000;

/** Events as a stream of lines of JSON. Cancelling it ends them. */
export function toEventStream(follow: (signal: AbortSignal) => AsyncIterable<ConsoleEvent>): ByteStream {
  const gone = new AbortController();
  const events = follow(gone.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let beat: ReturnType<typeof setInterval> | undefined;
  const end = (): void => {
    clearInterval(beat);
    gone.abort();
  };
  return new ReadableStream({
    start(controller) {
      // Sent first, so that the page can show "Live".
      controller.enqueue(encoder.encode('\n'));
      beat = setInterval(() => controller.enqueue(encoder.encode('\n')), beatMs);
      beat.unref?.();
    },
    async pull(controller) {
      try {
        const { done, value } = await events.next();
        if (!done) return controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel: end,
  });
}
