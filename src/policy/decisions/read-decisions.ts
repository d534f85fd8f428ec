import type { ByteSource } from '../../base/lib/chunks.js';
import { createMomentReader } from '../../base/lib/moment.js';
import { oneOf, optional, optionsOf, type ReadersOf, readFields } from '../../base/lib/readers.js';
import type { DecisionLine } from '../decision-line/line.js';
import { type BatchedLog, batches, type HiddenLine, isHidden, mayDecide } from './batches.js';
import type { LineReading, SkipReason } from './line-reading.js';
import { type LogText, logLines } from './log-lines.js';
import { explainEmptyLog, type LogSummary } from './log-summary.js';
import type { LoggedDecision } from './logged-decision.js';
import type { LogOrigin } from './read-line.js';
import { unzip } from './unzip.js';

/** Options of `readDecisions`. */
export interface ReadDecisionsOptions {
  /** The program whose lines are read; lines of the other program count as foreign. Default: lines of both. */
  readonly from?: LogOrigin | undefined;
}

const readDecisionsReaders = {
  from: optional(oneOf<LogOrigin>('arango-services', 'platform')),
} satisfies ReadersOf<ReadDecisionsOptions>;
export const readDecisionsOptions = optionsOf(readDecisionsReaders);

/** The decisions of a log, to iterate over once. */
export interface DecisionsOfLog extends AsyncIterable<LoggedDecision> {
  /** The counts of the log, up to the decision that was read last. */
  readonly summary: LogSummary;
}

/**
 * Reads the decisions of a log: lines of this package, and the platform's JSON and pretty lines, also between lines
 * of other programs and behind what `kubectl logs --prefix` and `docker compose logs` write before a line. A gzip
 * file is decompressed, one of several members (rotated logs that were joined) in Node, Deno and Bun; the
 * `DecompressionStream` of browsers ends at the second member, which counts as `damaged`. What cannot be read is
 * counted in `summary` with its first line, and never guessed. The platform logs decisions under the authorization
 * type `central-permissive` only: they hold what was evaluated (`enforced: false`), while the answer was Allow.
 * @param log the bytes of the log; at most 1 MiB of it is held, however long a line is
 * @param options see {@link ReadDecisionsOptions}
 * @throws InvalidArgumentError for invalid options; the log's own error while it is read.
 * @example
 * ```ts
 * import { createReadStream } from 'node:fs';
 * import { readDecisions } from 'arango-services/decisions';
 *
 * const log = readDecisions(createReadStream('sidecar.log.gz'));
 * for await (const { line, decision } of log) {
 *   if (decision.effect === 'Deny') console.log(line, decision.subject.user, decision.action);
 * }
 * console.log(log.summary);
 * ```
 */
export function readDecisions(log: ByteSource, options: ReadDecisionsOptions = {}): DecisionsOfLog {
  const { from: origin } = readFields(options, 'options', readDecisionsOptions);
  const skipped = new Map<SkipReason, { count: number; readonly firstLine: number }>();
  let [lines, decisions, dropped] = [0, 0, 0];
  let from = { time: '', ms: Number.POSITIVE_INFINITY };
  let to = { time: '', ms: Number.NEGATIVE_INFINITY };

  const skip = (reason: SkipReason, line: number): void => {
    const kind = skipped.get(reason);
    if (kind) kind.count += 1;
    else skipped.set(reason, { count: 1, firstLine: line });
  };
  const readMoment = createMomentReader();
  const note = ({ time }: DecisionLine): void => {
    decisions += 1;
    const ms = readMoment(time);
    if (ms < from.ms) from = { time, ms };
    if (ms > to.ms) to = { time, ms };
  };
  function* readBatch(
    batch: readonly LogText[],
    read: (line: LogText) => LineReading,
  ): Generator<LoggedDecision | HiddenLine, void, undefined> {
    for (const line of batch) {
      lines = line.number;
      if (line.text === '') continue;
      const reading = read(line);
      if (typeof reading === 'string') {
        skip(reading, line.number);
        if (mayDecide(reading)) yield { line: line.number, hidden: reading };
      } else if (reading.kind === 'gap') {
        dropped += reading.dropped;
        yield { line: line.number, hidden: 'dropped' };
      } else if (reading.kind === 'hidden') {
        skip(reading.reason, line.number);
        yield { line: line.number, hidden: reading };
      } else {
        note(reading);
        yield { line: line.number, decision: reading };
      }
    }
  }
  async function* readBatches(): AsyncGenerator<Iterable<LoggedDecision | HiddenLine>, void, undefined> {
    // Loaded on demand, with zod: a service that only writes logs needs neither.
    const { createLineReader } = await import('./read-line.js');
    const read = createLineReader(origin);
    let isDamaged = false;
    const unzipped = unzip(log, () => {
      isDamaged = true;
    });
    for await (const batch of logLines(unzipped)) yield readBatch(batch, read);
    if (!isDamaged) return;
    const line = Math.max(lines, 1);
    skip('damaged', line);
    yield [{ line, hidden: 'damaged' }];
  }
  async function* iterate(): AsyncGenerator<LoggedDecision, void, undefined> {
    for await (const batch of readBatches()) for (const item of batch) if (!isHidden(item)) yield item;
  }

  const iterator = iterate();
  const decisionsOfLog: DecisionsOfLog & BatchedLog = {
    [Symbol.asyncIterator]: () => iterator,
    [batches]: readBatches,
    get summary() {
      const list = [...skipped].map(([reason, { count, firstLine }]) => ({ reason, count, firstLine }));
      const problem = decisions > 0 ? undefined : explainEmptyLog(lines, new Set(skipped.keys()));
      list.sort((a, b) => a.firstLine - b.firstLine);
      const [first, last] = decisions > 0 ? [from.time, to.time] : [];
      return { lines, decisions, from: first, to: last, dropped, skipped: list, problem };
    },
  };
  return decisionsOfLog;
}
