import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { readFault } from '../../lib/system-errors.js';
import { type Permissions, type ReadPermissionsOptions, readPermissions } from '../../permissions/index.js';
import { UsageError } from '../usage-error.js';
import type { Flags } from './flags.js';

/** One byte more than a file of permissions may have: enough for the refusal, whatever the size of the file. */
const mostBytes = 10_000_001;

/** Makes a problem of the user of a system error; other errors stay. */
export function fileProblem(where: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  return new UsageError({ where, message: readFault(error) });
}

/** Reads a file up to a size. */
export async function readBytes(file: string, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of createReadStream(file, { end: most - 1 })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads a file of permissions or tests, up to the size that such a file may have. */
export const readLimited = (file: string): Promise<Uint8Array> => readBytes(file, mostBytes);

/** Reads the files of permissions from the disk. */
export const fromDisk: ReadPermissionsOptions = {
  read: readLimited,
  realPath: (name) => realpath(name),
};

/**
 * Makes a problem of the user of a failure to read the first file.
 * @throws UsageError if it cannot be read, and PermissionsError with its issues.
 */
export async function reading<T>(file: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw fileProblem(file, error);
  }
}

/**
 * Reads a file of permissions and its includes.
 * @throws UsageError if it cannot be read, and PermissionsError with its issues.
 */
export const readFiles = (file: string, { deployment }: Flags): Promise<Permissions> =>
  reading(file, readPermissions(file, { ...fromDisk, deployment }));
