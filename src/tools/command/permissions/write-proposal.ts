import { realpath } from 'node:fs/promises';
import { editPermissions } from '../../../permissions/files/edit-permissions.js';
import type { EditedItem } from '../../../permissions/files/item-differences.js';
import type { Omitted, PermissionsState } from '../../../permissions/index.js';
import type { Context } from '../shared/context.js';
import { connecting } from '../shared/flags.js';
import { defaultFile, reading } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { formatFile } from './format-file.js';
import { createFile, replaceFiles } from './write-file.js';

/** The files that hold a proposal. */
interface Written {
  /** The names of the files that were written; none if nothing had to be edited. */
  readonly files: readonly string[];
  /** The items that were edited; undefined if a new file was written. */
  readonly edited?: readonly EditedItem[] | undefined;
  readonly omitted: readonly Omitted[];
}

/** True if two names stand for the same file. */
async function isSame(...names: readonly [string, string]): Promise<boolean> {
  const [path, other] = await Promise.all(names.map((name) => realpath(name).catch(() => undefined)));
  return path !== undefined && path === other;
}

/**
 * True if `--out` names the file of permissions, which is then edited with its includes.
 * @throws UsageError if that file cannot be edited, before a long log is read.
 */
export async function isEdited({ flags, inputs }: Context): Promise<boolean> {
  const { file = defaultFile, out } = flags;
  if (out === undefined || !(await isSame(out, file))) return false;
  const connected = connecting.find((name) => flags[name] !== undefined);
  if (connected !== undefined) {
    const message = `edits the file only if the answer is about the file: leave out --${connected}, or name a new file`;
    throw new UsageError({ where: '--out', message });
  }
  if (!(await inputs.isPassing(file))) return true;
  throw new UsageError({ where: '--out', message: 'expected a file, not a pipe: its items are edited' });
}

interface Proposal {
  /** True to edit the files where the items stand, false to write a new file. */
  readonly isInPlace: boolean;
  readonly desired: PermissionsState;
  /** The state of the files or the deployment. */
  readonly source: PermissionsState & { readonly files?: readonly string[] };
}

/** Writes a proposal to the file that `--out` names, or to the files that it edits. */
export async function writeProposal(
  { flags, inputs }: Context,
  out: string,
  { isInPlace, desired, source }: Proposal,
): Promise<Written> {
  const { file = defaultFile, deployment } = flags;
  if (!isInPlace) {
    const areOut = await Promise.all(source.files?.map((name) => isSame(name, out)) ?? []);
    if (areOut.includes(true)) {
      const message = `is included by ${file}: name that to edit the files where the items stand`;
      throw new UsageError({ where: '--out', message });
    }
    const { text, omitted } = formatFile(desired, source);
    await createFile(out, text);
    return { files: [out], omitted };
  }
  const { file: _, ...access } = inputs.permissions('--file', file);
  const { texts, items, omitted } = await reading(
    file,
    editPermissions(file, desired, { ...access, deployment, given: source }),
  );
  await replaceFiles(texts);
  return { files: [...texts.keys()], edited: items, omitted };
}

/** Says where a proposal is. */
export const describeWritten = ({ files, edited }: Written, out: string): string => {
  if (edited === undefined) return `Wrote ${files.join()}; plan and diff compare it.`;
  return files.length === 0 ? `${out} needs no change.` : `Edited ${files.join(', ')}.`;
};
