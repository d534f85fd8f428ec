import { ParseError } from '../../base/errors.js';
import { type ByteSource, chunksOf } from '../../base/lib/chunks.js';
import { coders, requireEngine } from '../../base/lib/engine.js';
import { accepting, optional, optionsOf, type ReadersOf, readFields } from '../../base/lib/readers.js';

/** Options of `readLines` and `ndjson`, and of `events` among others. */
export interface LineOptions {
  /** The maximum number of bytes of one line or event. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
}

export const defaultBytes = 1_048_576;
export const lineReaders = {
  maxBytes: optional(
    accepting<number>('a whole number of bytes above 0', (value) => Number.isSafeInteger(value) && Number(value) > 0),
  ),
} satisfies ReadersOf<LineOptions>;
export const readLineOptions = optionsOf(lineReaders);

/** Reads the option `maxBytes`; throws InvalidArgumentError for anything but a whole number above 0. */
const maxBytesOf = (options: LineOptions): number =>
  readFields(options, 'options', readLineOptions).maxBytes ?? defaultBytes;

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Iterates over the lines of a body, without their ends (`\n` or `\r\n`). A last line without an end is returned if it
 * is not empty. Leaving the loop cancels the body.
 * @param body the body of a response with `responseType: 'stream'`
 * @param options see {@link LineOptions}
 * @throws ParseError (code `PARSE`) with the number of a line longer than `maxBytes`; the body's own error.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { readLines } from 'arango-services/stream';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * const { body } = await client.route('logs').with({ responseType: 'stream' }).get();
 * for await (const line of readLines(body)) console.log(line);
 * ```
 */
export async function* readLines(body: ByteSource, options: LineOptions = {}): AsyncGenerator<string, void, undefined> {
  const maxBytes = maxBytesOf(options);
  requireEngine(coders);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  const add = (part: Uint8Array): void => {
    length += part.length;
    if (length > maxBytes)
      throw new ParseError({}, undefined, '', { line: number, problem: `is longer than ${maxBytes} bytes` });
    parts.push(part);
  };
  const take = (): string => {
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    const end = whole[length - 1] === carriageReturn ? length - 1 : length;
    [parts, length] = [[], 0];
    const line = decoder.decode(whole.subarray(0, end));
    // A byte order mark stands at the start of a body; elsewhere it is content.
    return number++ === 1 ? line.replace(/^\uFEFF/, '') : line;
  };
  for await (const chunk of chunksOf(body)) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    if (start < chunk.length) add(chunk.slice(start));
  }
  if (length > 0) yield take();
}
