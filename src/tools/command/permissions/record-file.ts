import { open, readFile } from 'node:fs/promises';
import { systemCode, writeFault } from '../../../base/lib/system-errors.js';
import { isPlainObject } from '../../../base/lib/values.js';
import type { ApplyRecord, RecordEntry } from '../../../permissions/index.js';
import type { Context } from '../shared/context.js';
import { fileProblem } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import type { SavedPlan } from './saved-plan.js';

// A record is a file of JSON lines, to which each run adds a head and its entries. It may hold several plans.

const format = 'arango-services record 1';

/** The lines of a record about one plan. */
export interface PlanRecord {
  readonly file: string;
  readonly entries: readonly RecordEntry[];
  /** The time of the last entry, in ISO 8601; undefined without entries. */
  readonly lastAt: string | undefined;
}

/** The file of the record: that of the flag, or the one beside the plan. */
export async function recordFileOf(plan: string, { flags, inputs }: Context): Promise<string> {
  if (flags.record === '-') throw new UsageError({ where: '--record', message: 'expected a file' });
  if (flags.record !== undefined) return flags.record;
  if (!(await inputs.isPassing(plan))) return `${plan}.record`;
  throw new UsageError({ where: '--record', message: 'is needed for a plan from stdin or a pipe' });
}

/** A line of a record, of any plan. */
type Line = Readonly<Record<string, unknown>>;

const isEntry = (line: Line): line is Line & RecordEntry =>
  Number.isSafeInteger(line.call) && ['begun', 'made', 'failed'].includes(String(line.state));

/** Parses a line; undefined for one that was cut when its writer ended. */
function parseLine(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // The cast: a plain object of JSON.
    return isPlainObject(value) ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads what the record of a plan knows of it; nothing if there is no such file.
 * @throws UsageError for a file that cannot be read, or is not a record.
 */
export async function readRecord(file: string, { digest }: SavedPlan): Promise<PlanRecord> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return '';
    throw fileProblem(file, error);
  });
  const [head = '', ...others] = text.split('\n');
  // A head without an end of its line was cut: nothing was sent after it.
  if (others.length > 0 && parseLine(head)?.format !== format) {
    throw new UsageError({ where: file, message: 'is not a record of "apply" in the format of this version' });
  }
  // The cast: a line with a plan is one.
  const lines = others.map(parseLine).filter((line) => line?.plan === digest) as Line[];
  const entries = lines.filter(isEntry);
  return { file, entries, lastAt: entries.length > 0 ? String(lines.at(-1)?.at) : undefined };
}

/**
 * Opens the record of a plan for a run, and adds the head of the run.
 * @throws UsageError if it cannot be written.
 */
export async function openRecord(
  { file, entries }: PlanRecord,
  { digest, url, plan }: SavedPlan,
): Promise<ApplyRecord & AsyncDisposable> {
  const notWritten = (error: unknown) => new UsageError({ where: file, message: `${writeFault(error)}; see --record` });
  const handle = await open(file, 'a+', 0o600).catch((error: unknown) => {
    throw notWritten(error);
  });
  const { size } = await handle.stat();
  const last = Buffer.alloc(1);
  if (size > 0) await handle.read(last, 0, 1, size - 1);
  const write = (line: object) => handle.appendFile(`${JSON.stringify({ plan: digest, at: new Date(), ...line })}\n`);
  // A line that was cut is ended first.
  if (size > 0 && last.toString() !== '\n') await handle.appendFile('\n');
  await write({ format, url, calls: plan.stages.flat().length });
  await handle.sync();
  return { entries, add: write, [Symbol.asyncDispose]: () => handle.close() };
}
