import { encodeText } from '../../base/jwt/bytes.js';
import { hasMethod } from '../../base/lib/values.js';

/** A stream of Node, such as `process.stdout` or that of `createWriteStream`, as far as a log uses it. */
export interface LineWritable {
  /** Writes text, and calls back when it is written. */
  write(text: string, written: (error?: Error | null) => void): unknown;
  /** Listens for errors, which would end the process otherwise. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A stream that takes the lines of a log: of Node, or of the web with bytes as chunks. It stays open. */
export type LineStream = LineWritable | WritableStream<Uint8Array>;

/** Writes whole lines; resolves when more can be written. */
export type LineOutput = (lines: string) => unknown;

/** Creates the output that writes to a stream. */
export function outputOf(stream: LineStream): LineOutput {
  if (isWeb(stream)) {
    return async (lines) => {
      const writer = stream.getWriter();
      try {
        await writer.write(encodeText(lines));
      } finally {
        writer.releaseLock();
      }
    };
  }
  let cause: Error | undefined;
  stream.on('error', (error) => {
    cause ??= error;
  });
  return (lines) =>
    new Promise<void>((resolve, reject) => {
      stream.write(lines, (error) => (error ? reject(cause ?? error) : resolve()));
    });
}

const isWeb = (stream: LineStream): stream is WritableStream<Uint8Array> => hasMethod(stream, 'getWriter');
