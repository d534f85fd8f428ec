import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidArgumentError } from '../../../../base/errors.js';
import { readFault } from '../../../../base/lib/system-errors.js';
import { type Recording, readRecording } from '../../../recordings/recording-format.js';

async function readOne(folder: string, file: string): Promise<Recording> {
  const text = await readFile(join(folder, file), 'utf8').catch((error: unknown) => {
    throw new InvalidArgumentError(file, readFault(error));
  });
  return readRecording(text, file);
}

/**
 * Reads the recordings of a folder, one from each `.json` file, in the order of the names.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the folder, or the file and the field.
 */
export async function readFolder(folder: string): Promise<readonly Recording[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new InvalidArgumentError('folder', readFault(error));
  });
  const files = names.filter((name) => name.endsWith('.json')).sort();
  return Promise.all(files.map((file) => readOne(folder, file)));
}
