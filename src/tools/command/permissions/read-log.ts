import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { counted } from '../../../base/lib/counted.js';
import type { PermissionsState } from '../../../permissions/index.js';
import { addTo, type Questions, QuestionsReader } from '../../../policy/analysis/log/read-questions.js';
import { type LogSummary, readDecisions, type SkippedLines } from '../../../policy/decisions/index.js';
import type { Context } from '../shared/context.js';
import type { Inputs } from '../shared/inputs.js';
import { warn } from '../shared/output.js';
import { fileProblem } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { showReading } from './show-progress.js';

/** The lines of logs that gave no decision, by reason, and the decisions that their writers dropped. */
export interface LogGaps extends Pick<LogSummary, 'dropped'> {
  /** The lines by reason and, if there are several logs, by file. */
  readonly skipped: readonly (SkippedLines & { readonly file?: string })[];
}

/** Warns of the lines that gave no decision, by reason. */
function warnOfSkipped({ skipped, dropped }: LogGaps, { surroundings }: Context): void {
  for (const { reason, count, firstLine, file = 'the log' } of skipped) {
    warn(surroundings, `${counted(count, 'line')} of ${file} skipped (${reason}), the first is line ${firstLine}`);
  }
  if (dropped > 0) warn(surroundings, `${counted(dropped, 'decision')} dropped while the log was written`);
}

/** The flag of a log, with its file if there are several. */
const whereOf = (name: string, { length }: readonly string[]): string => (length > 1 ? `--log ${name}` : '--log');

/**
 * Checks that each log is there, and none of them twice, also by a link, before the first one is read.
 * @throws UsageError if one is not.
 */
export async function checkLogs(names: readonly string[], inputs: Inputs): Promise<void> {
  const before = new Set<string>();
  for (const name of names) {
    const stats = await stat(name, { bigint: true }).catch(async (error: unknown) => {
      if (await inputs.isPassing(name)) return undefined;
      throw fileProblem(whereOf(name, names), error);
    });
    const file = stats === undefined ? resolve(name) : `${stats.dev} ${stats.ino}`;
    if (before.has(file)) throw new UsageError({ where: '--log', message: `${name} is given twice` });
    before.add(file);
  }
}

/** Reads logs one after the other, and shows on a terminal how much was read. Returns the summary of each log. */
async function readEach(names: readonly string[], reader: QuestionsReader, { inputs, surroundings }: Context) {
  const sizes = await Promise.all(names.map((name) => inputs.size(name)));
  const isKnown = sizes.every((size) => size !== undefined);
  const progress = showReading(surroundings, isKnown ? sizes.reduce((sum, size) => sum + size, 0) : undefined);
  const summaries: (LogSummary & { readonly name: string })[] = [];
  try {
    for (const name of names) {
      if (names.length > 1) reader.file = name;
      const log = readDecisions(countBytes(inputs.stream('--log', name), progress));
      await addTo(reader, log).catch((error: unknown) => {
        throw fileProblem(whereOf(name, names), error);
      });
      summaries.push({ ...log.summary, name });
    }
  } finally {
    progress.end();
  }
  return summaries;
}

/**
 * Reads the questions of logs, in the order of their times. Each log may be a gzip file of several members.
 * @throws UsageError if one cannot be read, or none holds decisions.
 */
export async function readLogs(
  context: Context,
  names: readonly string[],
): Promise<{ readonly questions: Questions; readonly gaps: LogGaps }> {
  await checkLogs(names, context.inputs);
  const reader = new QuestionsReader();
  const summaries = await readEach(names, reader, context);
  const skipped = summaries.flatMap(({ name, skipped: ofLog }) =>
    ofLog.map((line) => (names.length > 1 ? { ...line, file: name } : line)),
  );
  const gaps = { skipped, dropped: summaries.reduce((sum, { dropped }) => sum + dropped, 0) };
  warnOfSkipped(gaps, context);
  const questions = reader.read();
  // Lines without a time have no question.
  const isEmpty =
    questions.undecided.every(({ tally }) => tally.firstSeen === undefined) &&
    summaries.every(({ problem }) => problem !== undefined);
  for (const { name, problem } of summaries) {
    if (problem === undefined) continue;
    if (isEmpty) throw new UsageError({ where: whereOf(name, names), message: problem });
    warn(context.surroundings, `${whereOf(name, names)}: ${problem}`);
  }
  return { questions, gaps };
}

async function* countBytes(chunks: AsyncIterable<Uint8Array>, progress: ReturnType<typeof showReading>) {
  for await (const chunk of chunks) {
    progress.add(chunk.length);
    yield chunk;
  }
}

/** The rules of decisions: those of the flag, or of the deployment that the state was read from. */
export const rulesOf = ({ flags }: Context, state: PermissionsState) => ({
  fidelity: flags.fidelity ?? state.fidelity,
});
