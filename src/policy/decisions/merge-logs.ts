import type { ByteSource } from '../../base/lib/chunks.js';
import { createMomentReader } from '../../base/lib/moment.js';
import { type LogText, logLines, longestLine } from './log-lines.js';
import { unzip } from './unzip.js';

/** The time of a line of JSON, or of any other that begins with one, also behind the name of a container. */
const timeOf = /"time":"([^"]{1,64})"|(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))/;
/** The number of characters from which merged lines are yielded as one piece. */
const piece = 65_536;

/** Stands for a line that breaks off: its reader counts it as such. */
const broken = '{"v":1';
/** Stands for a line that was too long to be kept. */
const tooLong = 'x'.repeat(longestLine + 1);

/** The lines of a log, with the one that comes next and its time. */
class Lines {
  next: string | undefined;
  ms = Number.NEGATIVE_INFINITY;
  readonly #batches: AsyncIterator<readonly LogText[]>;
  readonly #readMoment = createMomentReader();
  #batch: readonly LogText[] = [];
  #at = 0;
  #isDamaged = false;

  constructor(log: ByteSource) {
    const bytes = unzip(log, () => {
      this.#isDamaged = true;
    });
    this.#batches = logLines(bytes)[Symbol.asyncIterator]();
  }

  /** Moves to the next line. A line without a time has that of the line before it. */
  async move(): Promise<void> {
    while (this.#at >= this.#batch.length) {
      const { done, value } = await this.#batches.next();
      if (done) {
        this.next = this.#isDamaged ? broken : undefined;
        this.#isDamaged = false;
        return;
      }
      [this.#batch, this.#at] = [value, 0];
    }
    this.take();
  }

  /** Takes the next line of the batch; false at its end. */
  take(): boolean {
    const line = this.#batch[this.#at];
    if (line === undefined) return false;
    this.#at += 1;
    const { text = tooLong, ended } = line;
    // The begin of a line is replaced, because with the line end that follows it would look whole.
    this.next = ended || text.startsWith('{') ? text : broken;
    const [, inJson, atBegin] = timeOf.exec(text) ?? [];
    const ms = this.#readMoment(inJson ?? atBegin ?? '');
    if (!Number.isNaN(ms)) this.ms = ms;
    return true;
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}

/** Merges logs, each of which may be a gzip file, into one whose lines are in the order of their times. */
export async function* mergeLogs(logs: readonly ByteSource[]): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  const all = logs.map((log) => new Lines(log));
  try {
    for (const lines of all) await lines.move();
    let text = '';
    for (;;) {
      const open = all.filter(({ next }) => next !== undefined);
      if (open.length === 0) break;
      const first = open.reduce((a, b) => (b.ms < a.ms ? b : a));
      text += `${first.next}\n`;
      if (!first.take()) await first.move();
      if (text.length < piece) continue;
      yield encoder.encode(text);
      text = '';
    }
    if (text !== '') yield encoder.encode(text);
  } finally {
    for (const reader of all) await reader.close();
  }
}
