import { accepting, type Reader, refuseKind } from '../../base/lib/readers.js';
import { readInput } from '../model/read-argument.js';

/** Reads a file by its name. If it rejects, the file counts as unreadable. */
export type ReadFile = (file: string) => string | Uint8Array | Promise<string | Uint8Array>;

const readFileName: Reader<string> = (value, reading) =>
  typeof value === 'string' && value !== '' ? value : refuseKind(reading, 'the name of a file', value);

/** Validates the arguments: a file name and a function that reads files. */
export function checkArguments<T extends { readonly read: ReadFile }>(
  file: string,
  options: T,
  reader: Reader<T>,
): void {
  readInput(file, 'file', readFileName);
  readInput(options, 'options', reader);
}

/** Accepts a function that reads a file. */
export const readReadFile: Reader<ReadFile> = (value, reading) =>
  typeof value === 'function' ? (value as ReadFile) : refuseKind(reading, 'a function that reads a file', value);

const readText = accepting<string | Uint8Array>(
  'a string or bytes',
  (value) => typeof value === 'string' || value instanceof Uint8Array,
);

/**
 * Reads a file by the function of the caller.
 * @throws PermissionsError naming the file for a result that is neither text nor bytes.
 */
export const readContent = async (file: string, read: ReadFile): Promise<string | Uint8Array> =>
  readInput(await read(file), `read(${JSON.stringify(file)})`, readText);
