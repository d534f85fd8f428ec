import { coders, requireEngine } from '../../base/lib/engine.js';

/** A line of a log, or what is known of one that was not kept. */
export interface LogText {
  /** The line's number, from 1. */
  readonly number: number;
  /** The text without its end; undefined if it is longer than the limit. */
  readonly text: string | undefined;
  /** False for a last line without a line end: its writer may not have finished it. */
  readonly ended: boolean;
}

/** The maximum length of a line, in UTF-16 units. */
export const longestLine = 1_048_576;
/** The maximum number of bytes that are decoded at once: a source may give a whole file as one chunk. */
const piece = 262_144;

/** Splits bytes into lines, in batches. No more of a line than the limit is held. */
export async function* logLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LogText[], void, undefined> {
  requireEngine(coders);
  const decoder = new TextDecoder();
  let number = 1;
  let begun: string | undefined = '';
  const extend = (part: string): string | undefined =>
    begun === undefined || begun.length + part.length > longestLine ? undefined : begun + part;
  const finish = (part: string, ended: boolean): LogText => {
    const text = extend(part);
    begun = '';
    return { number: number++, text: text?.endsWith('\r') ? text.slice(0, -1) : text, ended };
  };
  const split = (text: string): LogText[] => {
    const parts = text.split('\n');
    const last = parts.pop() ?? '';
    const batch = parts.map((part) => finish(part, true));
    begun = extend(last);
    return batch;
  };
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += piece) {
      yield split(decoder.decode(chunk.subarray(start, start + piece), { stream: true }));
    }
  }
  yield split(decoder.decode());
  if (begun !== '') yield [finish('', false)];
}
