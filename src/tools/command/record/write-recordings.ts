import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatRecording, type RecordedExchange, type Recording } from '../../../mock/recordings/recording-format.js';
import { writeNew, writeWhole } from '../permissions/write-file.js';
import { isSame } from './pair.js';

/** A recording of this run, and the one that it renews. */
export interface Renewed {
  /** The exchange of this run; undefined if it is not kept, so that the recording stays. */
  readonly now: RecordedExchange | undefined;
  readonly before: Recording | undefined;
}

/** The names of the files that were written, and of those that were not. */
export interface WrittenFiles {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly same: number;
  /** Recordings that this run has not seen. */
  readonly unseen: readonly string[];
  readonly removed: readonly string[];
}

/** The most recordings of a folder: their names are in order with four digits. */
export const mostFiles = 9_999;
const longestName = 60;

/** A name for all file systems: `0001-get-orders-7.json`. */
function fileName(number: number, { method, path, template }: RecordedExchange): string {
  const words = `${method} ${template ?? path}`.toLowerCase().replace(/[^a-z\d]+/g, '-');
  const short = words.slice(0, longestName).replace(/-$/, '');
  return `${String(number).padStart(4, '0')}-${short}.json`;
}

/** The number of a recording; 0 for other files, which may begin with a date. */
const numberOf = (file: string): number => Number(/^(\d{4})-.*\.json$/.exec(file)?.[1] ?? 0);

/**
 * Writes the recordings that are new or changed, each atomically. Names of files stay.
 * @param prune true to remove recordings that this run has not seen.
 */
export async function writeRecordings(
  folder: string,
  renewed: readonly Renewed[],
  recordings: readonly Recording[],
  prune: boolean,
): Promise<WrittenFiles> {
  const added: string[] = [];
  const changed: string[] = [];
  // As the folder is now: another recorder may have written to it.
  let next = Math.max(0, ...(await readdir(folder)).map(numberOf)) + 1;
  for (const { now, before } of renewed) {
    if (now === undefined || (before !== undefined && isSame(now, before))) continue;
    const text = formatRecording(now);
    if (before === undefined) {
      // Another recorder may write at the same time.
      while (!(await writeNew(join(folder, fileName(next, now)), text))) next += 1;
      added.push(fileName(next, now));
      next += 1;
    } else {
      await writeWhole(join(folder, before.file), text);
      changed.push(before.file);
    }
  }
  const seen = new Set(renewed.map(({ before }) => before?.file));
  const unseen = recordings.map(({ file }) => file).filter((file) => !seen.has(file));
  if (prune) for (const file of unseen) await rm(join(folder, file), { force: true });
  const same = renewed.filter(({ now }) => now !== undefined).length - added.length - changed.length;
  return { added, changed, same, unseen: prune ? [] : unseen, removed: prune ? unseen : [] };
}
