import { sleep } from '../../../../base/lib/wait.js';
import type { CustomResponse } from '../../../kit/custom-handler.js';
import type { Chunk, Recording } from '../../../recordings/recording-format.js';
import type { Bindings } from '../../../recordings/references.js';

async function* playChunks(
  chunks: readonly Chunk[],
  isTimed: boolean,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const { afterMs, text = '', base64 } of chunks) {
    if (isTimed && afterMs > 0) await sleep(afterMs, { signal });
    if (signal.aborted) return;
    yield base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
  }
}

/** Chunks whose reader need not wait for the next one to cancel. */
function chunkStream(chunks: readonly Chunk[], isTimed: boolean): AsyncIterable<Uint8Array> {
  const stop = new AbortController();
  const played = playChunks(chunks, isTimed, stop.signal);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => played.next(),
      return: () => {
        stop.abort();
        return played.return(undefined);
      },
    }),
  };
}

/** Puts the values in place of the references of a text or of all texts of a list. */
const fillHeader = (value: string | readonly string[], bindings: Bindings): readonly string[] =>
  // A value of a request may have characters that no header can hold, or halves of surrogate pairs.
  [value].flat().map((text) =>
    bindings
      .fill(text)
      .toWellFormed()
      .replace(/[^\t -~\u00a0-\u00ff]/gu, encodeURIComponent),
  );

/** The response of a recording, with values for its references. */
export function answerOf({ response }: Recording, isTimed: boolean, bindings: Bindings): CustomResponse {
  const { status, json, text, base64, bytes, chunks } = response;
  const headers = Object.entries(response.headers).map(([name, value]) => [name, fillHeader(value, bindings)]);
  const bodyOf = (): unknown => {
    if (chunks !== undefined) {
      const filled = chunks.map((chunk) =>
        chunk.text === undefined ? chunk : { ...chunk, text: bindings.fill(chunk.text) },
      );
      return chunkStream(filled, isTimed);
    }
    if (json !== undefined) return bindings.fillJson(json);
    // Text as bytes: without a recorded content type, the response has none.
    if (base64 !== undefined) return Buffer.from(base64, 'base64');
    if (bytes !== undefined) return Buffer.alloc(bytes.length);
    return text === undefined ? undefined : Buffer.from(bindings.fill(text));
  };
  return { status, headers: Object.fromEntries(headers), body: bodyOf() };
}
