import {
  PermissionsError,
  type ReadFile,
  type ReadPermissionsOptions,
  readPermissions,
} from '../../../src/permissions/index.ts';

/** Reads files that stand in memory. */
export const reading =
  (files: Readonly<Record<string, string | Uint8Array>>): ReadFile =>
  (file) => {
    const content = Object.hasOwn(files, file) ? files[file] : undefined;
    if (content === undefined) throw new Error(`no ${file}`);
    return content;
  };

/** Reads one file that stands in memory. */
export const readText = (text: string, options: Partial<ReadPermissionsOptions> = {}) =>
  readPermissions('f.yaml', { read: reading({ 'f.yaml': text }), ...options });

/** The issues of a file, as `line:column message`. */
export async function issuesOf(text: string, options: Partial<ReadPermissionsOptions> = {}): Promise<string[]> {
  const error: unknown = await readText(text, options).catch((thrown) => thrown);
  if (!(error instanceof PermissionsError)) throw new Error('it was accepted', { cause: error });
  return error.issues.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

/** The findings of a file, as `line:column message`. */
export const findingsOf = async (text: string): Promise<string[]> =>
  (await readText(text)).findings.map(({ line, column, message }) => `${line}:${column} ${message}`);
