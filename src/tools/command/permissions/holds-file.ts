import { readFile } from 'node:fs/promises';
import { jsonText } from '../../../base/lib/json-text.js';
import { systemCode } from '../../../base/lib/system-errors.js';
import { formatHold, heldBy } from '../../../permissions/holds/hold.js';
import { type FilePlace, type Hold, type HoldsFile, holdsAt, readHolds } from '../../../permissions/index.js';
import { describeItem } from '../../../permissions/model/plan-change.js';
import type { Flags } from '../shared/flags.js';
import { defaultFile, fileProblem } from '../shared/read-files.js';
import { readJson } from '../shared/read-json.js';
import { UsageError } from '../shared/usage-error.js';
import { refuseMissing } from './owners-command.js';
import type { PlanContent } from './saved-plan.js';
import { replaceFile, writeNew } from './write-file.js';

/** The file of holds: that of the flag, or the one beside the file of permissions. */
export const holdsFileOf = ({ holds, file = defaultFile }: Flags): string =>
  holds ?? (file === '-' ? 'permissions.holds.yaml' : `${file.replace(/\.(?:ya?ml|json)$/, '')}.holds.yaml`);

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
export async function readHoldsFile(
  file: string,
  flags: Flags,
  isNeeded: boolean = flags.holds !== undefined,
): Promise<readonly (Hold & FilePlace)[]> {
  const text = await readIfThere(file);
  if (text !== undefined) return readHolds(file, { read: () => text });
  if (isNeeded) refuseMissing(file, flags);
  return [];
}

/** Refuses a plan that gives what is held now, or that respects holds whose file is missing. */
export async function refuseHeld({ plan: { changes, holds }, holdsFile }: PlanContent, flags: Flags): Promise<void> {
  const isNeeded = flags.holds !== undefined || holds.length > 0;
  const isHeld = heldBy(holdsAt(await readHoldsFile(flags.holds ?? holdsFile, flags, isNeeded)));
  for (const change of changes) {
    const hold = change.kind === 'binding' && change.after !== null ? isHeld(change) : undefined;
    if (hold) {
      throw new Error(
        `the plan makes the ${describeItem(change)}, which is held (${formatHold(hold)}); make a new plan`,
      );
    }
  }
}

const isSame = (a: Hold, b: Hold): boolean =>
  jsonText([a.user, a.roles, a.until]) === jsonText([b.user, b.roles, b.until]);

/** The line of a hold in a file of YAML. */
function lineOf({ user, roles, until, reason }: Hold): string {
  const fields = Object.entries({ user, roles, until, reason }).filter(([, value]) => value !== undefined);
  return `  - { ${fields.map(([name, value]) => `${name}: ${jsonText(value)}`).join(', ')} }\n`;
}

/** Adds the line of a hold at the end of a text; a text without holds gets the key above it. */
function withLine(text: string, hasHolds: boolean, line: string): string {
  const start = hasHolds ? text : text.replace(/^holds:(?: *\[\])?\s*$/m, '');
  const lead = start === '' || start.endsWith('\n') ? start : `${start}\n`;
  return `${lead}${hasHolds ? '' : 'holds:\n'}${line}`;
}

/** Adds a hold to the text of a JSON file, whose other fields stay. */
function withEntry(file: string, text: string, hold: Hold): string {
  // The cast: `readHolds` has accepted the file.
  const content = readJson(file, text) as HoldsFile | null;
  return `${jsonText({ ...content, holds: [...(content?.holds ?? []), hold] }, 2)}\n`;
}

/**
 * Adds a hold to a file, which is made if it is missing. Lines of a file of YAML stay as they are.
 * @throws UsageError if it cannot be read or written, or is not in the form that a line can be added to.
 */
export async function addHold(file: string, hold: Hold): Promise<void> {
  const before = await readIfThere(file);
  const held = before === undefined ? [] : await readHolds(file, { read: () => before });
  if (held.some((one) => isSame(one, hold))) return;
  const text = file.endsWith('.json')
    ? withEntry(file, before ?? '{}', hold)
    : withLine(before ?? '', held.length > 0, lineOf(hold));
  const after = await readHolds(file, { read: () => text }).catch(() => []);
  if (after.length !== held.length + 1) {
    const message = 'expected "holds:" with a line for each hold ("- { user: … }") at its end, to add one';
    throw new UsageError({ where: file, message });
  }
  if (before !== undefined) return replaceFile(file, text);
  if (await writeNew(file, text)) return;
  throw new UsageError({ where: file, message: 'was made by another program at the same time: run it again' });
}
