/** How far a stream has come. */
export interface Progress {
  /** Bytes that have passed so far. */
  readonly bytes: number;
}

/**
 * A stream that says how many bytes of it have passed: of an upload, or of an answer with `responseType: 'stream'`.
 * @param stream the stream; it is locked from now on
 * @param callback is called after each chunk. What it throws, or rejects with, fails the stream.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { progress } from 'arango-services/stream';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * const file = new Blob(['a large file']);
 * await client.route('files').put('report', progress(file.stream(), ({ bytes }) => console.log(bytes / file.size)));
 * ```
 */
export function progress<Chunk extends Uint8Array>(
  stream: ReadableStream<Chunk>,
  callback: (progress: Progress) => void,
): ReadableStream<Chunk> {
  let bytes = 0;
  return stream.pipeThrough(
    new TransformStream<Chunk, Chunk>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        const told: unknown = callback({ bytes });
        controller.enqueue(chunk);
        // The cast: only a promise is waited for, so that one that rejects fails the stream.
        return told as Promise<void> | undefined;
      },
    }),
  );
}
