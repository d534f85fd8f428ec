import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { jsonText } from '../../../base/lib/json-text.js';
import { systemCode } from '../../../base/lib/system-errors.js';
import { parseFile } from '../../../permissions/format/yaml.js';
import { formatHold, heldBy } from '../../../permissions/holds/hold.js';
import { type FilePlace, type Hold, type HoldsFile, holdsAt, readHolds } from '../../../permissions/index.js';
import { describeItem } from '../../../permissions/model/plan-change.js';
import { sortedUnique } from '../../../policy/model/normalize.js';
import type { Flags } from '../shared/flags.js';
import { defaultFile, fileProblem } from '../shared/read-files.js';
import { readJson } from '../shared/read-json.js';
import { UsageError } from '../shared/usage-error.js';
import { refuseMissing } from './owners-command.js';
import type { PlanContent } from './saved-plan.js';
import { alone, replaceFile, writeNew } from './write-file.js';

/** The file of holds beside the file of permissions. */
const besideFile = ({ file = defaultFile }: Flags): string =>
  file === '-' ? 'permissions.holds.yaml' : `${file.replace(/\.(?:ya?ml|json)$/, '')}.holds.yaml`;

/** The files of the holds that count: that of the flag first, and the one beside the file of permissions. */
export function holdsFilesOf(flags: Flags): readonly [string, ...string[]] {
  const [named, beside] = [flags.holds, besideFile(flags)];
  return named === undefined || resolve(named) === resolve(beside) ? [named ?? beside] : [named, beside];
}

/** Reads a text; undefined if there is no such file. */
const readIfThere = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileProblem(file, error);
  });

/**
 * Reads the holds of a file; none if it is missing and not needed. One that a flag names is.
 * @throws UsageError if it cannot be read, and PermissionsError with its issues.
 */
async function readHoldsFile(file: string, flags: Flags, isNeeded: boolean): Promise<readonly (Hold & FilePlace)[]> {
  const text = await readIfThere(file);
  if (text !== undefined) return readHolds(file, { read: () => text });
  if (isNeeded) refuseMissing(file, flags);
  return [];
}

/**
 * Reads the holds of all files that count.
 * @throws UsageError if one cannot be read, or the one of the flag is missing, and PermissionsError with their issues.
 */
export async function readAllHolds(flags: Flags): Promise<readonly (Hold & FilePlace)[]> {
  const files = holdsFilesOf(flags);
  return (await Promise.all(files.map((file) => readHoldsFile(file, flags, file === flags.holds)))).flat();
}

/**
 * Reads the holds that are in force for a plan: those of the flag, of the files that the plan respects, and of files of
 * those names in the working directory, because the plan may have been made in another one.
 */
async function holdsInForce(
  { plan: { holds }, holdsFile, holdsBeside = holdsFile }: PlanContent,
  flags: Flags,
): Promise<readonly Hold[]> {
  const named = flags.holds ?? holdsFile;
  const isNeeded = flags.holds !== undefined || holds.length > 0;
  const files = new Set([holdsFile, holdsBeside].flatMap((file) => [file, basename(file)]));
  files.delete(named);
  const read = [named, ...files].map((file) => readHoldsFile(file, flags, isNeeded && file === named));
  return holdsAt((await Promise.all(read)).flat());
}

/** Refuses a plan that gives what is held now, or that respects holds whose file is missing. */
export async function refuseHeld(content: PlanContent, flags: Flags): Promise<void> {
  const isHeld = heldBy(await holdsInForce(content, flags));
  for (const change of content.plan.changes) {
    const hold = change.kind === 'binding' && change.after !== null ? isHeld(change) : undefined;
    if (hold) {
      throw new Error(
        `the plan makes the ${describeItem(change)}, which is held (${formatHold(hold)}); make a new plan`,
      );
    }
  }
}

/** True for holds of the same bindings for the same reason: the later end of the two counts. */
function isSame(a: Hold, b: Hold): boolean {
  const [key, other] = [a, b].map(({ user, group, roles, reason }) =>
    jsonText([user, group, roles && sortedUnique(roles), reason]),
  );
  return key === other;
}

/** The line of a hold in a file of YAML. */
function lineOf({ user, group, roles, until, reason }: Hold): string {
  const fields = Object.entries({ user, group, roles, until, reason }).filter(([, value]) => value !== undefined);
  return `  - { ${fields.map(([name, value]) => `${name}: ${jsonText(value)}`).join(', ')} }\n`;
}

/** Adds the line of a hold at the end of a text; a text without holds gets the key above it. */
function withLine(text: string, hasHolds: boolean, line: string): string {
  const start = hasHolds ? text : text.replace(/^holds:(?: *\[\])?\s*$/m, '');
  const lead = start === '' || start.endsWith('\n') ? start : `${start}\n`;
  return `${lead}${hasHolds ? '' : 'holds:\n'}${line}`;
}

/** Puts a hold in a place of a JSON file, at its end or over another one. The other fields of the file stay. */
function withEntry(file: string, text: string, hold: Hold, place: number): string {
  // The cast: `readHolds` has accepted the file.
  const content = readJson(file, text) as HoldsFile | null;
  return `${jsonText({ ...content, holds: (content?.holds ?? []).toSpliced(place, 1, hold) }, 2)}\n`;
}

/** Replaces the end of a hold in a text of YAML, where it stands as it is read. */
function withEnd(file: string, text: string, place: number, [from, to]: readonly [from: string, to: string]): string {
  const { line, column } = parseFile(file, text).issueAt(['holds', place, 'until'], '');
  const lines = text.split('\n');
  const written = lines[line - 1] ?? '';
  const rest = written.slice(column - 1);
  lines[line - 1] = written.slice(0, column - 1) + rest.replace(from, to);
  return lines.join('\n');
}

/**
 * Adds a hold to a file, which is made if it is missing. Lines of a file of YAML stay as they are. If the file has the
 * same hold in force, that one ends at the later of the two times instead. Runs at the same time wait for each other.
 * @returns the hold as the file has it.
 * @throws UsageError if it cannot be read or written, or is not in the form that a line can be added to.
 */
export const addHold = (file: string, hold: Hold): Promise<Hold> => alone(file, () => writeHold(file, hold));

async function writeHold(file: string, hold: Hold): Promise<Hold> {
  const before = await readIfThere(file);
  const held = before === undefined ? [] : await readHolds(file, { read: () => before });
  const sameHold = holdsAt(held).find((other) => isSame(other, hold));
  if (sameHold && Date.parse(sameHold.until) >= Date.parse(hold.until)) return sameHold;
  const place = sameHold ? held.indexOf(sameHold) : held.length;
  const text = file.endsWith('.json')
    ? withEntry(file, before ?? '{}', hold, place)
    : sameHold
      ? withEnd(file, before ?? '', place, [sameHold.until, hold.until])
      : withLine(before ?? '', held.length > 0, lineOf(hold));
  const after = await readHolds(file, { read: () => text }).catch(() => []);
  if (after.length !== held.length + (sameHold ? 0 : 1) || after[place]?.until !== hold.until) {
    const message = 'expected "holds:" with a line for each hold ("- { user: … }") at its end, to add one';
    throw new UsageError({ where: file, message });
  }
  if (before !== undefined) {
    await replaceFile(file, text);
    return hold;
  }
  if (await writeNew(file, text)) return hold;
  throw new UsageError({ where: file, message: 'was made by another program at the same time: run it again' });
}
