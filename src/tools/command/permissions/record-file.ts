import { open, readFile, realpath, stat } from 'node:fs/promises';
import { findTwice } from '../../../base/lib/json-file.js';
import { jsonText } from '../../../base/lib/json-text.js';
import { systemCode, writeFault } from '../../../base/lib/system-errors.js';
import { isPlainObject, isTexts } from '../../../base/lib/values.js';
import type { ApplyRecord, RecordEntry } from '../../../permissions/index.js';
import type { Owners } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import { fileProblem } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import type { SavedPlan } from './saved-plan.js';
import { notWritten } from './write-file.js';

// A record is a file of JSON lines, to which each run adds a head and its entries. It may hold several plans.

const format = 'arango-services record 1';
/** The first characters of every line. */
const start = '{"plan":"';

/** The lines of a record about one plan. */
export interface PlanRecord {
  readonly file: string;
  readonly entries: readonly RecordEntry[];
  /** The number of lines about this plan. */
  readonly lines: number;
  /** The time of the last entry, in ISO 8601; undefined without entries. */
  readonly lastAt: string | undefined;
}

/** The file of the record: that of the flag, or the one beside the plan. */
export async function recordFileOf(plan: string, { flags, inputs }: Context): Promise<string> {
  if (flags.record === '-') throw new UsageError({ where: '--record', message: 'expected a file' });
  if (flags.record !== undefined) return flags.record;
  // The record is beside the plan itself and not beside a link to it, so that all links lead to the same record.
  if (!(await inputs.isPassing(plan))) return `${await realpath(plan).catch(() => plan)}.record`;
  throw new UsageError({ where: '--record', message: 'is needed for a plan from stdin or a pipe' });
}

/** A line of a record, of any plan. */
type Line = Readonly<Record<string, unknown>>;

const isEntry = (line: Line): line is Line & RecordEntry =>
  Number.isSafeInteger(line.call) && ['begun', 'made', 'failed'].includes(String(line.state));

/**
 * Parses a line; undefined for one that was cut when its writer ended.
 * @throws UsageError with the place, if a key stands twice.
 */
function parseLine(line: string, file: string, number: number): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const twice = findTwice(line);
  if (twice !== undefined) {
    const where = `${file}:${number}:${twice.offset + 1}`;
    throw new UsageError({ where, message: `the key ${JSON.stringify(twice.key)} is there twice` });
  }
  // The cast: a plain object of JSON.
  return isPlainObject(value) ? (value as Line) : undefined;
}

/**
 * Reads the lines of a record; undefined if there is no such file.
 * @throws UsageError for a file that cannot be read, or is not a record.
 */
async function readLines(file: string): Promise<readonly Line[] | undefined> {
  // A pipe or a device keeps nothing.
  const isOther = await stat(file).then(
    (stats) => !stats.isFile() && !stats.isDirectory(),
    () => false,
  );
  if (isOther) throw new UsageError({ where: file, message: 'is not a regular file, so it keeps no record' });
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileProblem(file, error);
  });
  if (text === undefined) return undefined;
  const [first = '', ...others] = text.split('\n');
  const parsed = [first, ...others].map((line, i) => parseLine(line, file, i + 1)).filter((line) => line !== undefined);
  // A run that was killed while it wrote the first line left a part of the line, and sent no call.
  const isHead = start.startsWith(first.slice(0, start.length));
  const isRecord = isHead && (others.length === 0 || parsed[0]?.format === format);
  if (!isRecord || parsed.some((line) => line.format !== undefined && line.format !== format)) {
    throw new UsageError({ where: file, message: 'is not a record of "apply" in the format of this version' });
  }
  return parsed;
}

/**
 * Reads the users and groups that earlier runs of `apply` wrote into a record; undefined if there is no such file.
 * @throws UsageError for a file that cannot be read, or is not a record.
 */
export async function readRecordOwners(file: string): Promise<Owners | undefined> {
  const lines = await readLines(file);
  const of = (kind: keyof Owners) => lines?.flatMap((line) => (isTexts(line[kind]) ? line[kind] : [])) ?? [];
  return lines && { users: of('users'), groups: of('groups') };
}

/**
 * Reads what the record of a plan knows of it; nothing if there is no such file.
 * @throws UsageError for a file that cannot be read, or is not a record.
 */
export async function readRecord(file: string, { digest }: SavedPlan): Promise<PlanRecord> {
  const lines = ((await readLines(file)) ?? []).filter((line) => line.plan === digest);
  const entries = lines.filter(isEntry);
  return { file, entries, lines: lines.length, lastAt: entries.length > 0 ? String(lines.at(-1)?.at) : undefined };
}

/** The users and groups of a plan: those with a binding after it, and those whose bindings it changes. */
function ownersIn({ plan: { changes }, usersAfter, groupsAfter }: SavedPlan): Owners {
  const all = (names: readonly string[], kind: 'user' | 'group') => [
    ...new Set([...names, ...changes.flatMap((change) => change[kind] ?? [])]),
  ];
  return { users: all(usersAfter, 'user'), groups: all(groupsAfter, 'group') };
}

/**
 * Opens the record of a plan for a run, and adds the head of the run. Before each call the run checks that no other run
 * has added lines about the plan since the record was read: of two simultaneous runs at least one stops.
 * @throws UsageError if the file cannot be written, and Error if another run has added lines about the plan.
 */
export async function openRecord(read: PlanRecord, saved: SavedPlan): Promise<ApplyRecord & AsyncDisposable> {
  const { file, entries } = read;
  const { digest, url, plan } = saved;
  const handle = await open(file, 'a+', 0o600).catch((error: unknown) => {
    throw new UsageError({ where: file, message: `${writeFault(error)}; see --record` });
  });
  const { size } = await handle.stat();
  let { lines } = read;
  /** The file's size if no other run has written since the last check. NaN makes the first check count the lines. */
  let ownSize = Number.NaN;
  const last = Buffer.alloc(1);
  if (size > 0) await handle.read(last, 0, 1, size - 1);
  // If the last line was cut, a line feed ends it first.
  const separator = size > 0 && last.toString() !== '\n' ? '\n' : '';
  const append = async (line: object, before = '') => {
    const text = `${before}${jsonText({ plan: digest, at: new Date(), ...line })}\n`;
    await handle.appendFile(text).catch((error: unknown) => {
      throw notWritten(file, error);
    });
    ownSize += Buffer.byteLength(text);
    lines++;
  };
  const check = async () => {
    const { size: now } = await handle.stat();
    if (now === ownSize) return;
    // The record may be shared by other plans.
    if ((await readRecord(file, saved)).lines !== lines) {
      throw new Error(`another run of this plan writes to ${file}; run it again when that has ended`);
    }
    ownSize = now;
  };
  let writing: Promise<void> = Promise.resolve();
  const add = (entry: RecordEntry): Promise<void> => {
    const adding = writing.then(async () => {
      if (entry.state === 'begun') await check();
      await append(entry);
    });
    writing = adding.catch(() => {});
    return adding;
  };
  try {
    const calls = plan.stages.flat().length;
    await append({ format, url, calls, ...ownersIn(saved) }, separator);
    await check();
    await handle.sync();
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { entries, add, [Symbol.asyncDispose]: () => handle.close() };
}
