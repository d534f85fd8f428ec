import type { DecisionLine } from '../../../src/policy/decision-line/line.ts';
import { type LogSummary, type ReadDecisionsOptions, readDecisions } from '../../../src/policy/decisions/index.ts';

/** Reads a whole log, in chunks of a few bytes if that is asked for. */
export async function collect(
  log: string | Uint8Array | AsyncIterable<Uint8Array>,
  options: ReadDecisionsOptions = {},
  chunk = Number.POSITIVE_INFINITY,
): Promise<{ readonly decisions: DecisionLine[]; readonly numbers: number[]; readonly summary: LogSummary }> {
  async function* cut(bytes: Uint8Array) {
    for (let start = 0; start < bytes.length; start += chunk) {
      yield bytes.subarray(start, Math.min(start + chunk, bytes.length));
    }
  }
  const bytes = typeof log === 'string' ? new TextEncoder().encode(log) : log;
  const read = readDecisions(bytes instanceof Uint8Array ? cut(bytes) : bytes, options);
  const decisions: DecisionLine[] = [];
  const numbers: number[] = [];
  for await (const { line, decision } of read) {
    decisions.push(decision);
    numbers.push(line);
  }
  return { decisions, numbers, summary: read.summary };
}
